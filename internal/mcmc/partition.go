package mcmc

// A partition is a list of layers, and for every node the parents that are no
// candidates: the state of a rung. A graph belongs to the partition whose layer l has
// the nodes with a longest path of l edges from a source: every node of layer l > 0
// has a parent in layer l−1 and none in l or later.
type partition struct {
	tables []*table // with the parents that are no candidates given
	layer  []int    // of each node
	size   []int    // of each layer, positive
	before []uint32 // possible parents, as in the table, in earlier layers
	near   []uint32 // possible parents in the layer before
	weight []number // Σ exp q(A) over the sets of parents that the partition allows

	known    bool     // the fields below are those of the others
	products []number // of each layer, the weights multiplied
	wide     []int    // the nodes with parents that are no candidates
}

func newPartition(p *problem) *partition {
	s := &partition{
		tables: make([]*table, p.d), layer: make([]int, p.d), size: make([]int, 0, p.d),
		before: make([]uint32, p.d), near: make([]uint32, p.d), weight: make([]number, p.d),
	}
	copy(s.tables, p.tables)
	return s
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
	if t.given != 0 {
		switch l := t.latest(layer, j); {
		case l == own-1:
			near |= t.given
			before |= t.given
		case l < own:
			before |= t.given
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
func (s *partition) fill() {
	layers := 0
	for _, l := range s.layer {
		layers = max(layers, l+1)
	}
	s.count(layers)
	for j, l := range s.layer {
		t := s.tables[j]
		s.before[j], s.near[j] = t.masks(s.layer, j)
		s.weight[j] = t.weigh(l, s.before[j], s.near[j])
	}
}

// know computes products and wide, which many moves need that change nothing.
func (s *partition) know() {
	if s.known {
		return
	}
	s.products, s.wide, s.known = s.products[:0], s.wide[:0], true
	for range s.size {
		s.products = append(s.products, one)
	}
	for j, l := range s.layer {
		s.products[l] = s.products[l].times(s.weight[j])
		if len(s.tables[j].extras) > 0 {
			s.wide = append(s.wide, j)
		}
	}
}

// count computes the sizes of the layers.
func (s *partition) count(layers int) {
	s.known = false
	s.size = s.size[:layers]
	clear(s.size)
	for _, l := range s.layer {
		s.size[l]++
	}
}

// log is the logarithm of the probability of the partition, up to a constant.
func (s *partition) log() float64 {
	product, offset := one, 0.
	for j, w := range s.weight {
		product = product.times(w)
		offset += s.tables[j].offset
	}
	return product.log() + offset
}

// copyFrom makes s equal to t.
func (s *partition) copyFrom(t *partition) {
	s.known = false
	copy(s.tables, t.tables)
	copy(s.layer, t.layer)
	s.size = s.size[:len(t.size)]
	copy(s.size, t.size)
	copy(s.before, t.before)
	copy(s.near, t.near)
	copy(s.weight, t.weight)
}
