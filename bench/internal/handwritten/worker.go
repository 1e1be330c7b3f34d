package handwritten

import (
	"math"
	"slices"

	"tobac/models"
)

// negligible is the logarithm of a softmax weight below 1e-14.
const negligible = -33

// A worker has the memory for the score of one particle.
type worker struct {
	*Target
	model    model
	z, theta []float64 // the particle
	alpha    float64
	purpose  models.Purpose // soft or hard graphs

	u, v          []float64 // latent vectors, (d−1)×k each
	logit, probs  []float64 // x = α·u_i·v_j of the edges and σ(x), pair by pair
	present, lack []float64 // eˣ as a ratio of two numbers ≤ 1, pair by pair
	slope         []float64 // derivative with respect to the scores, pair by pair
	noise         []float64 // pairs×S
	graph         []float64 // d×S: samples of the edges into one variable
	terms         []float64 // S: L
	active        []int     // samples with weight
	weight        []float64 // their weights
	parents, dg   []float64 // d: edges of one sample into one variable, and the derivatives
}

func newWorker(t *Target, m model) *worker {
	d, k, s := t.d, t.cfg.Rank, t.cfg.Samples
	pairs := d * (d - 1) / 2
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &worker{
		Target: t, model: m,
		u: zeros((d - 1) * k), v: zeros((d - 1) * k),
		logit: zeros(pairs), probs: zeros(pairs), present: zeros(pairs), lack: zeros(pairs), slope: zeros(pairs),
		noise: zeros(pairs * s), graph: zeros(d * s),
		terms: zeros(s), active: make([]int, 0, s), weight: zeros(s)[:0], parents: zeros(d), dg: zeros(d),
	}
}

// run takes particles until none is left.
func (w *worker) run() {
	for {
		m := int(w.next.Add(1)) - 1
		if m >= w.cfg.Particles {
			return
		}
		w.score(w.dst[0].RawRowView(m), w.dst[1].RawRowView(m), m)
	}
}

// score writes the gradients of particle m.
func (w *worker) score(dz, dtheta []float64, m int) {
	w.z, w.theta = w.x[0].RawRowView(m), w.x[1].RawRowView(m)
	w.alpha = w.cfg.AlphaRate * float64(w.step)
	w.embed()
	w.graphPrior()
	w.estimate(models.SoftGraphs, m, nil)
	w.latentGradient(dz)
	clear(dtheta)
	for j := range w.d {
		w.model.prepare(w.theta, j)
		w.model.addFixedGradient(dtheta)
	}
	w.estimate(models.HardGraphs, m, dtheta)
}

// pair is the number of the edge i → j, child by child.
func (w *worker) pair(i, j int) int { return j*(j-1)/2 + i }

// embed computes logits and probabilities of all edges: the score of i → j is
// u_i·v_{j−1}.
func (w *worker) embed() {
	k := w.cfg.Rank
	for i := range w.u {
		w.u[i], w.v[i] = w.z[2*i], w.z[2*i+1]
	}
	e := 0
	for j := range w.d - 1 {
		for i := range j + 1 {
			x := w.alpha * dot(w.u[i*k:][:k], w.v[j*k:][:k])
			w.present[e], w.lack[e] = 1, math.Exp(-math.Abs(x))
			if x < 0 {
				w.present[e], w.lack[e] = w.lack[e], 1
			}
			w.logit[e], w.probs[e] = x, w.present[e]/(w.present[e]+w.lack[e])
			e++
		}
	}
}

// graphPrior starts slope with the derivative of the graph prior.
func (w *worker) graphPrior() {
	switch prior := w.cfg.Prior.(type) {
	case models.ErdosRenyi:
		slope := math.Log(prior.EdgeProbability) - math.Log1p(-prior.EdgeProbability)
		for e := range w.slope {
			w.slope[e] = slope
		}
	case models.ScaleFree:
		for j := range w.d {
			parents := 1.0
			for i := range j {
				parents += w.probs[w.pair(i, j)]
			}
			for i := range j {
				w.slope[w.pair(i, j)] = -3 / parents
			}
		}
	case models.UniformPrior:
		clear(w.slope)
	}
	for e, p := range w.probs {
		w.slope[e] *= w.alpha * p * (1 - p)
	}
}

