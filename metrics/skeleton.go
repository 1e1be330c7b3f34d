package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// adjacencies lists the unordered pairs of variables with the probability that
// they are joined, min(1, P_ij + P_ji). It panics like [Brier].
func adjacencies(p mat.Matrix, truth *dag.Graph) []entry {
	checkProbabilities(p, truth.Len())
	var pairs []entry
	for i := range truth.Len() {
		for j := range i {
			pairs = append(pairs, entry{math.Min(1, p.At(i, j)+p.At(j, i)), truth.Has(i, j) || truth.Has(j, i)})
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
