package bench

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// Ensemble is a posterior over graphs in particles. Build it with [Empirical],
// [Mixture] or [Mix]. The graphs, at least one, have the same number of vertices and
// may hold cycles; equal graphs are not merged. Graphs and LogWeights have the
// same length, and log weights are finite; methods panic on lengths or sizes
// that differ.
type Ensemble struct {
	Graphs     []*dag.Graph
	LogWeights []float64 // log w_m; Σ_m w_m = 1
}

// Empirical gives every graph the weight 1/M. It keeps the slice. It panics if
// graphs is empty or their numbers of vertices differ.
func Empirical(graphs []*dag.Graph) *Ensemble {
	checkSizes(graphs)
	e := &Ensemble{Graphs: graphs, LogWeights: make([]float64, len(graphs))}
	for m := range e.LogWeights {
		e.LogWeights[m] = -math.Log(float64(len(graphs)))
	}
	return e
}

// Mixture weighs graph m in proportion to exp(logDensity[m]), normalised by
// log-sum-exp. TOBAC+ and DiBS+ take log p(Θ_m, D | G_m) on the training data;
// where graphs have a closed-form score, log p(D | G_m); add log p(G_m) for
// weights that follow the posterior. One particle usually gets nearly all the
// weight. Mixture keeps graphs but not logDensity. It fails if a log density is
// NaN or infinite, and panics if graphs is empty or lengths or numbers of
// vertices differ.
func Mixture(graphs []*dag.Graph, logDensity []float64) (*Ensemble, error) {
	checkSizes(graphs)
	if len(logDensity) != len(graphs) {
		panic(fmt.Sprintf("bench: %d log densities for %d graphs", len(logDensity), len(graphs)))
	}
	if err := checkFinite("log density", logDensity); err != nil {
		return nil, err
	}
	return &Ensemble{Graphs: graphs, LogWeights: normalise(logDensity)}, nil
}

// Mix puts ensembles together: particle m of part k has the weight W_k·w_m, where
// W_k is proportional to exp(logWeight[k]). It panics if there is no part, if
// lengths or numbers of vertices differ, or if a log weight is NaN or infinite.
func Mix(parts []*Ensemble, logWeight []float64) *Ensemble {
	if len(parts) == 0 || len(logWeight) != len(parts) {
		panic(fmt.Sprintf("bench: %d log weights for %d ensembles", len(logWeight), len(parts)))
	}
	for k, w := range logWeight {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			panic(fmt.Sprintf("bench: log weight of part %d is %v, want a finite number", k, w))
		}
	}
	out := &Ensemble{}
	for k, w := range normalise(logWeight) {
		out.Graphs = append(out.Graphs, parts[k].Graphs...)
		for _, l := range parts[k].LogWeights {
			out.LogWeights = append(out.LogWeights, w+l)
		}
	}
	checkSizes(out.Graphs)
	return out
}

// normalise returns log w_m with Σ w_m = 1 in proportion to exp(logw_m).
func normalise(logw []float64) []float64 {
	// Shifting the largest to 0 first keeps digits that log-sum-exp of large
	// values would round away.
	out := append([]float64(nil), logw...)
	floats.AddConst(-floats.Max(logw), out)
	floats.AddConst(-floats.LogSumExp(out), out)
	return out
}

// uniform reports whether all weights are exactly equal; sums over particles
// are then divisions of integers.
func (e *Ensemble) uniform() bool {
	for _, w := range e.LogWeights {
		if w != e.LogWeights[0] {
			return false
		}
	}
	return true
}

// Weights returns w_m: exactly 1/M each if they are all equal. Weights below
// about 1e-308 of the largest underflow to 0.
func (e *Ensemble) Weights() []float64 {
	w := make([]float64, len(e.LogWeights))
	if e.uniform() {
		for m := range w {
			w[m] = 1 / float64(len(w))
		}
		return w
	}
	for m, l := range normalise(e.LogWeights) {
		w[m] = math.Exp(l)
	}
	return w
}

// expectation returns Σ_m w_m f(G_m) for an integer f: rounded once if weights
// are equal.
func (e *Ensemble) expectation(f func(g *dag.Graph) int) float64 {
	if e.uniform() {
		sum := 0
		for _, g := range e.Graphs {
			sum += f(g)
		}
		return float64(sum) / float64(len(e.Graphs))
	}
	sum := 0.0
	for m, w := range e.Weights() {
		sum += w * float64(f(e.Graphs[m]))
	}
	return sum
}

// EffectiveSampleSize returns 1/Σ_m w_m², from 1 for one particle with all the
// weight to M for equal weights.
func (e *Ensemble) EffectiveSampleSize() float64 {
	if e.uniform() {
		return float64(len(e.Graphs))
	}
	w := e.Weights()
	return 1 / floats.Dot(w, w)
}

// ExpectedEdges returns Σ_m w_m |E(G_m)|.
func (e *Ensemble) ExpectedEdges() float64 {
	return e.expectation((*dag.Graph).Size)
}

// EdgeProbabilities returns the d×d matrix P_ij = Σ_m w_m G_m[i][j]. With equal
// weights its entries are counts divided by M, so that equal counts give equal
// probabilities.
func (e *Ensemble) EdgeProbabilities() *mat.Dense {
	d := checkSizes(e.Graphs)
	if d == 0 {
		return &mat.Dense{}
	}
	p := make([]float64, d*d)
	weights, total := e.Weights(), 1.0
	if e.uniform() {
		for m := range weights {
			weights[m] = 1
		}
		total = float64(len(weights))
	}
	for m, g := range e.Graphs {
		for _, edge := range g.Edges() {
			p[edge.From*d+edge.To] += weights[m]
		}
	}
	for i := range p {
		p[i] = math.Min(p[i]/total, 1) // a rounded sum of weights may exceed 1
	}
	return mat.NewDense(d, d, p)
}

// Acyclic returns the particles without a cycle, weights renormalised, and
// their indices in e. Both are nil if every particle has a cycle.
func (e *Ensemble) Acyclic() (kept *Ensemble, index []int) {
	var graphs []*dag.Graph
	var logw []float64
	for m, g := range e.Graphs {
		if g.Acyclic() {
			graphs = append(graphs, g)
			logw = append(logw, e.LogWeights[m])
			index = append(index, m)
		}
	}
	if index == nil {
		return nil, nil
	}
	return &Ensemble{Graphs: graphs, LogWeights: normalise(logw)}, index
}

// checkSizes returns the common number of vertices and panics if there is none.
func checkSizes(graphs []*dag.Graph) int {
	if len(graphs) == 0 {
		panic("bench: no graphs")
	}
	for m, g := range graphs {
		if g.Len() != graphs[0].Len() {
			panic(fmt.Sprintf("bench: graph %d has %d vertices, graph 0 has %d", m, g.Len(), graphs[0].Len()))
		}
	}
	return graphs[0].Len()
}

// checkFinite returns an error for the first value that is NaN or infinite.
func checkFinite(what string, values []float64) error {
	for m, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("bench: %s of particle %d is %g, want a finite number", what, m, v)
		}
	}
	return nil
}
