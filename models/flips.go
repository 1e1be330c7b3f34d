package models

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/autograd"
	"tobac/internal/parallel"
	"tobac/internal/words"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Flippable is implemented by likelihoods that evaluate a set of parents with all sets one edge
// away faster than expressions do. [Flips] uses it with the estimator NodeWise; without it the
// terms are evaluated for every flip.
type Flippable interface {
	Likelihood
	// Flipper is such an evaluation, for one goroutine at a time; nil means this likelihood has
	// none after all.
	Flipper() Flipper
}

// A Term is term j of a likelihood: its parts log p(Θ_j|G) and log p(D_j|G,Θ_j).
type Term struct {
	Prior, Data float64
	// Volume is an approximate ½ ln |2π H⁻¹| of the parameters that belong to the edges of the
	// graph, with H the curvature of the log posterior; 0 means there are none, or it is not known.
	// See [LaplaceEdges].
	Volume float64
}

// EdgeParameters says how a flip counts the parameters that belong to its edge, such as the first
// weights of a network.
type EdgeParameters int

const (
	// DensityOfEdges counts them by their prior density at the particle's values, as published.
	DensityOfEdges EdgeParameters = iota
	// LaplaceEdges multiplies this by the volume of their posterior, edge by edge, in Laplace's
	// approximation, so that an edge weighs by an evidence. Densities alone put an edge whose
	// weights the data leave open at a disadvantage of (2π)^(h/2) for h weights. It is for flips by
	// likelihoods that know such volumes; others are left as they are.
	LaplaceEdges
)

var edgeParameterNames = []string{"density", "laplace"}

// String is the name of the choice on the command line.
func (e EdgeParameters) String() string {
	return words.Name(e, edgeParameterNames...)
}

// A Flipper evaluates terms of a likelihood at graphs without soft edges.
type Flipper interface {
	// Set makes theta the parameters; nil without any. It may keep theta until the next call.
	Set(theta []float64)
	// Terms writes term j of the graphs in which variable j has the parents of which in is true, to
	// dst[0], and to dst[1+k] those of the graph in which the edge flips[k] → j is added, or
	// removed if it is there. in is as it was when it returns.
	Terms(dst []Term, j int, in []bool, flips []int)
	// AddGradient adds weight·∂/∂Θ (prior + beta·data) of term j to dst, of as many numbers as
	// there are parameters.
	AddGradient(dst []float64, j int, in []bool, weight, beta float64)
}

// flipper is the evaluation of flips by a likelihood, nil if expressions do it.
func (t *TOBAC) flipper() Flipper {
	f, ok := t.lik.(Flippable)
	if !ok || t.cfg.Gradient != Flips || t.cfg.Estimator != NodeWise {
		return nil
	}
	return f.Flipper()
}

// A flipScorer computes the flip gradients of all particles. For the free pair i → j with the
// probability p = σ(αs) and the samples A_s of the parents of j, with F₊ = (1/S) Σ_s f_j(A_s ∪ i)
// and F₋ = (1/S) Σ_s f_j(A_s ∖ i),
//
//	∂/∂(αs) log E[f_j] ≈ p(1−p)(F₊ − F₋)/(p F₊ + (1−p) F₋) = q − p,   q = σ(αs + ln F₊ − ln F₋).
//
// Numerator and denominator are both unbiased, the second because A_s ∪ i and A_s ∖ i have the
// probabilities p and 1−p whatever the rest; the ratio lies in [−1, 1]. Gradients with respect to Θ
// are softmax-weighted means over the same samples.
type flipScorer struct {
	t       *TOBAC
	prior   ModularPrior // nil means outside
	workers []*flipWorker
	first   []int // pairs of child j: first[j] to first[j+1], numbered as by embedding
	parent  []int // of each pair
	certain [][]int
	flips   *mat.Dense // M×pairs: q − p
}

// newFlipScorer returns nil if expressions evaluate the flips.
func newFlipScorer(t *TOBAC) *flipScorer {
	if t.flipper() == nil {
		return nil
	}
	d := t.lik.Vars()
	s := &flipScorer{t: t, first: make([]int, d+1), certain: make([][]int, d),
		flips: mat.NewDense(t.cfg.Particles, t.emb.pairs(), nil)}
	if t.cfg.PriorPlace == PriorInside {
		s.prior = t.cfg.Prior.(ModularPrior)
	}
	if !t.emb.decided() {
		for p, cell := range t.emb.cells() {
			s.parent = append(s.parent, cell/d)
			s.first[cell%d+1] = p + 1
		}
	}
	for j := range d {
		s.first[j+1] = max(s.first[j+1], s.first[j])
	}
	for _, cell := range t.emb.certain() {
		s.certain[cell%d] = append(s.certain[cell%d], cell/d)
	}
	for range t.cfg.Workers {
		s.workers = append(s.workers, s.newWorker())
	}
	return s
}

