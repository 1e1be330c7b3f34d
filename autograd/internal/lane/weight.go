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
	case ir.Elementwise1:
		if v.Is(ir.Neg) {
			return of(c.operand(v, 0, e))
		}
	case ir.Elementwise2:
		x, y := c.both(v, e)
		a, b := of(x), of(y)
		switch v.Op.Form {
		case ir.Mul:
			if a != none {
				return a
			}
			return b
		case ir.Div, ir.Barrier:
			return a
		case ir.Add, ir.Sub:
			return c.either(a, b, x, y)
		}
	case ir.Select:
		x, y := c.operand(v, 1, e), c.operand(v, 2, e)
		return c.either(of(x), of(y), x, y)
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
	return none
}

// either is the weight of a sum of, or choice between, x and y with the weights a and b.
func (c *compiler) either(a, b int32, x, y ref) int32 {
	switch {
	case a == b, c.isZero(y):
		return a
	case c.isZero(x):
		return b
	}
	return none
}

// isZero reports whether an operand is the number 0.
func (c *compiler) isZero(r ref) bool {
	return r.kind == refZero || r.kind == refUniform && int(r.at) < len(c.plan.Constant) && c.plan.Constant[r.at] == 0
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
