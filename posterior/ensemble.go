package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// Ensemble is a weighted set of graphs. Build it with [Uniform], [Weighted], or
// the methods of [Posterior]. The graphs, at least one, have the same number of
// vertices and may hold cycles; equal graphs are not merged. Graphs and
// LogWeights have the same length, and log weights are finite; methods panic on
// lengths or sizes that differ.
type Ensemble struct {
	Graphs     []*dag.Graph
	LogWeights []float64 // log w_m; Σ_m w_m = 1
}

// Uniform gives every graph the weight 1/M. It keeps the slice. It panics if
// graphs is empty or their numbers of vertices differ.
func Uniform(graphs []*dag.Graph) *Ensemble {
	checkSizes(graphs)
	e := &Ensemble{Graphs: graphs, LogWeights: make([]float64, len(graphs))}
	for m := range e.LogWeights {
		e.LogWeights[m] = -math.Log(float64(len(graphs)))
	}
	return e
}

// Weighted gives graph m a weight in proportion to exp(logDensity[m]), normalised
// by log-sum-exp. It keeps graphs but not logDensity. It fails if a log density
// is NaN or infinite, and panics if graphs is empty or lengths or numbers of
// vertices differ.
func Weighted(graphs []*dag.Graph, logDensity []float64) (*Ensemble, error) {
	checkSizes(graphs)
	if len(logDensity) != len(graphs) {
		panic(fmt.Sprintf("posterior: %d log densities for %d graphs", len(logDensity),
			len(graphs)))
	}
	for m, v := range logDensity {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("posterior: log density of draw %d is %g, want a finite number",
				m+1, v)
		}
	}
	return &Ensemble{Graphs: graphs, LogWeights: normalise(logDensity)}, nil
}

// Empirical has the graphs of the draws with their weights w_m, as the package
// comment defines them. It panics if there are no draws, if components do not
// count all of them, or if a log weight is NaN or infinite.
func (p *Posterior) Empirical() *Ensemble {
	logw := make([]float64, len(p.Draws))
	for m, draw := range p.Draws {
		logw[m] = draw.LogWeight
	}
	checkFiniteWeights(logw)
	return p.ensemble(logw)
}

// ByDensity has the graphs of the draws; those of a component share its weight
// in proportion to p(Θ_m|G_m) p(D|G_m,Θ_m). One particle usually gets nearly
// all of it. It fails if a log density is NaN or infinite, and panics like
// Empirical.
func (p *Posterior) ByDensity() (*Ensemble, error) {
	logw := make([]float64, len(p.Draws))
	for m, draw := range p.Draws {
		logw[m] = draw.LogPrior + draw.LogLikelihood
		if math.IsNaN(logw[m]) || math.IsInf(logw[m], 0) {
			return nil, fmt.Errorf("posterior: log density of draw %d is %g + %g, want finite "+
				"numbers", m+1, draw.LogPrior, draw.LogLikelihood)
		}
	}
	return p.ensemble(logw), nil
}

// ensemble weighs the draws of every component by logw, up to a constant, and the
// components by their weights.
func (p *Posterior) ensemble(logw []float64) *Ensemble {
	e := &Ensemble{Graphs: p.Graphs()}
	checkSizes(e.Graphs)
	components := p.components()
	between := make([]float64, len(components))
	for k, c := range components {
		between[k] = c.LogWeight
	}
	checkFiniteWeights(between)
	between = normalise(between)
	for k, c := range components {
		from := len(e.LogWeights)
		if c.Draws < 1 || from+c.Draws > len(logw) {
			panic(fmt.Sprintf("posterior: component %d has %d draws of %d", k, c.Draws,
				len(logw)-from))
		}
		for _, l := range within(logw[from : from+c.Draws]) {
			e.LogWeights = append(e.LogWeights, between[k]+l)
		}
	}
	if len(e.LogWeights) != len(logw) {
		panic(fmt.Sprintf("posterior: components of %d draws, there are %d", len(e.LogWeights),
			len(logw)))
	}
	return e
}

// within normalises log weights; equal ones become exactly −log M.
func within(logw []float64) []float64 {
	if equal(logw) {
		out := make([]float64, len(logw))
		for m := range out {
			out[m] = -math.Log(float64(len(logw)))
		}
		return out
	}
	return normalise(logw)
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

func equal(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// uniform reports whether all weights are exactly equal; sums over draws are
// then divisions of integers.
func (e *Ensemble) uniform() bool { return equal(e.LogWeights) }

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

// Expectation returns Σ_m w_m f(G_m) for an integer f: rounded once if weights
// are equal.
func (e *Ensemble) Expectation(f func(g *dag.Graph) int) float64 {
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

// EffectiveSampleSize returns 1/Σ_m w_m², from 1 for one graph with all the
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
	return e.Expectation((*dag.Graph).Size)
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

// Acyclic returns the graphs without a cycle, weights renormalised, and their
// indices in e. Both are nil if every graph has a cycle.
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
		panic("posterior: no graphs")
	}
	for m, g := range graphs {
		if g.Len() != graphs[0].Len() {
			panic(fmt.Sprintf("posterior: graph %d has %d vertices, graph 0 has %d", m, g.Len(),
				graphs[0].Len()))
		}
	}
	return graphs[0].Len()
}

// checkFiniteWeights panics if a log weight is NaN or infinite.
func checkFiniteWeights(logw []float64) {
	for m, v := range logw {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("posterior: log weight %d is %v, want a finite number", m+1, v))
		}
	}
}