// A flipWorker has the memory of one goroutine.
type flipWorker struct {
	flipper Flipper
	uniform []float64
	logit   []float64 // of the pairs
	prob    []float64 // σ(logit)
	in      []bool
	parents []int // of a sample
	flipped []int
	samples map[string]int // places of the distinct samples of a child
	key     []byte
	sets    [][]bool
	counts  []float64
	terms   []Term
	base    []float64 // log count + term, by distinct sample
	plus    []float64 // with and without each parent: pairs × distinct samples
	minus   []float64
}

func (s *flipScorer) newWorker() *flipWorker {
	d, n := s.t.lik.Vars(), s.t.cfg.Samples
	w := &flipWorker{flipper: s.t.flipper(), uniform: make([]float64, s.t.emb.pairs()*n),
		logit: make([]float64, s.t.emb.pairs()), prob: make([]float64, s.t.emb.pairs()),
		in:      make([]bool, d),
		samples: map[string]int{}, key: make([]byte, d), counts: make([]float64, 0, n),
		terms: make([]Term, d+1), base: make([]float64, n), plus: make([]float64, d*n),
		minus: make([]float64, d*n)}
	for range n {
		w.sets = append(w.sets, make([]bool, d))
	}
	return w
}

// score fills the flips, and gradients with respect to Θ into theta, if that is not nil.
func (s *flipScorer) score(theta *mat.Dense, x []*mat.Dense) error {
	m := s.t.cfg.Particles
	workers := min(len(s.workers), m)
	// A worker takes every workers-th particle: which one computes a particle does not matter to
	// its bits.
	return parallel.For(context.Background(), workers, workers, func(k int) error {
		for r := k; r < m; r += workers {
			var grad []float64
			if theta != nil {
				grad = theta.RawRowView(r)
				clear(grad)
				s.workers[k].flipper.Set(x[1].RawRowView(r))
			} else {
				s.workers[k].flipper.Set(nil)
			}
			s.particle(s.workers[k], r, x[0].RawRowView(r), grad)
			if i := notFinite(grad); i >= 0 {
				return fmt.Errorf("models: particle %d: the gradient of parameter %d is %v, %w", r,
					i, grad[i], ErrNotFinite)
			}
			if i := notFinite(s.flips.RawRowView(r)); i >= 0 {
				return fmt.Errorf("models: particle %d: the flip gradient of pair %d is %v, %w", r,
					i, s.flips.At(r, i), ErrNotFinite)
			}
		}
		return nil
	})
}

// notFinite is the place of the first number that is not finite; -1: all are.
func notFinite(v []float64) int {
	for i, x := range v {
		if x-x != 0 {
			return i
		}
	}
	return -1
}

// particle does one particle, whose parameters are set.
func (s *flipScorer) particle(w *flipWorker, r int, z, grad []float64) {
	t := s.t
	t.emb.logits(w.logit, z, t.alpha[0])
	for p, l := range w.logit {
		w.prob[p] = 1 / (1 + math.Exp(-l))
	}
	t.noise.Fill(w.uniform, SoftGraphs, t.step, r)
	for j := range t.lik.Vars() {
		s.child(w, j, s.flips.RawRowView(r), grad)
	}
}

// child does the pairs and the parameters of one child.
func (s *flipScorer) child(w *flipWorker, j int, flips, grad []float64) {
	from, to := s.first[j], s.first[j+1]
	if from == to && grad == nil {
		return
	}
	parents := s.parent[from:to]
	s.sample(w, j)
	n := len(w.counts)
	for u, count := range w.counts {
		in := w.sets[u]
		w.flipper.Terms(w.terms[:1+len(parents)], j, in, parents)
		w.parents = parentsOf(w.parents[:0], in)
		logCount := math.Log(count)
		w.base[u] = logCount + s.term(j, w.parents, w.terms[0])
		for k, i := range parents {
			has := in[i]
			w.flipped = withFlip(w.flipped[:0], w.parents, i)
			flipped := logCount + s.term(j, w.flipped, w.terms[1+k])
			if has {
				w.plus[k*n+u], w.minus[k*n+u] = w.base[u], flipped
			} else {
				w.plus[k*n+u], w.minus[k*n+u] = flipped, w.base[u]
			}
		}
	}
	for k := range parents {
		ratio := logRatio(w.plus[k*n:(k+1)*n], w.minus[k*n:(k+1)*n])
		flips[from+k] = 1/(1+math.Exp(-w.logit[from+k]-ratio)) - w.prob[from+k]
	}
	if grad == nil {
		return
	}
	total := floats.LogSumExp(w.base[:n])
	const negligible = 1e-14 // weights below which a sample adds nothing
	for u := range n {
		if weight := math.Exp(w.base[u] - total); weight > negligible {
			w.flipper.AddGradient(grad, j, w.sets[u], weight, s.t.temper[0])
		}
	}
}

