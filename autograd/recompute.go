package autograd

import (
	"slices"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// Recompute has the values of f at x and evaluates f once more for the gradient, instead of
// keeping what f has computed on the way until reverse mode needs it: checkpointing. Only x
// and the results are kept. A chain of n steps that is cut into √n stretches needs memory
// for about 2√n steps in place of n, at the price of one more evaluation of each step.
//
// f is called at once, and again by every [Builder.Grad] that reaches its results, with
// other nodes in place of x. It must build the same results from them each time, at least
// one, and may use nodes from outside, to which derivatives flow as well; those are kept. It
// must not add inputs. Derivatives of all orders are those of f.
func Recompute(f func(x []*Node) []*Node, x ...*Node) []*Node {
	ys := f(x)
	if len(ys) == 0 {
		panic("autograd: recomputed function without results")
	}
	b := ys[0].b
	j := &joint{f: f, x: x}
	p := &Primitive{Name: "recompute", Shape: sameShape, view: showFirst, joint: j}
	out := make([]*Node, len(ys))
	for i, y := range ys {
		if out[i] = b.apply(p, Attr{}, y); b.err != nil {
			return out
		}
		k := slices.Index(j.outputs, out[i]) // results that are one node are one result
		if k < 0 {
			k = len(j.outputs)
			j.outputs = append(j.outputs, out[i])
		}
		j.which = append(j.which, k)
	}
	return out
}

// reverse evaluates the function again and continues the pass through it. At the earliest
// result all of the cotangents are known, since none of the results reads another.
func (j *joint) reverse(r *reversal, n *Node) {
	if n != j.outputs[0] {
		return
	}
	var after *Node
	cts := make([]*Node, len(j.outputs))
	for i, o := range j.outputs {
		if r.isNeeded(o) {
			cts[i] = r.cotangent(o)
		}
		if cts[i] != nil {
			after = cts[i]
		}
	}
	if after == nil {
		return
	}
	again := make([]*Node, len(j.x))
	bottom, top := len(r.b.nodes), 0
	for i, x := range j.x {
		again[i] = x.barrier(after)
		bottom = min(bottom, again[i].id)
	}
	ys := j.f(again)
	if !j.agrees(ys) {
		return
	}
	for i, y := range ys {
		top = max(top, y.id)
		if k := j.which[i]; cts[k] != nil {
			r.add(y, cts[k])
			cts[k] = nil
		}
	}
	r.widen(bottom, top)
	r.run(top, bottom)
}

// agrees reports whether the second evaluation has results like the first, and makes it an
// error of the builder if not.
func (j *joint) agrees(ys []*Node) bool {
	b := j.outputs[0].b
	if b.err == nil && len(ys) != len(j.which) {
		b.fail(nil, "recompute: the second evaluation has %d results, want %d as the first",
			len(ys), len(j.which))
	}
	for i, k := range j.which {
		if b.err != nil {
			return false
		}
		if want := j.outputs[k]; ys[i].b != b || !ys[i].shape.Equal(want.shape) ||
			ys[i].axes != want.axes {
			b.fail(nil, "recompute: result %d of the second evaluation is %v, want one like %v", i,
				ys[i], want.args[0])
		}
	}
	return b.err == nil
}

// widen finds out which of the nodes from number bottom to top are needed.
func (r *reversal) widen(bottom, top int) {
	if more := top + 1 - len(r.needed); more > 0 {
		r.needed = append(r.needed, make([]bool, more)...)
	}
	for id := bottom; id <= top; id++ {
		for _, a := range r.b.nodes[id].args {
			r.needed[id] = r.needed[id] || r.needed[a.id]
		}
	}
}

// barrier has the value of n and is computed after another node, where that carries no
// axis that n lacks. What is computed from it is not what is computed from n, for the
// builder and for the compiler alike.
func (n *Node) barrier(after *Node) *Node {
	token := n.b.Scalar(0)
	if after.shape.Len() > 0 && after.axes.Minus(n.axes) == 0 {
		token = after.Gather([]int{0}, Shape{})
	}
	return n.b.apply(barrier, Attr{}, n, token)
}

// barrier copies its first operand.
var barrier = elementwise2("barrier", ir.Binary{
	Form: ir.Barrier,
	F:    func(a, _ float64) float64 { return a },
	VV:   func(dst, a, _ []float64) { copy(dst, a) },
	VS:   func(dst, a []float64, _ float64) { copy(dst, a) },
	SV:   func(dst []float64, a float64, _ []float64) { vector.Fill(dst, a) },
	Zero: ir.ZeroFirst,
}, func(_, ct *Node) []*Node { return []*Node{ct, nil} })

// showFirst is of operations that have the value of their first operand.
func showFirst(_ Attr, shape, _ Shape) []int { return ir.Identity(shape.Len()) }
