package score

import (
	"math"
	"math/bits"
	"slices"

	"tobac/internal/scoring"
)

// LogScoresGiven writes the log scores of every subset of the candidates with all given parents. It
// panics as [LogScores] does.
func (b *bge) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(b.d, j, candidates)
	scoring.CheckParents(b.d, j, given)
	g := &b.group[b.of[j]]
	if g.n == 0 {
		clear(dst)
		return
	}
	m := gather(nil, g.r, b.d, j, slices.Concat(candidates, given), 0)
	g.gaussian.scoresGiven(dst, m, len(candidates), len(given), -float64(g.n)*b.logScales[j])
}

// LogScoresGiven writes the log scores of every subset of the candidates with all given parents. It
// panics as [LogScores] does.
func (l *linear) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(l.d, j, candidates)
	scoring.CheckParents(l.d, j, given)
	g := &l.group[l.of[j]]
	if g.N == 0 {
		clear(dst)
		return
	}
	m := gather(nil, g.Scatter, l.d, j, slices.Concat(candidates, given), l.ridge())
	g.gaussian.scoresGiven(dst, m, len(candidates), len(given), 0)
}

// scoresGiven writes the scores of all subsets of k candidates beside the given
// parents, the last rows of m, which it overwrites.
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
