package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// allGraphs lists the 2^(d(d−1)/2) graphs that are strictly upper triangular,
// d×d each.
func allGraphs(d int) []float64 {
	pairs := d * (d - 1) / 2
	var out []float64
	for code := range 1 << pairs {
		g := make([]float64, d*d)
		bit := 0
		for i := range d {
			for j := i + 1; j < d; j++ {
				g[i*d+j] = float64(code >> bit & 1)
				bit++
			}
		}
		out = append(out, g...)
	}
	return out
}

// An exactProblem is a target small enough to list all graphs, with particles
// that are all equal: each is a repetition with noise of its own.
type exactProblem struct {
	naive
	z, theta, probs []float64
	lik             models.Likelihood
}

// alphaOfExact is the inverse temperature at which the problems are studied.
const alphaOfExact = 1.2

func newExactProblem(t *testing.T, d int) *exactProblem {
	rng := newRand(41)
	p := &exactProblem{naive: naive{noise: 1, edgeVariance: 1, rank: d - 1, tau: 1}}
	p.x = mat.NewDense(6, d, normals(rng, 6*d))
	p.lik = must.Get(models.NewLinear(p.x, nil, models.LinearOptions{NoiseVariance: 1}))(t)
	p.z, p.theta = normals(rng, (d-1)*(d-1)*2), normals(rng, d*d)
	stages := must.Get(p.target(t, models.NodeWise, 1, 1).Stages(p.particles(1), 1))(t)
	p.probs = stages.EdgeProbs
	return p
}

func (p *exactProblem) target(t *testing.T, e models.Estimator,
	particles, samples int) *models.TOBAC {
	return newTOBAC(t, p.lik, models.TOBACConfig{
		Particles: particles, Samples: samples, AlphaRate: alphaOfExact, Estimator: e,
		Prior: models.UniformPrior(), Seed: 17,
	})
}

func (p *exactProblem) particles(m int) []*mat.Dense {
	return []*mat.Dense{repeat(p.z, m), repeat(p.theta, m)}
}

// columnProb is the probability of column j of a graph.
func (p *exactProblem) columnProb(g []float64, j int) float64 {
	d, prob := p.vars(), 1.0
	for i := range j {
		q := p.probs[i*d+j]
		prob *= q*g[i*d+j] + (1-q)*(1-g[i*d+j])
	}
	return prob
}

// exact enumerates all graphs: log E[exp L], its gradient with respect to Θ,
// and S times the variance of its estimate to first order in 1/S,
//
//	joint:      Var(exp L)/E[exp L]²,
//	node-wise:  Σ_j Var(exp L_j)/E[exp L_j]².
func (p *exactProblem) exact() (logMean float64, gradient []float64,
	variance map[models.Estimator]float64) {
	d := p.vars()
	mean, second := 0.0, 0.0
	means, seconds := make([]float64, d), make([]float64, d)
	gradient = make([]float64, d*d)
	all := allGraphs(d)
	for ; len(all) > 0; all = all[d*d:] {
		g := all[:d*d]
		prior, data := p.terms(g, p.theta)
		prob, total := 1.0, 0.0
		for j := range d {
			total += prior[j] + data[j]
			prob *= p.columnProb(g, j)
		}
		mean += prob * math.Exp(total)
		second += prob * math.Exp(2*total)
		for j := range d { // the other columns sum to one
			l := prior[j] + data[j]
			means[j] += prob * math.Exp(l)
			seconds[j] += prob * math.Exp(2*l)
		}
		_, dt := p.gradients(g, p.theta)
		for e, v := range dt {
			gradient[e] += prob * math.Exp(total) * v
		}
	}
	for e := range gradient {
		gradient[e] /= mean
	}
	variance = map[models.Estimator]float64{models.Joint: second/(mean*mean) - 1}
	for j := range d {
		variance[models.NodeWise] += seconds[j]/(means[j]*means[j]) - 1
	}
	return math.Log(mean), gradient, variance
}

// TestEstimatesConverge compares the Monte Carlo estimates of log E[p(D,Θ|G)]
// with the sum over all graphs, as the number of samples S grows: with M equal
// particles as repetitions, the errors' mean square times S is the exact
// variance V of the estimator. To first order its relative standard error is
// √(2/M); the test allows 5 of them, and, for terms of higher order, V/S more.
func TestEstimatesConverge(t *testing.T) {
	const m = 400
	for _, d := range []int{3, 4} {
		p := newExactProblem(t, d)
		want, _, variance := p.exact()
		for _, e := range []models.Estimator{models.NodeWise, models.Joint} {
			for _, s := range []int{128, 1024, 8192} {
				t.Run(fmt.Sprintf("d=%d/%v/S=%d", d, e, s), func(t *testing.T) {
					if testing.Short() && s > 1024 {
						t.Skip("takes long")
					}
					got := must.Get(p.target(t, e, m, s).HardEstimate(p.particles(m), 1))(t)
					squares := 0.0
					for _, g := range got {
						squares += (g - want) * (g - want) / m
					}
					v := variance[e]
					if ratio, allowed := squares*float64(s)/v,
						5*math.Sqrt(2./m)+v/float64(s); !(math.Abs(ratio-1) <= allowed) {
						t.Errorf("mean square error times S over V is %v, want 1 ± %v (V = %v)",
							ratio, allowed, v)
					}
				})
			}
		}
	}
}

// TestNodeWiseIsBetter compares the errors of both estimators' gradients with
// respect to Θ against the sum over all graphs, with the same samples.
func TestNodeWiseIsBetter(t *testing.T) {
	const m, s = 300, 64
	p := newExactProblem(t, 4)
	_, want, _ := p.exact()
	rms := func(e models.Estimator) float64 {
		got := score(t, p.target(t, e, m, s), p.particles(m), 1)[1]
		squares := 0.0
		for i := range m {
			for k, v := range got.RawRowView(i) {
				squares += (v - want[k]) * (v - want[k])
			}
		}
		return math.Sqrt(squares / float64(m*len(want)))
	}
	joint, nodeWise := rms(models.Joint), rms(models.NodeWise)
	if !(nodeWise < 0.7*joint) {
		t.Errorf("error of the gradient: node-wise %v, joint %v, want clearly less", nodeWise,
			joint)
	}
}
