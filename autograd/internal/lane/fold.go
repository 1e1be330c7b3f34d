package lane

import (
	"tobac/autograd/internal/ir"
)

// isOne reports whether r is the constant 1, be it as an element of a value that
// differs between lanes elsewhere: 1 − 0 on the diagonal of I − W.
func (em *emitter) isOne(r ref) bool {
	if r.kind == refLane {
		memo := &em.c.ones[r.at]
		if *memo == 0 {
			*memo = -1
			if v, e := em.c.of(r.at); v.Is(ir.Sub) || v.Is(ir.Add) {
				if x, y := em.c.both(v, e); y.kind == refZero && em.isOne(x) {
					*memo = 1
				}
			}
		}
		return *memo == 1
	}
	return r.kind == refUniform && int(r.at) < len(em.c.plan.Constant) &&
		em.c.plan.Constant[r.at] == 1
}

// foldLimit is the number of products of uniform numbers up to which factors of
// lanes are multiplied with those of matrix products, once in every run: beyond
// it reading the products takes longer than scaling the lanes.
const foldLimit = 4096

// foldFactor moves a uniform factor of a term's lanes to the uniform side.
func (em *emitter) foldFactor(t linearTerm) linearTerm {
	if !em.c.fold || t.x.kind != refLane {
		return t
	}
	if _, done := em.done(t.x.at); done {
		return t
	}
	x, k, ok := em.c.folded(t)
	if !ok {
		return t
	}
	at, ok := em.c.product(k)
	if !ok {
		return t
	}
	return linearTerm{x, at}
}

// folded takes apart a term on lanes that are others times a uniform number.
func (c *compiler) folded(t linearTerm) (x ref, k uniformProduct, ok bool) {
	x, k = t.x, uniformProduct{a: t.factor}
	for x.kind == refLane {
		v, e := c.of(x.at)
		if c.keep[x.at] >= 0 {
			break
		}
		switch {
		case v.Is(ir.Neg):
			x, k.neg = c.operand(v, 0, e), !k.neg
			continue
		case v.Is(ir.Sub):
			if a, b := c.both(v, e); a.kind == refZero {
				x, k.neg = b, !k.neg
				continue
			}
		case v.Is(ir.Mul):
			a, b := c.both(v, e)
			if a.kind == refUniform {
				a, b = b, a
			}
			if a.kind == refLane && b.kind == refUniform {
				k.b = b.at
				return a, k, true
			}
		}
		break
	}
	return x, k, false
}

// product is the offset of a product of two uniform numbers, if there is room for
// it. It is computed if a tile reads it there: see layPanels.
func (c *compiler) product(k uniformProduct) (at int32, ok bool) {
	if at, ok := c.productAt[k]; ok {
		return at, true
	}
	if len(c.productAt) == c.productRoom {
		return 0, false
	}
	at = int32(c.productsAt + len(c.productAt))
	c.productAt[k] = at
	c.products = append(c.products, storedProduct{k, at})
	return at, true
}

// countProducts is the number of different products that folding factors takes, or
// a number above the limit.
func (c *compiler) countProducts() int {
	seen := map[uniformProduct]bool{}
	for _, v := range c.f.Values {
		if !c.plan.Varies(v) || v.Class() != ir.MatMul || !v.Computed() || c.ofLanes(v) {
			continue
		}
		for e, live := range v.Live {
			if !live {
				continue
			}
			c.eachTerm(v, e, func(t term) bool {
				if _, k, ok := c.folded(linearTerm{t[0], t[1].at}); ok {
					seen[k] = true
				}
				return len(seen) <= foldLimit
			})
			if len(seen) > foldLimit {
				return len(seen)
			}
		}
	}
	return len(seen)
}
