package models

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"tobac/autograd"
)

// NodeScores is a likelihood without parameters from a function log p(x_j | x_A) of a variable and its parents, such
// as a model with everything integrated out has. It is defined for graphs without soft edges only.
// Values are kept, by variable and set of parents, so that none is computed twice while there is room.
type NodeScores struct {
	d     int
	score func(j int, parents []int) float64
	nodes []scoreCache
	term  *autograd.Primitive
}

// Bounds of what a NodeScores keeps: variables whose sets fit the key, and sets of a variable.
const (
	keyWords = 4
	mostSets = 1 << 20
)

// A setKey has bit i of a set of parents.
type setKey [keyWords]uint64

func (k *setKey) flip(i int) { k[i/64] ^= 1 << (i % 64) }

// A scoreCache keeps the scores of a variable.
type scoreCache struct {
	sync.RWMutex
	known map[setKey]float64
}

var (
	_ Likelihood = (*NodeScores)(nil)
	_ HardOnly   = (*NodeScores)(nil)
	_ Flippable  = (*NodeScores)(nil)
)

// NewNodeScores is the likelihood of d variables with these scores, which get parents ascending, and must be safe for
// concurrent use. It panics if d < 1 or score is nil.
func NewNodeScores(d int, score func(j int, parents []int) float64) *NodeScores {
	if d < 1 || score == nil {
		panic(fmt.Sprintf("models: node scores of %d variables, want at least 1 and a function", d))
	}
	s := &NodeScores{d: d, score: score, nodes: make([]scoreCache, d)}
	for j := range s.nodes {
		s.nodes[j].known = map[setKey]float64{}
	}
	s.term = &autograd.Primitive{
		Name:  "node scores",
		Shape: func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) { return autograd.Shape{d}, nil },
		Value: func(_ autograd.Attr, out []float64, _ autograd.Shape, in [][]float64, _ []autograd.Shape) error {
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
	if s.d > 64*keyWords {
		return s.score(j, parents)
	}
	var key setKey
	for _, i := range parents {
		key.flip(i)
	}
	return s.at(j, key, parents)
}

// at is At with the key of the parents.
func (s *NodeScores) at(j int, key setKey, parents []int) float64 {
	c := &s.nodes[j]
	c.RLock()
	v, ok := c.known[key]
	c.RUnlock()
	if ok {
		return v
	}
	v = s.score(j, parents)
	c.Lock()
	if len(c.known) < mostSets {
		c.known[key] = v
	}
	c.Unlock()
	return v
}

// Vars implements [Likelihood].
func (s *NodeScores) Vars() int { return s.d }

// ParamLen implements [Likelihood]: 0.
func (s *NodeScores) ParamLen() int { return 0 }

// InitParams implements [Likelihood]; there is nothing to draw.
func (s *NodeScores) InitParams([]float64, *rand.Rand) {}

// HardOnly implements [HardOnly].
func (s *NodeScores) HardOnly() bool { return true }

// Terms implements [Likelihood]; theta is not used, and no gradient flows to g.
func (s *NodeScores) Terms(g, _ *autograd.Node) (prior, data *autograd.Node) {
	zero := g.Builder().Constant(make([]float64, s.d), autograd.Shape{s.d})
	return zero, s.term.Apply(autograd.Attr{}, g)
}

// Flipper implements [Flippable].
func (s *NodeScores) Flipper() Flipper { return &scoreFlipper{s: s} }

// A scoreFlipper reads the scores of sets that differ by one parent.
type scoreFlipper struct {
	s       *NodeScores
	parents []int
}

// Set implements [Flipper].
func (f *scoreFlipper) Set([]float64) {}

// Terms implements [Flipper].
func (f *scoreFlipper) Terms(dst []Term, j int, in []bool, flips []int) {
	var key setKey
	small := f.s.d <= 64*keyWords
	for i, v := range in {
		if v && small {
			key.flip(i)
		}
	}
	at := func() float64 {
		f.parents = parentsOf(f.parents[:0], in)
		if !small {
			return f.s.score(j, f.parents)
		}
		return f.s.at(j, key, f.parents)
	}
	dst[0] = Term{Data: at()}
	for k, i := range flips {
		in[i] = !in[i]
		if small {
			key.flip(i)
		}
		dst[1+k] = Term{Data: at()}
		in[i] = !in[i]
		if small {
			key.flip(i)
		}
	}
}

// AddGradient implements [Flipper]; there are no parameters.
func (f *scoreFlipper) AddGradient([]float64, int, []bool, float64, float64) {}

// parentsOf appends the places of true.
func parentsOf(dst []int, in []bool) []int {
	for i, v := range in {
		if v {
			dst = append(dst, i)
		}
	}
	return dst
}
