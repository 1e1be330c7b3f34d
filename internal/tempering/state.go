package tempering

import (
	"math"

	"tobac/internal/ridge"
	"tobac/internal/vector"
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
	power     float64   // β of the density of y within an evidence: 1, or that of a population
	proposal  []float64 // pre-activations that are proposed, units × rows
	phi       []float64 // activations, as in a state
	gram      []float64
	direction []float64 // of elliptical slice sampling: pre-activations, one row
	dots      []float64 // of a row with all of them
	curved    curved
	weights   []float64 // of a proposed edge, by unit
	ellipse   []float64 // weights of the direction, by candidate
	parents   []int
	list      []int // parents and others by place among the candidates
}

func (v *node) newWorker() *worker {
	p, h, k := len(v.candidates), v.units, v.features+1
	return &worker{
		node: v, power: 1, solver: ridge.New(v.features), proposal: make([]float64, h*v.n),
		phi: make([]float64, k*v.n), gram: make([]float64, k*k),
		direction: make([]float64, v.n), dots: make([]float64, k), weights: make([]float64, h),
		ellipse: make([]float64, p), parents: make([]int, 0, p), list: make([]int, 0, p),
		curved: v.newCurved(),
	}
}

// unitProducts computes the products of row a of phi with all rows.
func (w *worker) unitProducts(phi []float64, a int) {
	w.times(w.dots, phi, phi[a*w.n:(a+1)*w.n])
}

// putProducts writes what unitProducts has computed to a Gram matrix.
func (w *worker) putProducts(gram []float64, a int) {
	k := w.features + 1
	for c, v := range w.dots {
		gram[max(a, c)*k+min(a, c)] = v
	}
}

// times writes the products of rows with one of them to dst.
func (w *worker) times(dst, rows, x []float64) {
	w.kernels.MulVec(dst,
		vector.Strided{Rows: len(dst), Cols: w.n, Row: w.n, Col: 1, Data: rows}, x)
}

// products writes the products of all rows of phi with the first m.
func (w *worker) products(gram, phi []float64, m int) {
	k := w.features + 1
	for c := range m {
		w.times(w.dots[c:], phi[c*w.n:], phi[c*w.n:(c+1)*w.n])
		for a, v := range w.dots[c:] {
			gram[(c+a)*k+c] = v
		}
	}
}

// logEvidence is log ∫ p(w) p(y|w)^β dw over the output layer, with the factor of the exponents of
// the worker, given a Gram matrix; −∞ where it is not a number. With β = 1 it is log p(y).
func (w *worker) logEvidence(gram []float64, logs float64) float64 {
	if w.n == 0 {
		return 0
	}
	return w.tempered(w.solver.LogEvidence(gram, w.n, math.Exp(logs)/w.power), logs)
}

// tempered is a log evidence given the log density of y with the variance σ²/β.
func (w *worker) tempered(log, logs float64) float64 {
	if w.power != 1 { // N(y; Φw, σ²)^β is N(y; Φw, σ²/β) times a number
		log += float64(w.n) / 2 * ((1-w.power)*(log2Pi+logs) - math.Log(w.power))
	}
	if math.IsNaN(log) {
		return math.Inf(-1)
	}
	return log
}

var log2Pi = math.Log(2 * math.Pi)

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
