package score

import (
	"math"
	"math/bits"
)

// ExtendTable completes a table of scores, by subset of some candidates as [SubsetScorer] has
// them, whose entries of at most `most` parents are known. base has the scores of all subsets
// under a simpler model. A larger set A gets
//
//	score(A) = base(A) + score(B) − base(B),
//
// where B is what is left of A when the parent whose loss costs base the least is taken out, one
// after the other, until `most` are left: what the simpler model misses is taken to lie in the
// parents that matter most.
func ExtendTable(dst, base []float64, most int) {
	for set := range dst {
		if bits.OnesCount(uint(set)) <= most {
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

// Extend is the score of one set of more than `most` parents of variable j as [ExtendTable]
// completes it. known scores the sets of `most` parents.
func Extend(base Scorer, j int, parents []int, most int, known func(parents []int) float64) float64 {
	left := append(make([]int, 0, len(parents)), parents...)
	without, best := make([]int, 0, len(parents)), make([]int, 0, len(parents))
	for len(left) > most {
		highest := math.Inf(-1)
		for k := len(left) - 1; k >= 0; k-- { // the sequence of a table: ties go to the last parent
			without = append(append(without[:0], left[:k]...), left[k+1:]...)
			if v := base.LogScore(j, without); v > highest || k == len(left)-1 {
				highest, best = v, append(best[:0], without...)
			}
		}
		left = append(left[:0], best...)
	}
	v := base.LogScore(j, parents) + known(left) - base.LogScore(j, left)
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}
