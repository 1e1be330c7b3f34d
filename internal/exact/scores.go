package exact

import (
	"math"
	"math/bits"

	"tobac/internal/nodescore"
	"tobac/score"
)

// Scores are the node scores that the sums were made of under a prior, the same: they are looked
// up, however long they took.
func (o *Orders) Scores(prior *score.Prior) nodescore.GivenScorer { return keptScores{o.p, prior} }

type keptScores struct {
	p     *Posterior
	prior *score.Prior
}

// Vars implements [score.Scorer].
func (s keptScores) Vars() int { return s.p.Vars() }

// LogScore implements [score.Scorer].
func (s keptScores) LogScore(j int, parents []int) float64 {
	var one [1]float64
	s.LogScoresGiven(one[:], j, nil, parents)
	return one[0]
}

// LogScores implements [score.SubsetScorer].
func (s keptScores) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [nodescore.GivenScorer].
func (s keptScores) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	clear(dst)
	s.prior.AddToGiven(dst, j, candidates, given)
	fixed := 0
	for _, i := range given {
		fixed |= 1 << i
	}
	at := make([]int, len(dst))
	for set, log := range dst {
		if at[set] = fixed; set > 0 {
			low := set & -set
			at[set] = at[set&^low] | 1<<candidates[bits.TrailingZeros(uint(low))]
		}
		if !math.IsInf(log, -1) {
			dst[set] = s.p.tables[j].q[without(at[set], j)] - log
		}
	}
}
