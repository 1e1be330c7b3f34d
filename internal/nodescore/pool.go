package nodescore

import (
	"fmt"
	"math"

	"tobac/internal/scoring"
)

// A Pool is a [score.Scorer] of listed sets of parents: all others score −Inf. It serves engines
// over scores that are too dear to compute for all sets. Concurrent use is safe while no set is put
// in.
type Pool struct {
	at   []map[string]int // by variable: where a set is in entries
	list [][]PoolEntry
}

// A PoolEntry is a set of parents, ascending, with its score.
type PoolEntry struct {
	Parents []int
	Score   float64
}

var _ GivenScorer = (*Pool)(nil)

// NewPool is an empty pool for d variables.
func NewPool(d int) *Pool {
	p := &Pool{list: make([][]PoolEntry, d)}
	for range d {
		p.at = append(p.at, map[string]int{})
	}
	return p
}

// Put sets the score of a set of parents of variable j, which it keeps. It panics on a score that
// is NaN or +Inf.
func (p *Pool) Put(j int, parents []int, score float64) {
	if !scoring.Possible(score) {
		panic(fmt.Sprintf("score: score %v of parents %v of variable %d, want a finite number or "+
			"-Inf", score, parents, j))
	}
	key := setKey(parents)
	at, ok := p.at[j][key]
	if !ok {
		at = len(p.list[j])
		p.at[j][key] = at
		p.list[j] = append(p.list[j], PoolEntry{Parents: parents})
	}
	p.list[j][at].Score = score
}

// Has reports whether a set is listed.
func (p *Pool) Has(j int, parents []int) bool {
	_, ok := p.at[j][setKey(parents)]
	return ok
}

// Sets are the listed sets of parents of variable j, in the sequence in which they were put in
// first. They must not be changed.
func (p *Pool) Sets(j int) []PoolEntry { return p.list[j] }

// Vars implements [score.Scorer].
func (p *Pool) Vars() int { return len(p.list) }

// LogScore implements [score.Scorer].
func (p *Pool) LogScore(j int, parents []int) float64 {
	if at, ok := p.at[j][setKey(parents)]; ok {
		return p.list[j][at].Score
	}
	return math.Inf(-1)
}

// LogScores implements [score.SubsetScorer].
func (p *Pool) LogScores(dst []float64, j int, candidates []int) {
	p.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (p *Pool) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	for set := range dst {
		dst[set] = math.Inf(-1)
	}
	place := PlaceSubsets(len(p.list), candidates, given)
	for _, e := range p.list[j] {
		if set, ok := place.Of(e.Parents); ok {
			dst[set] = e.Score
		}
	}
}
