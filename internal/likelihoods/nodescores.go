package likelihoods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"tobac/autograd"
	"tobac/internal/scoring"
	"tobac/models"
)

// NodeScores is a likelihood without parameters from a function log p(x_j | x_A) of a variable and
// its parents, such as a model with everything integrated out has. It is defined for graphs without
// soft edges only. Values are kept, by variable and set of parents, so that none is computed twice
// while there is room.
type NodeScores struct {
	d     int
	score func(j int, parents []int) float64
	nodes []scoreCache
	term  *autograd.Primitive
}

// A scoreCache keeps the scores of variable j: in a table by the bits of the set where all parents
// come before it, which they do along an order.
type scoreCache struct {
	once sync.Once
	// bits of the score, 0 for those not computed; empty: too large, or not allocated
	table []atomic.Uint64
	known scoring.Memory[float64] // of other sets
}

// Bounds of what is kept: variables with a table, and other sets of a variable.
const (
	mostTabled = 20
	mostSets   = 1 << 20
)

var (
	_ models.Likelihood = (*NodeScores)(nil)
	_ models.HardOnly   = (*NodeScores)(nil)
	_ models.Flippable  = (*NodeScores)(nil)
)

// NewNodeScores is the likelihood of d variables with these scores, which get parents ascending,
// and must be safe for concurrent use. It panics if d < 1 or score is nil.
func NewNodeScores(d int, score func(j int, parents []int) float64) *NodeScores {
	if d < 1 || score == nil {
		panic(fmt.Sprintf("likelihoods: scores of %d variables, want at least 1 and a function", d))
	}
	s := &NodeScores{d: d, score: score, nodes: make([]scoreCache, d)}
	for j := range s.nodes {
		s.nodes[j].known.Most = mostSets
	}
	s.term = &autograd.Primitive{
		Name: "node scores",
		Shape: func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
			return autograd.Shape{d}, nil
		},
		Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
			_ []autograd.Shape) error {
			var parents []int
			for j := range out {
				parents = parents[:0]
				for i := range d {
					if i != j && in[0][i*d+j] != 0 {
						parents = append(parents, i)
					}
				}
				out[j] = s.At(j, parents)
			}
			return nil
		},
	}
	return s
}

// At is log p(x_j | x_A) of ascending parents.
func (s *NodeScores) At(j int, parents []int) float64 {
	if k := len(parents); j <= mostTabled && (k == 0 || parents[k-1] < j) {
		set := 0
		for _, i := range parents {
			set |= 1 << i
		}
		return s.tabled(j, set, func() []int { return parents })
	}
	return s.nodes[j].known.Of(j, parents, func() float64 { return s.score(j, parents) })
}

// tabled is the score of a set by its bits; parents lists it.
func (s *NodeScores) tabled(j, set int, parents func() []int) float64 {
	c := &s.nodes[j]
	c.once.Do(func() { c.table = make([]atomic.Uint64, 1<<j) })
	if bits := c.table[set].Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	v := s.score(j, parents())
	c.table[set].Store(math.Float64bits(v)) // a score of 0 is computed again
	return v
}

// Vars implements [models.Likelihood].
func (s *NodeScores) Vars() int { return s.d }

// ParamLen implements [models.Likelihood]: 0.
func (s *NodeScores) ParamLen() int { return 0 }

// InitParams implements [models.Likelihood]; there is nothing to draw.
func (s *NodeScores) InitParams([]float64, *rand.Rand) {}

// HardOnly implements [models.HardOnly].
func (s *NodeScores) HardOnly() bool { return true }

// Terms implements [models.Likelihood]; theta is not used, and no gradient flows to g.
func (s *NodeScores) Terms(g, _ *autograd.Node) (prior, data *autograd.Node) {
	zero := g.Builder().Constant(make([]float64, s.d), autograd.Shape{s.d})
	return zero, s.term.Apply(autograd.Attr{}, g)
}

// Flipper implements [models.Flippable].
func (s *NodeScores) Flipper() models.Flipper { return &scoreFlipper{s: s} }

// A scoreFlipper reads the scores of sets that differ by one parent.
type scoreFlipper struct {
	s       *NodeScores
	parents []int
}

// Set implements [models.Flipper].
func (f *scoreFlipper) Set([]float64) {}

// Terms implements [models.Flipper].
func (f *scoreFlipper) Terms(dst []models.Term, j int, in []bool, flips []int) {
	list := func() []int {
		f.parents = f.parents[:0]
		for i, v := range in {
			if v {
				f.parents = append(f.parents, i)
			}
		}
		return f.parents
	}
	set, tabled := 0, j <= mostTabled
	for i, v := range in {
		if v {
			set |= 1 << (i % 64)
			tabled = tabled && i < j
		}
	}
	at := func() models.Term {
		if tabled {
			return models.Term{Data: f.s.tabled(j, set, list)}
		}
		return models.Term{Data: f.s.At(j, list())}
	}
	dst[0] = at()
	for k, i := range flips {
		tabled = tabled && i < j
		in[i] = !in[i]
		set ^= 1 << (i % 64)
		dst[1+k] = at()
		set ^= 1 << (i % 64)
		in[i] = !in[i]
	}
}

// AddGradient implements [models.Flipper]; there are no parameters.
func (f *scoreFlipper) AddGradient([]float64, int, []bool, float64, float64) {}
