package lane

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/passes"
)

// unknown is the memo of an element that has not been looked at.
const unknown = int32(-2)

// proportional is the softmax weight that the element is a multiple of, or none. Only
// the weights count that reverse mode made.
func (c *compiler) proportional(k int32) int32 {
	if c.weight[k] == unknown {
		c.weight[k] = c.findProportional(k)
	}
	return c.weight[k]
}

func (c *compiler) findProportional(k int32) int32 {
	v, e := c.of(k)
	if v.Op == nil || !c.plan.Has(sparse) {
		return none
	}
	if v.Is(ir.Weight) {
		return k
	}
	of := func(r ref) int32 {
		if r.kind == refLane {
			return c.proportional(r.at)
		}
		return none
	}
	switch v.Op.Class {
	case ir.Sum, ir.MatMul:
		common, first := none, true
		c.eachTerm(v, e, func(t term) bool {
			m := of(t[0])
			if m == none {
				m = of(t[1])
			}
			if m == none || !first && m != common {
				common = none
				return false
			}
			common, first = m, false
			return true
		})
		return common
	}
	rule := v.Linear()
	if rule == ir.LinearNone {
		return none
	}
	found, first := none, true
	v.Reads(e, func(arg, at int) {
		r := c.ref(v.Args[arg], at)
		m := of(r)
		switch {
		case rule == ir.LinearFirst && arg > 0, rule == ir.LinearRest && arg == 0:
		case rule == ir.LinearEither:
			if found == none {
				found = m
			}
		case rule != ir.LinearFirst && c.isZero(r):
		case first:
			found, first = m, false
		case m != found:
			found = none
		}
	})
	return found
}

// isZero reports whether an operand is the number 0.
func (c *compiler) isZero(r ref) bool {
	return r.kind == refZero || r.kind == refUniform && int(r.at) < len(c.plan.Constant) &&
		c.plan.Constant[r.at] == 0
}

// selectable reports whether the operand of the softmax that weight m is of is kept, so
// that its lanes can be selected.
func (c *compiler) selectable(m int32) bool { return c.selector(m) >= 0 }

// selector is the register of x of the weight e^(x − logsumexp x).
func (c *compiler) selector(m int32) int32 {
	v, e := c.of(m)
	r := c.ref(v.Args[0], e)
	if r.kind != refLane {
		return none
	}
	return c.keep[r.at]
}

const sparse = passes.SparseCotangents
