package mcmc

import "slices"

// A kid is a child of the node that moves.
type kid struct {
	link
	layer                         int
	before, near                  uint32 // without the node
	absent, behind, joined, alone number // weights
}

// relocate takes node v out and puts it back at random, into one of the layers or
// into a new one before, between or after them, in proportion to
// p(partition)^beta: a Gibbs step. It reports whether the partition is another.
//
// Let 0 … m−1 be the layers without v. The weights of a layer, multiplied, are
// absent(l) if v is in none of the layers before, behind(l) if v is in an earlier
// layer but the one right before, joined(l) if v is one of several nodes of the
// layer right before, alone(l) if it is the only one there. With w_v(k), the weight
// of v after the layers 0 … k−1,
//
//	p(alone before k) ∝ w_v(k) Π_{l<k} absent(l) · alone(k)    · Π_{l>k} behind(l),
//	p(in k)           ∝ w_v(k) Π_{l≤k} absent(l) · joined(k+1) · Π_{l>k+1} behind(l).
//
// Position 2k stands for alone before k, 2k+1 for in k.
func (c *mover) relocate(s *partition, v int, beta float64) bool {
	from, m := 2*s.layer[v]+1, len(s.size)
	if s.size[s.layer[v]] == 1 {
		from--
		m--
	}
	c.takeOut(s, v, from%2 == 0)
	c.weighNode(s, v, m)
	c.weighLayers(s, v, m, from%2 == 0)
	c.tail[m], c.tail[m+1], c.tail[m+2] = one, one, one
	for l := m - 1; l >= 0; l-- {
		c.tail[l] = c.tail[l+1].times(c.behind[l])
	}
	c.joined[m], c.alone[m] = one, one
	head, logs := one, c.logs[:2*m+1]
	for k := range m + 1 {
		base := head.times(c.own[k])
		logs[2*k] = base.times(c.alone[k]).times(c.tail[k+1]).log()
		if k < m {
			head = head.times(c.absent[k])
			logs[2*k+1] = base.times(c.absent[k]).times(c.joined[k+1]).times(c.tail[k+2]).log()
		}
	}
	to := c.choose(logs, beta)
	if to == from {
		return false
	}
	c.putBack(s, v, m, to)
	return true
}

// takeOut fills rest with the layers without v.
func (c *mover) takeOut(s *partition, v int, single bool) {
	copy(c.rest, s.layer)
	if !single {
		return
	}
	for u, l := range c.rest {
		if l > s.layer[v] {
			c.rest[u] = l - 1
		}
	}
}

// weighNode fills members and own.
func (c *mover) weighNode(s *partition, v, m int) {
	t := s.tables[v]
	clear(c.members[:m])
	for k, i := range t.parents {
		c.members[c.rest[i]] |= 1 << k
	}
	if t.given != 0 {
		c.members[t.latest(c.rest, v)] |= t.given
	}
	c.own[0] = t.source()
	before := uint32(0)
	for k := range m {
		near := c.members[k]
		before |= near
		c.own[k+1] = t.mass(before, near)
	}
}

// weighLayers fills kids, absent, behind, joined and alone.
func (c *mover) weighLayers(s *partition, v, m int, single bool) {
	s.know()
	for l := range m {
		from := l
		if single && l >= s.layer[v] {
			from++
		}
		c.absent[l], c.others[l] = s.products[from], s.size[from]
	}
	leave := func(l int, w number) {
		c.absent[l] = c.absent[l].per(w)
		c.others[l]--
	}
	if !single {
		leave(s.layer[v], s.weight[v])
	}
	c.kids = c.kids[:0]
	for _, to := range c.links[v] {
		c.kids = append(c.kids, kid{link: to, layer: c.rest[to.child]})
	}
	for _, u := range s.wide {
		if t := s.tables[u]; slices.Contains(t.extras, v) {
			c.kids = append(c.kids, kid{link: link{child: u, bit: t.given}, layer: c.rest[u]})
		}
	}
	for _, k := range c.kids {
		leave(k.layer, s.weight[k.child])
	}
	for l := range m {
		c.alone[l] = number{} // the others would have no parent in the layer before
		if c.others[l] == 0 {
			c.absent[l], c.alone[l] = one, one
		}
		c.behind[l], c.joined[l] = c.absent[l], c.absent[l]
	}
	for i := range c.kids {
		k := &c.kids[i]
		j, l := k.child, k.layer
		k.before, k.near = s.before[j]&^k.bit, s.near[j]&^k.bit
		if single && s.layer[j] == s.layer[v]+1 {
			_, k.near = s.tables[j].masks(c.rest, j)
			k.near &^= k.bit
		}
		if t := s.tables[j]; k.bit == t.given && t.latest(c.rest, v) == l-1 {
			k.near |= t.given // the other extra parents are before j
		}
		k.weigh(s.tables[j])
		c.absent[l] = c.absent[l].times(k.absent)
		c.behind[l] = c.behind[l].times(k.behind)
		c.joined[l] = c.joined[l].times(k.joined)
		c.alone[l] = c.alone[l].times(k.alone)
	}
}

// weigh computes the weights of a child.
func (k *kid) weigh(t *table) {
	if t.given != 0 {
		k.absent = t.weigh(k.layer, k.before, k.near)
		k.behind = t.mass(k.before|k.bit, k.near)
		k.joined = t.mass(k.before|k.bit, k.near|k.bit)
		k.alone = t.mass(k.before|k.bit, k.bit)
		return
	}
	with, without := t.within(k.before|k.bit), t.within(k.before)
	k.alone = t.between(with, without, k.before|k.bit, k.bit)
	if k.layer == 0 {
		k.absent, k.behind, k.joined = without, number{}, number{}
		return
	}
	far := t.within(k.before &^ k.near)
	k.joined = t.between(with, far, k.before|k.bit, k.near|k.bit)
	k.absent, k.behind = number{}, number{}
	if k.near != 0 {
		k.absent = t.between(without, far, k.before, k.near)
		k.behind = t.between(with, t.within((k.before|k.bit)&^k.near), k.before|k.bit, k.near)
	}
}

// putBack puts v, which relocate took out, at a position.
func (c *mover) putBack(s *partition, v, m, to int) {
	at, single := to/2, to%2 == 0
	for u, l := range c.rest {
		if single && l >= at {
			l++
		}
		s.layer[u] = l
	}
	s.layer[v] = at
	if single {
		m++
	}
	s.count(m)
	s.before[v], s.near[v] = 0, 0
	for l := range at {
		s.before[v] |= c.members[l]
		s.near[v] = c.members[l]
	}
	s.weight[v] = c.own[at]
	for i := range c.kids {
		k := &c.kids[i]
		j := k.child
		s.before[j], s.near[j] = k.before|k.bit, k.near
		switch l := k.layer; {
		case single && l == at:
			s.near[j], s.weight[j] = k.bit, k.alone
		case l <= at:
			s.before[j], s.weight[j] = k.before, k.absent
		case !single && l == at+1:
			s.near[j], s.weight[j] = k.near|k.bit, k.joined
		default:
			s.weight[j] = k.behind
		}
	}
}
