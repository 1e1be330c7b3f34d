package mcmc

import (
	"slices"

	"tobac/score"
)

// A problem is what all chains share, and does not change.
type problem struct {
	d      int
	scorer score.Scorer
	prior  *score.Prior
	tables []*table // without given parents
	links  [][]link // links[i]: the variables that have i as candidate
	place  [][]int8 // place[j][i] is the bit of candidate i of j, or −1
	open   [][]int  // open[j]: the variables that may be parents of j, but are no candidates
}

// A link says that a variable is bit of the parents of child.
type link struct {
	child int
	bit   uint32
}

// A partition is a list of layers, and for every node its parents that are no
// candidates: the state of a rung. A graph belongs to the partition whose layer l
// has the nodes with a longest path of l edges from a source: every node of layer
// l > 0 has a parent in layer l−1 and none in l or later.
type partition struct {
	tables []*table // with the parents that are no candidates as given ones
	links  [][]link // as in problem, with given parents
	layer  []int    // of each node
	size   []int    // of each layer, positive
	before []uint32 // candidates and given parents in earlier layers
	near   []uint32 // candidates and given parents in the layer before
	weight []number // Σ exp q(A) over the sets of parents that the partition allows
	reach  []number // Σ exp q(A) over the sets of candidates in earlier layers
}

func newPartition(p *problem) *partition {
	numbers := func() []number { return make([]number, p.d) }
	return &partition{
		tables: slices.Clone(p.tables), links: p.links,
		layer: make([]int, p.d), size: make([]int, 0, p.d),
		before: make([]uint32, p.d), near: make([]uint32, p.d), weight: numbers(), reach: numbers(),
	}
}

// masks returns the possible parents of j that layer, which lists layers by node,
// puts before j, and of those the ones right before.
func (t *table) masks(layer []int, j int) (before, near uint32) {
	own := layer[j]
	for k, i := range t.parents {
		switch l := layer[i]; {
		case l == own-1:
			near |= 1 << k
			before |= 1 << k
		case l < own:
			before |= 1 << k
		}
	}
	return before, near
}

// weigh is the sum of exp q over the sets of parents of a node of the given layer.
func (t *table) weigh(layer int, before, near uint32) number {
	if layer == 0 {
		return t.source()
	}
	return t.mass(before, near)
}

// fill computes sizes, masks and weights from layer.
func (p *problem) fill(s *partition) {
	layers := 0
	for _, l := range s.layer {
		layers = max(layers, l+1)
	}
	s.count(layers)
	for j, l := range s.layer {
		s.before[j], s.near[j] = s.tables[j].masks(s.layer, j)
		s.weight[j] = s.tables[j].weigh(l, s.before[j], s.near[j])
		s.reach[j] = p.tables[j].within(s.before[j])
	}
}

// count computes the sizes of the layers.
func (s *partition) count(layers int) {
	s.size = s.size[:layers]
	clear(s.size)
	for _, l := range s.layer {
		s.size[l]++
	}
}

// logReach is ln h = Σ_j ln reach[j]: roughly the logarithm of the probability of the
// partition, and that by which rungs are tempered.
func (s *partition) logReach() float64 {
	product := one
	for _, w := range s.reach {
		product = product.times(w)
	}
	return product.log()
}

// connect makes links from tables.
func (s *partition) connect() {
	links := make([][]link, len(s.tables))
	for j, t := range s.tables {
		for k, i := range t.parents {
			links[i] = append(links[i], link{child: j, bit: 1 << k})
		}
	}
	s.links = links
}
