package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// Diagonal says which entries of a d×d score matrix are ranked.
type Diagonal int

const (
	// OffDiagonal ranks the d(d−1) entries that can be edges. It is the default.
	OffDiagonal Diagonal = iota
	// WithDiagonal ranks all d² entries; the diagonal holds certain negatives,
	// with the scores that the matrix has there.
	WithDiagonal
)

// threshold counts the entries whose score is at least that of one distinct
// score: true edges, and others.
type threshold struct{ positive, negative int }

// An entry is a score with what is true of it.
type entry struct {
	score float64
	edge  bool
}

// directed lists the entries that diagonal says. It panics on a score that is
// NaN, on shapes that differ, and on an unknown convention.
func directed(scores mat.Matrix, truth *dag.Graph, diagonal Diagonal) []entry {
	d := truth.Len()
	if rows, cols := scores.Dims(); rows != d || cols != d {
		panic(fmt.Sprintf("metrics: scores are %d×%d for a graph of %d vertices", rows, cols, d))
	}
	if diagonal != OffDiagonal && diagonal != WithDiagonal {
		panic(fmt.Sprintf("metrics: unknown Diagonal %d", diagonal))
	}
	entries := make([]entry, 0, d*d)
	for i := range d {
		for j := range d {
			if i == j && diagonal == OffDiagonal {
				continue
			}
			s := scores.At(i, j)
			if math.IsNaN(s) {
				panic(fmt.Sprintf("metrics: score of %d -> %d is NaN", i, j))
			}
			entries = append(entries, entry{s, i != j && truth.Has(i, j)})
		}
	}
	return entries
}

// thresholds returns one entry per distinct score, highest first; the last
// counts everything. It sorts the entries.
func thresholds(entries []entry) []threshold {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
	var out []threshold
	var seen threshold
	for k, e := range entries {
		if e.edge {
			seen.positive++
		} else {
			seen.negative++
		}
		if k == len(entries)-1 || entries[k+1].score != e.score {
			out = append(out, seen)
		}
	}
	return out
}

// AUROC returns the area under the receiver operating characteristic of scores
// (d×d, entry (i, j) for i → j, higher for likelier edges): the probability
// that a random edge of truth scores higher than a random non-edge, ties
// counted ½. The pairs are counted in integers. It is NaN if truth has no edge,
// ½ for constant scores, ½(1 + TPR − FPR) for the 0/1 matrix of a single graph.
//
// With a zero diagonal, N = d(d−1) − E* and a the mean over true edges of 1 for
// a positive score and ½ for 0, the conventions are related by
//
//	AUROC_with = (AUROC_off·N + d·a) / (N + d).
//
// It panics if scores has another shape than d×d or holds a NaN.
func AUROC(scores mat.Matrix, truth *dag.Graph, diagonal Diagonal) float64 {
	return auroc(directed(scores, truth, diagonal))
}

// auroc is NaN without an edge or without anything else.
func auroc(entries []entry) float64 {
	points := thresholds(entries)
	if len(points) == 0 {
		return math.NaN()
	}
	all := points[len(points)-1]
	if all.positive == 0 || all.negative == 0 {
		return math.NaN()
	}
	half := 0 // twice the number of pairs in the right order
	var above threshold
	for _, p := range points {
		edges := p.positive - above.positive
		tied := p.negative - above.negative
		below := all.negative - p.negative
		half += edges * (2*below + tied)
		above = p
	}
	return float64(half) / float64(2*all.positive*all.negative)
}

// averagePrecisionOf returns Σ_k (R_k − R_{k−1}) P_k with recall R_k and precision
// P_k at the k-th distinct score, highest first. It is NaN if truth has no edge,
// and the fraction of edges among the entries for constant scores. Arguments and
// panics are those of [AUROC].
func averagePrecisionOf(scores mat.Matrix, truth *dag.Graph, diagonal Diagonal) float64 {
	return averagePrecision(directed(scores, truth, diagonal))
}

// averagePrecision is NaN without an edge.
func averagePrecision(entries []entry) float64 {
	sum, above := 0.0, 0
	for _, p := range thresholds(entries) {
		sum += float64(p.positive-above) * precision(p)
		above = p.positive
	}
	if above == 0 {
		return math.NaN()
	}
	return sum / float64(above)
}

// auprc returns the area under the points (recall, precision) of
// averagePrecision, preceded by (0, 1), by the trapezoid rule in recall. It
// is NaN if truth has no edge. Arguments and panics are those of [AUROC].
func auprc(scores mat.Matrix, truth *dag.Graph, diagonal Diagonal) float64 {
	points := thresholds(directed(scores, truth, diagonal))
	if truth.Size() == 0 {
		return math.NaN()
	}
	sum, above, last := 0.0, 0, 1.0
	for _, p := range points {
		sum += float64(p.positive-above) * (last + precision(p)) / 2
		above, last = p.positive, precision(p)
	}
	return sum / float64(truth.Size())
}

func precision(p threshold) float64 {
	return float64(p.positive) / float64(p.positive+p.negative)
}
