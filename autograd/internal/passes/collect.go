package passes

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Collect makes one operation of sums that only put arrays together: where at most one operand
// of each element may differ from zero, as gradients are put together of the parts of an input.
// It keeps every bit: numbers are added to zero, once rather than repeatedly. Facts about
// elements hold after it, those about what is read are found anew.
func Collect(f *ir.Func) {
	c := &collector{own: make([]bool, len(f.Values)), sum: make([]bool, len(f.Values))}
	for _, v := range f.Outputs {
		c.own[v.ID] = true
	}
	var all []*ir.Value
	for _, v := range slices.Backward(f.Values) {
		c.sum[v.ID] = putsTogether(v)
		for _, a := range v.Args {
			c.own[a.ID] = c.own[a.ID] || !c.sum[v.ID] && (!v.IsView() || c.own[v.ID])
		}
		if c.sum[v.ID] && c.own[v.ID] {
			all = append(all, v)
		}
	}
	if all == nil {
		return
	}
	for _, v := range slices.Backward(all) {
		c.collect(v)
	}
	findLive(f)
}

// A collector knows which values are sums that put arrays together, and which values
// something else reads.
type collector struct{ sum, own []bool }

// putsTogether reports whether v is a sum of arrays in which at most one operand of each
// element may differ from zero.
func putsTogether(v *ir.Value) bool {
	if !v.Computed() || !v.Is(ir.Add) || v.Len() < 2 || v.Args[0].Len() != v.Len() || v.Args[1].Len() != v.Len() {
		return false
	}
	for e, live := range v.Live {
		if live && v.Args[0].Support[e] && v.Args[1].Support[e] {
			return false
		}
	}
	return true
}

// collect makes v of the elements that it consists of.
func (c *collector) collect(v *ir.Value) {
	sources := make([]int, 2*v.Len())
	number := map[*ir.Value]int{}
	var args []*ir.Value
	for e := range v.Live {
		if !v.Live[e] {
			sources[2*e] = -1
			continue
		}
		at, i := c.found(v, e)
		if at == nil {
			sources[2*e] = -1
			continue
		}
		k, ok := number[at]
		if !ok {
			k = len(args)
			number[at] = k
			args = append(args, at)
		}
		sources[2*e], sources[2*e+1] = k, i
	}
	c.sum[v.ID] = false
	v.Op, v.Attr, v.Args = ir.CollectOp, ir.Attr{Ints: sources}, args
}

// found is the element that element e of v is, of a value that is neither a view nor such a
// sum; nil for a zero.
func (c *collector) found(v *ir.Value, e int) (*ir.Value, int) {
	for {
		switch {
		case !v.Support[e]:
			return nil, 0
		case v.IsView():
			v, e = v.Args[0], v.Index[e]
		case c.sum[v.ID] && v.Args[0].Support[e]:
			v = v.Args[0]
		case c.sum[v.ID]:
			v = v.Args[1]
		case v.Is(ir.Collected) && v.Attr.Ints[2*e] < 0:
			return nil, 0
		case v.Is(ir.Collected):
			v, e = v.Args[v.Attr.Ints[2*e]], v.Attr.Ints[2*e+1]
		default:
			return v, e
		}
	}
}
