package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/score"
)

// A Searcher looks for a probable graph. It must not be used concurrently.
type Searcher struct {
	screen     *Screen
	rng        *rand.Rand
	d          int
	candidates [][]int // of each variable, ascending; its parents are among them
	parents    [][]int // ascending; never changed in place
	children   [][]int
	score      []float64   // q of each variable with its parents
	gain       [][]float64 // gain[j][k]: what q(j) gains if candidate k is added or removed
	top        []float64   // largest gain of each variable
	cache      []map[key]float64
	cached     int

	reached, stack []int
	stamp          int // reached[j] is stamp if j is reached
	torn, changed  []int
	buffer         []int
	saved          [][]int // parents to go back to
}

// mostCached is the largest number of node scores that a searcher keeps.
const mostCached = 1 << 20

// mostTorn is the largest number of neighbours that lose their edges at once.
const mostTorn = 5

// New begins at a graph of the required edges and as many random ones as there are variables.
func New(c *Screen, rng *rand.Rand) *Searcher {
	s := &Searcher{
		screen: c, rng: rng, d: c.d, candidates: slices.Clone(c.candidates),
		parents: make([][]int, c.d), children: make([][]int, c.d),
		score: make([]float64, c.d), gain: make([][]float64, c.d), top: make([]float64, c.d),
		cache: make([]map[key]float64, c.d), reached: make([]int, c.d),
	}
	for j := range s.d {
		s.cache[j] = map[key]float64{}
		s.gain[j] = make([]float64, len(s.candidates[j]))
		s.set(j, c.required[j])
	}
	for range s.d {
		s.addRandom(rng.IntN(s.d))
	}
	for j := range s.d {
		s.update(j)
	}
	return s
}

// Start goes to a graph, which must be acyclic.
func (s *Searcher) Start(g *dag.Graph) {
	for _, e := range g.Edges() {
		s.addCandidate(e.From, e.To)
	}
	for j := range s.d {
		s.set(j, g.Parents(j))
	}
	for j := range s.d {
		s.update(j)
	}
}

// addCandidate makes i a candidate parent of j, and reports whether it was none. An update of j is due.
func (s *Searcher) addCandidate(i, j int) bool {
	if _, found := slices.BinarySearch(s.candidates[j], i); found {
		return false
	}
	s.candidates[j] = with(s.candidates[j], i)
	s.gain[j] = make([]float64, len(s.candidates[j]))
	return true
}

// Run climbs, then takes edges away and climbs anew so many times. When ctx is done it stops, and
// returns its error; the graph is then the present one.
func (s *Searcher) Run(ctx context.Context, tries int) error {
	if err := s.climb(ctx); err != nil {
		return err
	}
	now := s.LogScore()
	for try := range tries {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.saved = append(s.saved[:0], s.parents...)
		s.tear(1 + try%mostTorn)
		for s.step() {
		}
		margin := 3 * max(0, 1-1.25*float64(try)/float64(tries))
		if next := s.LogScore(); next >= now-margin*s.rng.ExpFloat64()-tie {
			now = next
		} else {
			s.restore()
		}
	}
	return s.climb(ctx)
}

// climb makes steps until none improves the graph, and again with more candidates as long as
// there are any.
func (s *Searcher) climb(ctx context.Context) error {
	for {
		for s.step() {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if ctx.Err() != nil || !s.widen() {
			return ctx.Err()
		}
	}
}

// widen makes candidates of the variables that would improve the graph as one more parent, and
// reports whether there are any.
func (s *Searcher) widen() bool {
	wider, open, q := false, make([]int, 0, s.d), make([]float64, s.d)
	for j := range s.d {
		if len(s.candidates[j]) == s.d-1 {
			continue
		}
		s.search(j, -1)
		open = open[:0]
		for i := range s.d {
			if s.reached[i] == s.stamp || s.screen.prior.Forbidden(i, j) {
				continue
			}
			if _, found := slices.BinarySearch(s.candidates[j], i); !found {
				open = append(open, i)
			}
		}
		added, q := false, q[:len(open)]
		score.LogWeightsToggled(s.screen.scorer, s.screen.prior, q, j, s.parents[j], open)
		for k, i := range open {
			if q[k] > s.score[j]+tie {
				added = s.addCandidate(i, j) || added
			}
		}
		if added {
			s.update(j)
			wider = true
		}
	}
	return wider
}

// restore goes back to the saved graph.
func (s *Searcher) restore() {
	for j, parents := range s.saved {
		if !slices.Equal(parents, s.parents[j]) {
			s.set(j, parents)
			s.update(j)
		}
	}
}

// LogScore is ln p(D, G) of the present graph.
func (s *Searcher) LogScore() float64 {
	sum := 0.0
	for _, q := range s.score {
		sum += q
	}
	return sum
}

// Parents are those of every variable in the present graph, ascending. They must not be changed.
func (s *Searcher) Parents() [][]int { return slices.Clone(s.parents) }

// Graph is the present graph.
func (s *Searcher) Graph() *dag.Graph {
	g := dag.New(s.d)
	for j, set := range s.parents {
		for _, i := range set {
			g.Set(i, j, true)
		}
	}
	return g
}

// A key is a small set of parents.
type key [16]uint16

// q is the score of a set of parents, ascending.
func (s *Searcher) q(j int, set []int) float64 {
	var k key
	if len(set) > len(k) || s.d >= math.MaxUint16 {
		return s.screen.q(j, set)
	}
	for n, i := range set {
		k[n] = uint16(i + 1)
	}
	if v, ok := s.cache[j][k]; ok {
		return v
	}
	v := s.screen.q(j, set)
	if math.IsNaN(v) {
		panic(fmt.Sprintf("search: score of parents %v of variable %d is not a number", set, j))
	}
	if s.cached++; s.cached > mostCached {
		for j := range s.cache {
			clear(s.cache[j])
		}
		s.cached = 1
	}
	s.cache[j][k] = v
	return v
}
