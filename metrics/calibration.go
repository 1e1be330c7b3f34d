package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// CalibrationBins is the number of bins of the calibration error in a [Report].
const CalibrationBins = 10

// Brier returns the mean of (P_ij − G*_ij)² over the d(d−1) entries that can be
// edges: 0 for the truth, ¼ for probabilities of ½, E*/(d(d−1)) for the graph
// without edges. It is a proper score, lowest in expectation for the true
// probabilities. It panics if p has another shape than d×d, or an entry off the
// diagonal outside [0,1]; it is NaN for a single variable.
func Brier(p mat.Matrix, truth *dag.Graph) float64 {
	sum, n := 0.0, 0
	forEntries(p, truth, func(q float64, edge bool) {
		if edge {
			q = 1 - q
		}
		sum += q * q
		n++
	})
	return sum / float64(n)
}

// logScore returns the mean over the d(d−1) entries that can be edges of −ln of
// the probability given to what is true, in nats: 0 for the truth, ln 2 for
// probabilities of ½. Probabilities are moved into [least, 1−least] first, since a
// single certain mistake would make the score infinite: with particles, and with
// edges that are left out below a threshold, 0 and 1 mean no more than "not seen".
// It panics like [Brier], and if least is not in (0, ½).
func logScore(p mat.Matrix, truth *dag.Graph, least float64) float64 {
	if !(least > 0 && least < 0.5) {
		panic(fmt.Sprintf("metrics: least probability %v, want a number between 0 and ½", least))
	}
	sum, n := 0.0, 0
	forEntries(p, truth, func(q float64, edge bool) {
		if !edge {
			q = 1 - q
		}
		sum -= math.Log(math.Min(math.Max(q, least), 1-least))
		n++
	})
	return sum / float64(n)
}

// calibrationError returns the expected calibration error of edge
// probabilities,
//
//	Σ_b n_b/n · |mean of P in bin b − fraction of true edges in bin b|,
//
// over the n = d(d−1) entries that can be edges, in bins of equal width, the last
// of which holds 1. It is 0 if of the entries with probability p the fraction p are
// edges, whatever they tell apart; it is E*/(d(d−1)) for the graph without edges.
// With few entries in a bin it is above 0 by chance. It panics like [Brier], and
// if there is no bin.
func calibrationError(p mat.Matrix, truth *dag.Graph, bins int) float64 {
	if bins < 1 {
		panic(fmt.Sprintf("metrics: %d bins, want at least 1", bins))
	}
	gap, n := make([]float64, bins), 0 // Σ (P − G*) of each bin
	forEntries(p, truth, func(q float64, edge bool) {
		b := min(int(q*float64(bins)), bins-1)
		gap[b] += q
		if edge {
			gap[b]--
		}
		n++
	})
	sum := 0.0
	for _, g := range gap {
		sum += math.Abs(g)
	}
	return sum / float64(n)
}

// forEntries calls f for every entry off the diagonal, row by row.
func forEntries(p mat.Matrix, truth *dag.Graph, f func(q float64, edge bool)) {
	d := truth.Len()
	checkProbabilities(p, d)
	for i := range d {
		for j := range d {
			if i != j {
				f(p.At(i, j), truth.Has(i, j))
			}
		}
	}
}

// checkProbabilities panics unless p is d×d with entries from 0 to 1 off the
// diagonal.
func checkProbabilities(p mat.Matrix, d int) {
	if rows, cols := p.Dims(); rows != d || cols != d {
		panic(fmt.Sprintf("metrics: probabilities are %d×%d for a graph of %d vertices", rows, cols,
			d))
	}
	for i := range d {
		for j := range d {
			if q := p.At(i, j); i != j && !(q >= 0 && q <= 1) {
				panic(fmt.Sprintf("metrics: probability of %d -> %d is %v, want a number from 0 "+
					"to 1", i, j, q))
			}
		}
	}
}
