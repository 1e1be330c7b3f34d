package lane

import (
	"math"

	"tobac/autograd/internal/ir"
)

// boundNumber is the number of the bound of v, or -1 if there is none. The weight of
// softmax counts 1: what is bounded are the other factors.
func (c *compiler) boundNumber(v *ir.Value) int32 {
	v = v.Origin()
	if n, ok := c.boundOf[v]; ok {
		return n
	}
	n := c.findBound(v)
	c.boundOf[v] = n
	return n
}

func (c *compiler) addBound(b bound) int32 {
	c.bounds = append(c.bounds, b)
	return int32(len(c.bounds) - 1)
}

// pruneBounds leaves out the bounds that no group of the stage asks for.
func (st *Stage) pruneBounds(all []bound) {
	read := make([]bool, len(all))
	for _, g := range st.Groups {
		if g.Weight != nil {
			read[g.Weight.bound] = true
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if b := &all[i]; read[i] {
			switch b.kind {
			case boundProduct, boundSum, boundWithin:
				read[b.a], read[b.b] = true, true
			case boundExp:
				read[b.a] = true
			case boundLargest:
				for _, n := range b.of {
					read[n] = true
				}
			}
		}
	}
	number := make([]int32, len(all))
	for i, b := range all {
		if !read[i] {
			continue
		}
		number[i] = int32(len(st.bounds))
		b.a, b.b = number[b.a], number[b.b]
		for j, n := range b.of {
			b.of[j] = number[n]
		}
		st.bounds = append(st.bounds, b)
	}
	for i := range st.Groups {
		if w := st.Groups[i].Weight; w != nil {
			w.bound = number[w.bound]
		}
	}
}

func (c *compiler) constantBound(x float64) int32 { return c.addBound(bound{c: math.Log2(x)}) }

// boundWithin bounds a function whose magnitude is at most x where its operands are finite.
func (c *compiler) boundWithin(x float64, args []int32) int32 {
	return c.addBound(bound{kind: boundWithin, a: args[0], b: args[len(args)-1], c: math.Log2(x)})
}

func (c *compiler) findBound(v *ir.Value) int32 {
	switch {
	case v.Const != nil:
		return c.addBound(bound{c: log2Max(v.Const)})
	case !c.plan.Varies(v):
		return c.addBound(bound{kind: boundMeasured, v: v})
	case v.Op == nil:
		if _, drawn := c.stream[v]; drawn {
			return c.constantBound(1)
		}
		return c.addBound(bound{kind: boundMeasured, v: v})
	case v.Is(ir.Barrier):
		return c.boundNumber(v.Args[0])
	case c.step(v):
		return c.addBound(bound{kind: boundMeasured, v: v})
	case v.Op.Over == ir.OverSoftmax:
		return c.constantBound(1)
	}
	args := make([]int32, len(v.Args))
	for i, a := range v.Args {
		if args[i] = c.boundNumber(a); args[i] < 0 {
			return none
		}
	}
	return c.boundOfResult(v, args)
}

// boundOfResult bounds an operation on values that are bounded.
func (c *compiler) boundOfResult(v *ir.Value, args []int32) int32 {
	rule, x := v.Bound()
	last := len(args) - 1
	switch rule {
	case ir.BoundWithin:
		return c.boundWithin(x, args)
	case ir.BoundLargest:
		if last == 0 {
			return args[0]
		}
		return c.addBound(bound{kind: boundLargest, of: args})
	case ir.BoundSum:
		return c.addBound(bound{kind: boundSum, a: args[max(last-1, 0)], b: args[last],
			c: math.Log2(x)})
	case ir.BoundProduct:
		return c.addBound(bound{kind: boundProduct, a: args[0], b: args[last], c: math.Log2(x)})
	case ir.BoundExp:
		return c.addBound(bound{kind: boundExp, a: args[0]})
	}
	return none
}

// place finds the numbers that are measured.
func (b *bound) place(c *compiler) {
	if b.kind != boundMeasured {
		return
	}
	s := c.plan.Place(b.v).Store
	if s == nil { // zero throughout
		b.kind, b.c = boundConstant, -1022
		return
	}
	b.off, b.n = s.Off, s.Slots*s.Width
}
