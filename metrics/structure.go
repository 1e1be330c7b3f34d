package metrics

import (
	"fmt"
	"math"

	"tobac/dag"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// SHD returns the structural Hamming distance of a and b: the number of
// unordered pairs {i, j} whose status (no edge, i → j, j → i, both) differs, so
// that a missing, an extra and a reversed edge count 1 each. It is a metric
// with values from 0 to d(d−1)/2. It panics if the numbers of vertices differ.
func SHD(a, b *dag.Graph) int {
	if a.Len() != b.Len() {
		panic(fmt.Sprintf("metrics: graphs of %d and %d vertices", a.Len(), b.Len()))
	}
	distance := 0
	for i := range a.Len() {
		for j := range i {
			if a.Has(i, j) != b.Has(i, j) || a.Has(j, i) != b.Has(j, i) {
				distance++
			}
		}
	}
	return distance
}

// ESHD returns the expected structural Hamming distance to the truth,
// Σ_m w_m SHD(G_m, truth). That of the empty graph is the number of true edges.
func ESHD(e *posterior.Ensemble, truth *dag.Graph) float64 {
	return e.Expectation(func(g *dag.Graph) int { return SHD(g, truth) })
}

// cyclicity returns Σ_m w_m h(G_m), the cyclicity that the paper reports, with
// h as in acyclicity.
func cyclicity(e *posterior.Ensemble) float64 {
	sum := 0.0
	for m, w := range e.Weights() {
		sum += w * acyclicity(e.Graphs[m])
	}
	return sum
}

// acyclicity returns the acyclicity function
//
//	h(G) = tr[(I + G/d)^d] − d = Σ_{k=1..d} binom(d,k) tr(G^k)/d^k,
//
// which counts closed walks with weights: exactly 0 for a graph without a cycle
// and positive otherwise. The sum on the right, of terms that are not negative,
// shows even a single cycle through 50 vertices, which the left side rounds
// away. It takes d matrix products if there is a cycle.
func acyclicity(g *dag.Graph) float64 {
	if g.Acyclic() {
		return 0
	}
	d := float64(g.Len())
	walk := g.Matrix()
	walk.Scale(1/d, walk)
	term := mat.DenseCopyOf(walk) // binom(d,k) (G/d)^k
	term.Scale(d, term)
	h := mat.Trace(term)
	next := mat.NewDense(g.Len(), g.Len(), nil)
	for k := 2.0; k <= d; k++ {
		next.Mul(term, walk)
		next.Scale((d-k+1)/k, next)
		term, next = next, term
		h += mat.Trace(term)
	}
	return h
}

// ViolatedEdges returns the number of edges of truth whose source comes after
// their target in order, a list of vertices with sources first. A random order
// violates half of the edges on average. It panics if order is not a permutation
// of the vertices.
func ViolatedEdges(order []int, truth *dag.Graph) int {
	if len(order) != truth.Len() {
		panic(fmt.Sprintf("metrics: order of %d vertices for a graph of %d", len(order),
			truth.Len()))
	}
	position := dag.Inverse(order)
	count := 0
	for _, e := range truth.Edges() {
		if position[e.From] > position[e.To] {
			count++
		}
	}
	return count
}

// adjacencies lists the unordered pairs of variables with the probability that
// they are joined, min(1, P_ij + P_ji). It panics like [Brier].
func adjacencies(p mat.Matrix, truth *dag.Graph) []entry {
	checkProbabilities(p, truth.Len())
	var pairs []entry
	for i := range truth.Len() {
		for j := range i {
			pairs = append(pairs,
				entry{math.Min(1, p.At(i, j)+p.At(j, i)), truth.Has(i, j) || truth.Has(j, i)})
		}
	}
	return pairs
}

// SkeletonAUROC returns the area under the receiver operating characteristic of
// the d(d−1)/2 unordered pairs, scored by the probability min(1, P_ij + P_ji)
// that they are joined, against the pairs that truth joins: [AUROC] without
// directions. It is NaN if truth joins no pair or all of them. It panics like
// [Brier].
func SkeletonAUROC(p mat.Matrix, truth *dag.Graph) float64 { return auroc(adjacencies(p, truth)) }

// skeletonAveragePrecision returns averagePrecision without directions, on the
// pairs of [SkeletonAUROC]. It is NaN if truth joins no pair. It panics like
// [Brier].
func skeletonAveragePrecision(p mat.Matrix, truth *dag.Graph) float64 {
	return averagePrecision(adjacencies(p, truth))
}

// cpdagSHD returns the structural Hamming distance between the equivalence
// classes of two graphs: [SHD] of their CPDAGs, in which an undirected edge is one
// in both directions. It is 0 exactly if a and b are Markov equivalent. A graph
// with a cycle has no CPDAG and gives a [*dag.CycleError]. It panics if the
// numbers of vertices differ.
func cpdagSHD(a, b *dag.Graph) (int, error) {
	if a.Len() != b.Len() {
		panic(fmt.Sprintf("metrics: graphs of %d and %d vertices", a.Len(), b.Len()))
	}
	p, err := a.CPDAG()
	if err != nil {
		return 0, err
	}
	q, err := b.CPDAG()
	if err != nil {
		return 0, err
	}
	return SHD(p, q), nil
}

// LogDensity is the log density of held-out rows under one draw (G, Θ), in
// nats, summed over rows and variables.
type LogDensity struct {
	Prior float64 // log p(Θ | G); 0 for models without parameters
	Data  float64 // log p(D | G, Θ), or log p(D | G) for models without parameters
}

// joint returns log p(Θ | G) + log p(D | G, Θ).
func (l LogDensity) joint() float64 { return l.Prior + l.Data }

// HeldOut holds the log densities of held-out rows that Neg.LL averages.
type HeldOut struct {
	// Particles has one entry for each graph of the ensemble, cyclic or not;
	// the entries of graphs with a cycle are ignored.
	Particles []LogDensity
	// Empty is the log density under the graph without edges and Θ = 0: the
	// baseline, and the value taken if every particle has a cycle.
	Empty LogDensity
}

// NewHeldOut pairs log p(Θ | G) and log p(D | G, Θ) of each graph; the last entry
// of both slices is that of the graph without edges. It panics if lengths differ
// or if there is no entry.
func NewHeldOut(prior, data []float64) *HeldOut {
	if len(prior) == 0 || len(prior) != len(data) {
		panic(fmt.Sprintf("metrics: %d log densities of parameters and %d of data", len(prior),
			len(data)))
	}
	all := make([]LogDensity, len(prior))
	for m := range all {
		all[m] = LogDensity{Prior: prior[m], Data: data[m]}
	}
	last := len(all) - 1
	return &HeldOut{Particles: all[:last:last], Empty: all[last]}
}

// negLL returns −Σ_m w_m ℓ_m, where ℓ_m is the log density of held-out rows
// under graph m. It averages log densities, not densities. It panics if the
// number of values is not that of graphs.
func negLL(e *posterior.Ensemble, logDensity []float64) float64 {
	if len(logDensity) != len(e.Graphs) {
		panic(fmt.Sprintf("metrics: %d log densities for %d graphs", len(logDensity),
			len(e.Graphs)))
	}
	sum := 0.0
	for m, w := range e.Weights() {
		sum -= w * logDensity[m]
	}
	return sum
}
