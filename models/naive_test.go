package models_test

import (
	"math"

	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// naive is the slow twin of the linear TOBAC target: the equations of the
// package comment as loops over rows, pairs and samples, with derivatives by
// hand.
type naive struct {
	x, mask                       *mat.Dense // n×d, order coordinates; mask may be nil
	noise, edgeMean, edgeVariance float64    // variances but for the mean
	rank, samples                 int
	tau                           float64
	estimator                     models.Estimator
	// ∂ log p_graph/∂g at edge probabilities q, d×d
	priorSlope func(q []float64) []float64
	// uniform numbers [pair·S + sample] of one particle
	soft, hard []float64

	// Of the last call of score.
	probs, softGraphs, hardGraphs []float64
	softTerms, hardTerms          [][]float64
	softEstimate, hardEstimate    float64
}

func lnNormal(x, mean, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - (x-mean)*(x-mean)/(2*variance)
}

func (v *naive) vars() int {
	_, d := v.x.Dims()
	return d
}

func (v *naive) masked(r, j int) bool { return v.mask != nil && v.mask.At(r, j) == 1 }

// residual is x_rj − [X(G∘Θ)]_rj.
func (v *naive) residual(g, theta []float64, r, j int) float64 {
	d := v.vars()
	e := v.x.At(r, j)
	for i := range d {
		e -= v.x.At(r, i) * g[i*d+j] * theta[i*d+j]
	}
	return e
}

// terms are column j of log p(Θ|G) and of log p(D|G,Θ).
func (v *naive) terms(g, theta []float64) (prior, data []float64) {
	n, d := v.x.Dims()
	prior, data = make([]float64, d), make([]float64, d)
	for j := range d {
		for i := range d {
			prior[j] += g[i*d+j] * lnNormal(theta[i*d+j], v.edgeMean, v.edgeVariance)
		}
		for r := range n {
			if !v.masked(r, j) {
				data[j] += lnNormal(v.residual(g, theta, r, j), 0, v.noise)
			}
		}
	}
	return prior, data
}

// gradients are ∂/∂G and ∂/∂Θ of the sum of all terms: lnN(Θ) + Θ∘Q and
// G∘(−(Θ−μ_e)/σ_e² + Q) with Q = XᵀR/σ².
func (v *naive) gradients(g, theta []float64) (dg, dtheta []float64) {
	n, d := v.x.Dims()
	dg, dtheta = make([]float64, d*d), make([]float64, d*d)
	for i := range d {
		for j := range d {
			q := 0.0
			for r := range n {
				if !v.masked(r, j) {
					q += v.x.At(r, i) * v.residual(g, theta, r, j) / v.noise
				}
			}
			w := theta[i*d+j]
			dg[i*d+j] = lnNormal(w, v.edgeMean, v.edgeVariance) + w*q
			dtheta[i*d+j] = g[i*d+j] * (q - (w-v.edgeMean)/v.edgeVariance)
		}
	}
	return dg, dtheta
}

// softmax is the vector of weights exp(l_s)/Σ exp(l_r), with ln of the mean.
func softmax(l []float64) (w []float64, logMeanExp float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range l {
		top = math.Max(top, v)
	}
	w = make([]float64, len(l))
	for s, v := range l {
		w[s] = math.Exp(v - top)
		sum += w[s]
	}
	for s := range w {
		w[s] /= sum
	}
	return w, top + math.Log(sum/float64(len(l)))
}

// weights are w_js, one vector over samples for every child, and the estimate
// of log E[exp L]; the joint estimator has one vector for all children.
func (v *naive) weights(terms [][]float64) (w [][]float64, estimate float64) {
	d := v.vars()
	l, total := make([][]float64, d), make([]float64, len(terms))
	for s, ts := range terms {
		for j, x := range ts {
			l[j] = append(l[j], x)
			total[s] += x
		}
	}
	w = make([][]float64, d)
	if v.estimator == models.Joint {
		all, estimate := softmax(total)
		for j := range w {
			w[j] = all
		}
		return w, estimate
	}
	for j := range w {
		e := 0.0
		w[j], e = softmax(l[j])
		estimate += e
	}
	return w, estimate
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// score is the gradient for one particle with Z of shape (d−1, k, 2).
func (v *naive) score(z, theta []float64, alpha float64) (dz, dtheta []float64) {
	d, k, s := v.vars(), v.rank, v.samples
	u := func(i, l int) int { return (i*k + l) * 2 }
	v.probs, v.softGraphs, v.hardGraphs = make([]float64, d*d), make([]float64, s*d*d),
		make([]float64, s*d*d)
	pair := 0
	for j := range d - 1 {
		for i := range j + 1 {
			score := 0.0
			for l := range k {
				score += z[u(i, l)] * z[u(j, l)+1]
			}
			at := i*d + j + 1
			v.probs[at] = sigmoid(alpha * score)
			for n := range s {
				uniform := v.soft[pair*s+n]
				v.softGraphs[n*d*d+at] =
					sigmoid(v.tau * (math.Log(uniform/(1-uniform)) + alpha*score))
				if v.hard[pair*s+n] < v.probs[at] {
					v.hardGraphs[n*d*d+at] = 1
				}
			}
			pair++
		}
	}
	// ∂ log p_graph/∂s through the edge probabilities.
	c := v.priorSlope(v.probs)
	for e, q := range v.probs {
		c[e] *= alpha * q * (1 - q)
	}
	v.softTerms, v.hardTerms = v.sampleTerms(v.softGraphs, theta),
		v.sampleTerms(v.hardGraphs, theta)
	var w [][]float64
	w, v.softEstimate = v.weights(v.softTerms)
	for n := range s {
		g := v.softGraphs[n*d*d:][:d*d]
		dg, _ := v.gradients(g, theta)
		for e, x := range g {
			c[e] += w[e%d][n] * dg[e] * v.tau * alpha * x * (1 - x)
		}
	}
	dz = make([]float64, len(z))
	for i := range z {
		dz[i] = -z[i] * float64(k) // σ_z² = 1/k
	}
	for i := range d - 1 {
		for j := i; j < d-1; j++ {
			for l := range k {
				dz[u(i, l)] += c[i*d+j+1] * z[u(j, l)+1]
				dz[u(j, l)+1] += c[i*d+j+1] * z[u(i, l)]
			}
		}
	}
	dtheta = make([]float64, d*d)
	w, v.hardEstimate = v.weights(v.hardTerms)
	for n := range s {
		_, dt := v.gradients(v.hardGraphs[n*d*d:][:d*d], theta)
		for e, x := range dt {
			dtheta[e] += w[e%d][n] * x
		}
	}
	return dz, dtheta
}

// sampleTerms are L_j of every sample.
func (v *naive) sampleTerms(graphs, theta []float64) [][]float64 {
	d := v.vars()
	terms := make([][]float64, v.samples)
	for n := range terms {
		prior, data := v.terms(graphs[n*d*d:][:d*d], theta)
		terms[n] = prior
		for j, x := range data {
			terms[n][j] += x
		}
	}
	return terms
}
