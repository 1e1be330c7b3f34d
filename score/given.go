package score

import (
	"math"
	"math/bits"

	"tobac/internal/scoring"
)

// scoresGiven writes the scores of all subsets of k candidates with all given parents. m is the
// packed lower triangle of M, which it overwrites: row 0 is the child's, row i+1 that of candidate
// i, and those of given parents are the last. offset is added to all.
func (g *gaussian) scoresGiven(dst, m []float64, k, given int, offset float64) {
	for r := k + given; r > k; r-- {
		offset += g.eliminate(m, m, r)
	}
	newSubsetWalk(g, k).visit(dst, m, k, given, offset)
}

// AddToGiven adds ln ρ_j(A ∪ given) to dst for every subset A of the candidates,
// numbered as in [SubsetScorer]. It makes −Inf of sets that lack a required parent.
// It panics as [LogScores] does.
func (p *Prior) AddToGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	sum, missing := 0.0, p.needed[j]
	for _, i := range given {
		sum += p.odds[j][i]
		if p.required[j][i] {
			missing--
		}
	}
	mask := 0
	for k, i := range candidates {
		if p.required[j][i] {
			mask |= 1 << k
			missing--
		}
	}
	odds := p.sums(j, candidates)
	for set := range dst {
		if missing > 0 || set&mask != mask {
			dst[set] = math.Inf(-1)
			continue
		}
		dst[set] += sum + odds[set] + p.size[len(given)+bits.OnesCount(uint(set))]
	}
}
