package search

import (
	"fmt"
	"math"

	"tobac/internal/nodescore"
	"tobac/internal/scoring"
)

// scores are those of sets of parents, with the prior. Slow ones are kept.
type scores struct {
	screen *Screen
	fast   bool   // neighbours of a set are cheaper than a cache
	near   []near // by variable
	size   int    // of them, in numbers
	cache  []map[key]float64
	cached int
	set    []int
	work   int // of the scores so far, in multiplications of a Cholesky factor
}

// A near scores neighbours of sets of at least nodescore.Near's parents of one variable, from what
// it has of the set before.
type near struct {
	candidates []int
	scores     func(dst []float64, parents, variables []int)
	largest    int // set
}

// mostCached is the largest number of node scores that a searcher keeps.
const mostCached = 1 << 20

// A key is a small set of parents.
type key [16]uint16

func newScores(c *Screen) scores {
	_, fast := c.scorer.(nodescore.ToggleScorer)
	s := scores{screen: c, fast: fast, near: make([]near, c.d)}
	if !fast {
		s.cache = make([]map[key]float64, c.d)
		for j := range s.cache {
			s.cache[j] = map[key]float64{}
		}
	}
	return s
}

// toggled writes q of j with one parent more or less, by variable.
func (s *scores) toggled(dst []float64, j int, set, variables []int) {
	s.count(set, variables)
	if s.fast {
		nodescore.LogWeightsToggled(s.screen.scorer, s.screen.prior, dst, j, set, variables)
		return
	}
	for k, i := range variables {
		s.set = scoring.Toggle(s.set[:0], set, i)
		dst[k] = s.q(j, s.set)
	}
}

// mostNumbers is the largest size of what a searcher keeps of the sets before.
const mostNumbers = 1 << 23

// next writes what toggled does, of large sets from what it has of the set of j before. Sets and
// variables are among the candidates.
func (s *scores) next(dst []float64, j int, set, variables, candidates []int) {
	if !s.rounded(set) {
		s.toggled(dst, j, set, variables)
		return
	}
	s.count(set, variables)
	n := &s.near[j]
	if n.scores == nil || !same(n.candidates, candidates) {
		scorer := s.screen.scorer.(nodescore.NearScorer)
		*n = near{candidates: candidates, scores: scorer.Neighbours(j, candidates)}
	}
	n.scores(dst, set, variables)
	s.screen.prior.AddToToggled(dst, j, set, variables)
	if more := len(set) - n.largest; more > 0 {
		n.largest = len(set)
		if s.size += more * (len(candidates) + len(set)); s.size > mostNumbers {
			clear(s.near)
			s.size = 0
		}
	}
}

// rounded reports whether next rounds by what sets came before.
func (s *scores) rounded(set []int) bool { return nodescore.Near(s.screen.scorer, set) }

// count adds the work for neighbours of a set.
func (s *scores) count(set, variables []int) {
	p := len(set) + 1
	s.work += p * p * (p + len(variables))
}

// q is the score of a set of parents, ascending.
func (s *scores) q(j int, set []int) float64 {
	var k key
	if s.fast || len(set) > len(k) || s.screen.d >= math.MaxUint16 {
		return s.checked(j, set)
	}
	for n, i := range set {
		k[n] = uint16(i + 1)
	}
	if v, ok := s.cache[j][k]; ok {
		return v
	}
	v := s.checked(j, set)
	if s.cached++; s.cached > mostCached {
		for j := range s.cache {
			clear(s.cache[j])
		}
		s.cached = 1
	}
	s.cache[j][k] = v
	return v
}

func (s *scores) checked(j int, set []int) float64 {
	v := s.screen.q(j, set)
	if math.IsNaN(v) {
		panic(fmt.Sprintf("search: score of parents %v of variable %d is not a number", set, j))
	}
	return v
}