// latentGradient contracts slope with the latent vectors and adds the prior's
// −Z/σ_z² = −k·Z.
func (w *worker) latentGradient(dz []float64) {
	k := w.cfg.Rank
	for i, z := range w.z {
		dz[i] = -float64(k) * z
	}
	e := 0
	for j := range w.d - 1 {
		dv, v := dz[2*j*k:][:2*k], w.v[j*k:][:k]
		for i := range j + 1 {
			c, du, u := w.slope[e], dz[2*i*k:][:2*k], w.u[i*k:][:k]
			for l := range u {
				du[2*l] += c * v[l]
				dv[2*l+1] += c * u[l]
			}
			e++
		}
	}
}

// estimate differentiates the estimate of log E[exp L] over soft graphs, adding to
// slope, or over hard ones, adding to dtheta.
func (w *worker) estimate(purpose models.Purpose, m int, dtheta []float64) {
	w.purpose = purpose
	w.cfg.Noise.Fill(w.noise, purpose, w.step, m)
	if w.cfg.Estimator == models.NodeWise {
		for j := 1; j < w.d; j++ {
			clear(w.terms)
			w.model.prepare(w.theta, j)
			w.addTerm(j)
			w.softmax()
			w.gradient(j, dtheta)
		}
		return
	}
	clear(w.terms)
	for j := 1; j < w.d; j++ {
		w.model.prepare(w.theta, j)
		w.addTerm(j)
	}
	w.softmax()
	for j := 1; j < w.d; j++ {
		w.model.prepare(w.theta, j)
		w.gradient(j, dtheta)
	}
}

// sample turns uniform numbers into samples of edge e.
func (w *worker) sample(dst, u []float64, e int) {
	switch {
	case w.purpose == models.HardGraphs:
		hard(dst, u, w.probs[e])
	case w.cfg.Tau == 1:
		soft(dst, u, w.present[e], w.lack[e])
	default:
		softTempered(dst, u, w.logit[e], w.cfg.Tau)
	}
}

// addTerm adds L_j of all samples to terms.
func (w *worker) addTerm(j int) {
	s := w.cfg.Samples
	for i := range j {
		e := w.pair(i, j)
		w.sample(w.graph[i*s:][:s], w.noise[e*s:][:s], e)
	}
	w.model.addTerms(w.terms, w.graph[:j*s], w.purpose)
}

// softmax lists the active samples and their weights.
func (w *worker) softmax() {
	top := slices.Max(w.terms) // NaN if there is one
	w.active, w.weight = w.active[:0], w.weight[:0]
	sum := 0.0
	for s, l := range w.terms {
		if !(l-top <= negligible) { // a NaN is not dropped
			e := math.Exp(l - top)
			w.active, w.weight = append(w.active, s), append(w.weight, e)
			sum += e
		}
	}
	for k := range w.weight {
		w.weight[k] /= sum
	}
}

// gradient adds the weighted derivatives of L_j of all active samples: to slope for
// soft graphs, to dtheta for hard ones.
func (w *worker) gradient(j int, dtheta []float64) {
	g, dg := w.parents[:j], w.dg[:j]
	for k, sample := range w.active {
		for i := range g {
			e := w.pair(i, j)
			at := e*w.cfg.Samples + sample
			w.sample(g[i:i+1], w.noise[at:at+1], e)
		}
		p := w.weight[k]
		if w.purpose == models.HardGraphs {
			w.model.addParamGradient(dtheta, g, p)
			continue
		}
		w.model.edgeGradient(dg, g)
		p *= w.alpha * w.cfg.Tau
		for i, gi := range g {
			w.slope[w.pair(i, j)] += p * gi * (1 - gi) * dg[i]
		}
	}
}
