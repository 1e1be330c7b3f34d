package nodescore

import (
	"math"

	"tobac/internal/scoring"
	"tobac/score"
)

// ExtendTable completes a table of scores, by subset of some candidates as [score.SubsetScorer] has
// them, in which NaN stands for scores that are not known; that of the empty set is. base has the
// scores of all subsets under a simpler model. A set A that is not known gets
//
//	score(A) = base(A) + score(B) − base(B),
//
// where B is what is left of A when the parent whose loss costs base the least is taken out, one
// after the other, until the score is known: what the simpler model misses is taken to lie in the
// parents that matter most.
func ExtendTable(dst, base []float64) {
	for set := range dst {
		if !math.IsNaN(dst[set]) {
			continue
		}
		best := 0
		for rest := set; rest != 0; rest &= rest - 1 {
			if without := set &^ (rest & -rest); rest == set || base[without] > base[best] {
				best = without
			}
		}
		dst[set] = base[set] + dst[best] - base[best] // best < set: it is known by now
		if math.IsNaN(dst[set]) {
			dst[set] = math.Inf(-1)
		}
	}
}

// ExtendedScores writes the scores of all subsets of the candidates as [ExtendTable] completes
// them. known returns the score of a set, or NaN, and does not keep its argument.
func ExtendedScores(base score.SubsetScorer, dst []float64, j int, candidates []int,
	known func(parents []int) float64) {
	parents, extended := make([]int, 0, len(candidates)), false
	for set := range dst {
		parents = scoring.Subset(parents[:0], candidates, set)
		dst[set] = known(parents)
		extended = extended || math.IsNaN(dst[set])
	}
	if extended {
		simpler := make([]float64, len(dst))
		base.LogScores(simpler, j, candidates)
		ExtendTable(dst, simpler)
	}
}

// Extend is the score of one set of parents of variable j as [ExtendTable] completes it. known
// returns the score of a set, or NaN, and does not keep its argument.
func Extend(base score.Scorer, j int, parents []int, known func(parents []int) float64) float64 {
	v := known(parents)
	if !math.IsNaN(v) {
		return v
	}
	left := append(make([]int, 0, len(parents)), parents...)
	without, best := make([]int, 0, len(parents)), make([]int, 0, len(parents))
	for math.IsNaN(v) && len(left) > 0 {
		highest := math.Inf(-1)
		for k := len(left) - 1; k >= 0; k-- { // the sequence of a table: ties go to the last parent
			without = append(append(without[:0], left[:k]...), left[k+1:]...)
			if v := base.LogScore(j, without); v > highest || k == len(left)-1 {
				highest, best = v, append(best[:0], without...)
			}
		}
		left = append(left[:0], best...)
		v = known(left)
	}
	v += base.LogScore(j, parents) - base.LogScore(j, left)
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}