// logRatio is ln Σ e^a − ln Σ e^b, 0 where both sums are 0.
func logRatio(a, b []float64) float64 {
	x, y := floats.LogSumExp(a), floats.LogSumExp(b)
	if math.IsInf(x, -1) && math.IsInf(y, -1) {
		return 0
	}
	return x - y
}

// term is the logarithm of f_j, with the graph prior if it is inside.
func (s *flipScorer) term(j int, parents []int, v Term) float64 {
	sum := v.Prior + s.t.temper[0]*v.Data
	if s.t.cfg.EdgeParameters == LaplaceEdges {
		sum += v.Volume
	}
	if s.prior != nil {
		sum += s.prior.Term(s.t.lik.Vars(), j, parents)
	}
	return sum
}

// withFlip appends the ascending list with i added, or removed if it is there.
func withFlip(dst, list []int, i int) []int {
	at, found := slices.BinarySearch(list, i)
	dst = append(dst, list[:at]...)
	if found {
		return append(dst, list[at+1:]...)
	}
	return append(append(dst, i), list[at:]...)
}

// sample draws the sets of parents of a child, and counts equal ones.
func (s *flipScorer) sample(w *flipWorker, j int) {
	clear(w.samples)
	w.counts = w.counts[:0]
	from, to, n := s.first[j], s.first[j+1], s.t.cfg.Samples
	for q := range n {
		for i := range w.in {
			w.in[i] = false
		}
		for _, i := range s.certain[j] {
			w.in[i] = true
		}
		for e := from; e < to; e++ {
			w.in[s.parent[e]] = w.uniform[e*n+q] < w.prob[e]
		}
		for i, v := range w.in {
			w.key[i] = 0
			if v {
				w.key[i] = 1
			}
		}
		at, known := w.samples[string(w.key)]
		if !known {
			at = len(w.counts)
			w.samples[string(w.key)] = at
			copy(w.sets[at], w.in)
			w.counts = append(w.counts, 0)
		}
		w.counts[at]++
	}
}

// flipExpression is Σ (q − p)·αs over the free pairs, q − p held constant, for likelihoods of which
// expressions evaluate the flips: for every variable i the terms of the samples in which i is a
// parent of all variables that it can be a parent of, and of none.
func (t *TOBAC) flipExpression(e *expressions, logits, graph, terms *autograd.Node,
	sample *autograd.Axis, parent *autograd.Axis) *autograd.Node {
	d, b, emb := t.lik.Vars(), e.b, t.emb
	shape := autograd.Shape{d, d}
	free, certain := make([]float64, d*d), make([]float64, d*d)
	if !emb.decided() {
		for _, cell := range emb.cells() {
			free[cell] = 1
		}
	}
	for _, cell := range emb.certain() {
		certain[cell] = 1
	}
	e.rows = b.Input("row", shape, parent)
	own := e.rows.Mul(b.Constant(free, shape))
	without := graph.Sub(graph.Mul(own))
	with := without.Add(own)
	whole := func(g *autograd.Node) *autograd.Node {
		flipped := t.terms(e, g)
		if t.cfg.Estimator == Joint {
			flipped = flipped.Add(terms.Sum().Sub(terms))
		}
		return flipped.StopGradient().LogMeanExpOver(sample)
	}
	difference := whole(with).Sub(whole(without)) // by child
	at := e.rows.Mul(emb.scatter(logits)).Sum(0)  // logits of the pairs i → j
	usable := own.Sum(0)
	flips := at.Add(difference).Sigmoid().Sub(at.Sigmoid()).Mul(usable)
	return flips.StopGradient().Mul(at).Sum().SumOver(parent)
}

// parentsOf appends the places of true.
func parentsOf(dst []int, in []bool) []int {
	for i, v := range in {
		if v {
			dst = append(dst, i)
		}
	}
	return dst
}
