package mcmc

import "tobac/score"

// A problem is what all chains share, and does not change.
type problem struct {
	d        int
	scorer   score.Scorer
	prior    *score.Prior
	tables   []table
	children [][]link // children[i]: the variables that have i as candidate
	place    [][]int8 // place[j][i] is the bit of candidate i of j, or −1
	open     [][]int  // open[j]: the variables that may be parents of j, but are no candidates
}

// A link says that a variable is bit of the candidates of child.
type link struct {
	child int
	bit   uint32
}

// A partition is a list of layers, the state of a chain. A graph belongs to the
// partition whose layer l has the nodes with a longest path of l edges from a
// source: every node of layer l > 0 has a parent in layer l−1 and none in l or later.
type partition struct {
	layer  []int    // of each node
	size   []int    // of each layer, positive
	before []uint32 // candidates in earlier layers
	near   []uint32 // candidates in the layer before
	weight []number // Σ exp q(A) over the sets of parents that the partition allows
}

func newPartition(d int) *partition {
	return &partition{
		layer: make([]int, d), size: make([]int, 0, d),
		before: make([]uint32, d), near: make([]uint32, d), weight: make([]number, d),
	}
}

// masks returns the candidates of j that layer, which lists layers by node, puts
// before j, and of those the ones right before.
func (p *problem) masks(layer []int, j int) (before, near uint32) {
	own := layer[j]
	for k, i := range p.tables[j].candidates {
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

// weigh is the sum of exp q(A) over the sets of parents of j, which is in the
// given layer.
func (p *problem) weigh(j, layer int, before, near uint32) number {
	if layer == 0 {
		return p.tables[j].source()
	}
	return p.tables[j].mass(before, near)
}

// fill computes sizes, masks and weights from layer.
func (p *problem) fill(s *partition) {
	layers := 0
	for _, l := range s.layer {
		layers = max(layers, l+1)
	}
	s.size = s.size[:layers]
	clear(s.size)
	for j, l := range s.layer {
		s.size[l]++
		s.before[j], s.near[j] = p.masks(s.layer, j)
		s.weight[j] = p.weigh(j, l, s.before[j], s.near[j])
	}
}

// total is the probability of the partition, Π_j weight[j], up to a factor.
func (s *partition) total() number {
	product := one
	for _, w := range s.weight {
		product = product.times(w)
	}
	return product
}

// copyFrom makes s equal to t.
func (s *partition) copyFrom(t *partition) {
	copy(s.layer, t.layer)
	s.size = s.size[:len(t.size)]
	copy(s.size, t.size)
	copy(s.before, t.before)
	copy(s.near, t.near)
	copy(s.weight, t.weight)
}
