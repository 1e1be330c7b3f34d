package tempering

import (
	"math"

	"tobac/internal/ridge"
)

// A state is a network without its last layer: parents, weights and biases of the units, and what
// follows from them.
type state struct {
	in      []bool    // candidates that are parents
	weights []float64 // candidate by unit; those of others than parents mean nothing
	biases  []float64
	logs    float64 // ln σ²

	pre  []float64 // unit by row, before the activation
	phi  []float64 // σ_p times the columns of Φ, and y: one row of n numbers for each
	gram []float64 // of these, lower triangle

	prior    float64 // ln ρ of the parents
	evidence float64 // log p(y | W, b, σ²)
}

func (v *node) newState() *state {
	p, h, k := len(v.candidates), v.units, v.features+1
	s := &state{in: make([]bool, p), weights: make([]float64, p*h), biases: make([]float64, h),
		pre: make([]float64, h*v.n), phi: make([]float64, k*v.n), gram: make([]float64, k*k)}
	if !v.cfg.NoBias {
		one := s.phi[h*v.n : (h+1)*v.n]
		for r := range one {
			one[r] = v.scale
		}
	}
	copy(s.phi[v.features*v.n:], v.y)
	return s
}

// copyTo makes dst the same state.
func (s *state) copyTo(dst *state) {
	copy(dst.in, s.in)
	copy(dst.weights, s.weights)
	copy(dst.biases, s.biases)
	copy(dst.pre, s.pre)
	copy(dst.phi, s.phi)
	copy(dst.gram, s.gram)
	dst.logs, dst.prior, dst.evidence = s.logs, s.prior, s.evidence
}

// A worker has the memory of one goroutine for the moves of a node.
type worker struct {
	*node
	solver    *ridge.Solver
	proposal  []float64 // pre-activations that are proposed, units × rows
	phi       []float64 // activations, as in a state
	gram      []float64
	direction []float64 // of elliptical slice sampling: pre-activations, one row
	product   []float64 // of two rows, element by element
	weights   []float64 // of a proposed edge, by unit
	ellipse   []float64 // weights of the direction, by candidate
	parents   []int
	list      []int // parents and others by place among the candidates
}

func (v *node) newWorker() *worker {
	p, h, k := len(v.candidates), v.units, v.features+1
	return &worker{
		node: v, solver: ridge.New(v.features), proposal: make([]float64, h*v.n),
		phi: make([]float64, k*v.n), gram: make([]float64, k*k),
		direction: make([]float64, v.n), product: make([]float64, v.n), weights: make([]float64, h),
		ellipse: make([]float64, p), parents: make([]int, 0, p), list: make([]int, 0, p),
	}
}

// dot is the inner product of two rows.
func (w *worker) dot(x, y []float64) float64 {
	w.kernels.MulEach(w.product, x, y)
	return w.kernels.Sum(w.product)
}

// unitProducts writes the products of row a of phi with all rows to a Gram matrix.
func (w *worker) unitProducts(gram, phi []float64, a int) {
	k := w.features + 1
	row := phi[a*w.n : (a+1)*w.n]
	for c := range k {
		v := w.dot(row, phi[c*w.n:(c+1)*w.n])
		gram[max(a, c)*k+min(a, c)] = v
	}
}

// products writes the products of all rows of phi with the first m.
func (w *worker) products(gram, phi []float64, m int) {
	k := w.features + 1
	for a := range k {
		for c := range min(a+1, m) {
			gram[a*k+c] = w.dot(phi[a*w.n:(a+1)*w.n], phi[c*w.n:(c+1)*w.n])
		}
	}
}

// logEvidence is log p(y) given a Gram matrix, −∞ where it is not a number.
func (w *worker) logEvidence(gram []float64, logs float64) float64 {
	if w.n == 0 {
		return 0
	}
	e := w.solver.LogEvidence(gram, w.n, math.Exp(logs))
	if math.IsNaN(e) {
		return math.Inf(-1)
	}
	return e
}

// refresh computes everything anew from parents, weights and biases.
func (w *worker) refresh(s *state) {
	for a := range w.units {
		pre := s.pre[a*w.n : (a+1)*w.n]
		for r := range pre {
			pre[r] = s.biases[a]
		}
		for i, in := range s.in {
			if in {
				w.kernels.AddScaled(pre, pre, s.weights[i*w.units+a], w.row(i))
			}
		}
	}
	w.activate(s.phi[:w.units*w.n], s.pre)
	w.products(s.gram, s.phi, w.features+1)
	s.prior = w.logPrior(s)
	s.evidence = w.logEvidence(s.gram, s.logs)
}

// logPrior is ln ρ of the parents.
func (w *worker) logPrior(s *state) float64 {
	w.parents = w.parents[:0]
	for i, in := range s.in {
		if in {
			w.parents = append(w.parents, w.candidates[i])
		}
	}
	return w.prior.LogPrior(w.column, w.parents)
}
