package autograd

import "tobac/autograd/internal/ir"

// Grad appends the derivatives of y with respect to each x to the graph and
// returns them: nodes like any other, which can be combined, evaluated and
// differentiated again.
//
// y has the scalar shape. If it carries mapped axes, the sum over all their
// indices is differentiated: for an x that carries the same axes this is each
// index's own gradient (particles do not interact), for an x that does not it
// is the total. Result i has the shape and the axes of x[i]. It is zero for an x that y
// does not depend on through operations with a derivative.
func (b *Builder) Grad(y *Node, x ...*Node) []*Node {
	if b.err == nil && len(y.shape) != 0 {
		b.fail(nil, "gradient of %v: want a scalar shape", y)
	}
	return b.Vjp(y, b.Scalar(1), x...)
}

// Vjp appends the vector-Jacobian products (∂y/∂x[i])ᵀ·ct to the graph and returns them:
// the gradient of Σ y·ct with ct held fixed, by one pass of reverse mode. ct has y's shape
// and may lack mapped axes of y, along which it is constant. Otherwise it is [Builder.Grad],
// for a y of any shape.
func (b *Builder) Vjp(y, ct *Node, x ...*Node) []*Node {
	return b.pullBack([]*Node{y}, []*Node{ct}, x)
}

// pullBack appends Σ (∂y[k]/∂x[i])ᵀ·ct[k] over some results to the graph, for each x.
func (b *Builder) pullBack(y, ct, x []*Node) []*Node {
	out := make([]*Node, len(x))
	for i, n := range x {
		out[i] = &Node{b: b, id: -1, attr: &none, shape: n.shape}
	}
	if !b.checkReversal(y, ct, x) {
		return out
	}
	r := &reversal{b: b, wanted: map[*Node]bool{}, cts: map[*Node]*Node{},
		pieces: map[*Node][]*Node{}, later: map[*Node][]*Node{}}
	for _, n := range x {
		r.wanted[n] = true
	}
	top := -1
	for k, n := range y {
		top = max(top, n.id)
		r.add(n, ct[k])
	}
	r.needed = b.dependents(top, x)
	r.run(top, 0)
	if b.err != nil {
		return out
	}
	for i, n := range x {
		ct := r.cotangent(n)
		if ct == nil { // y does not depend on it
			ct = b.Constant(make([]float64, n.shape.Len()), n.shape)
		}
		for _, a := range b.axesOf(n.axes) {
			ct = ct.ExpandOver(a)
		}
		out[i] = ct
	}
	return out
}

// throughCopies takes a cotangent through what only repeats or reshapes a node: it is
// smaller behind it, and mapped axes are then summed over fewer numbers. Nodes whose own
// gradient is wanted are not passed.
func (r *reversal) throughCopies(ct, n *Node) (*Node, *Node) {
	for !r.wanted[n] && (n.is("expand") || n.is("reshape")) && ct.axes.Minus(n.axes) != 0 {
		ct, n = n.op.VJP(n, ct)[0], n.args[0]
	}
	return ct, n
}

// checkReversal reports whether cotangents and results fit, of nodes of this graph.
func (b *Builder) checkReversal(y, ct, x []*Node) bool {
	for k, n := range y {
		if b.err == nil && n.b != b {
			b.fail(nil, "gradient of %v: it belongs to graph %q", n, n.b.name)
		}
		for _, m := range append([]*Node{ct[k]}, x...) {
			if b.err == nil && m.b != b {
				b.fail(nil, "gradient of %v: %v belongs to graph %q", n, m, m.b.name)
			}
		}
		if b.err == nil && !ct[k].shape.Equal(n.shape) {
			b.fail(nil, "gradient of %v: cotangent %v, want shape %v", n, ct[k], n.shape)
		}
	}
	return b.err == nil
}

// dependents says of the nodes up to number top which depend on one of x.
func (b *Builder) dependents(top int, x []*Node) []bool {
	needed := make([]bool, top+1)
	for _, n := range x {
		if n.id <= top {
			needed[n.id] = true
		}
	}
	for i, n := range b.nodes[:top+1] {
		for _, a := range n.args {
			needed[i] = needed[i] || needed[a.id]
		}
	}
	return needed
}

// A reversal is one pass of reverse mode.
type reversal struct {
	b *Builder
	// by number: the node depends on what is differentiated by; those beyond do not
	needed []bool
	wanted map[*Node]bool // those that are differentiated by
	cts    map[*Node]*Node

	// Summands of a cotangent that are zero but for few elements. They are joined when
	// all are known, not added one by one: that would take the square of their number.
	pieces map[*Node][]*Node

	// Summands from the first outer product on. Many outer products are one product of
	// matrices, which needs no matrix for each.
	later map[*Node][]*Node
}

func (r *reversal) isNeeded(n *Node) bool { return n.id < len(r.needed) && r.needed[n.id] }

// run goes from node number top down to bottom and hands the cotangents of needed nodes
// to their operands.
func (r *reversal) run(top, bottom int) {
	for id := top; id >= bottom; id-- {
		n := r.b.nodes[id]
		switch {
		case n.op == nil:
		case n.op.joint != nil:
			n.op.joint.reverse(r, n)
		case n.op.VJP != nil && r.isNeeded(n):
			if ct := r.cotangent(n); ct != nil {
				r.step(n, n.op.VJP(n, ct))
			}
		}
		if r.b.err != nil {
			return
		}
	}
}

// step adds what the derivative rule of n has returned to the cotangents of its operands.
func (r *reversal) step(n *Node, parts []*Node) {
	b := r.b
	if b.err != nil {
		return
	}
	if len(parts) != len(n.args) {
		b.fail(nil, "%s: derivative rule returned %d cotangents, want %d", n.op.Name, len(parts),
			len(n.args))
		return
	}
	for i, part := range parts {
		arg := n.args[i]
		if part == nil || !r.isNeeded(arg) {
			continue
		}
		if part = n.checked(i, part); b.err != nil {
			return
		}
		part, arg = r.throughCopies(part, arg)
		r.add(arg, part.sumAxes(n, arg))
	}
}

// checked is what the derivative rule of n has returned for operand i, in its shape.
func (n *Node) checked(i int, part *Node) *Node {
	b, arg := n.b, n.args[i]
	if part.b != b {
		return b.fail(arg.shape, "%s: cotangent of operand %d belongs to graph %q", n.op.Name, i,
			part.b.name)
	}
	if n.op.Each2 != nil && len(arg.shape) == 0 && len(part.shape) > 0 {
		part = part.Sum() // the operand went with every element
	}
	if !part.shape.Equal(arg.shape) {
		return b.fail(arg.shape, "%s: cotangent of operand %d has shape %v, want %v", n.op.Name, i,
			part.shape, arg.shape)
	}
	return part
}

// Cotangents is one step of reverse mode: the vector-Jacobian products of the node's own
// operation with ct, a cotangent of its shape. Result i has the shape and the mapped axes
// of operand i, and is nil where nothing flows back. An input and a constant have none.
func (n *Node) Cotangents(ct *Node) []*Node {
	parts := make([]*Node, len(n.args))
	switch {
	case n.op == nil || !n.b.checkReversal([]*Node{n}, []*Node{ct}, nil):
	case n.op.joint != nil:
		copy(parts, []*Node{ct})
	case n.op.VJP != nil:
		made := n.op.VJP(n, ct)
		if n.b.err == nil && len(made) != len(parts) {
			n.b.fail(nil, "%s: derivative rule returned %d cotangents, want %d", n.op.Name,
				len(made), len(parts))
		}
		copy(parts, made)
	}
	for i, part := range parts {
		if n.b.err != nil {
			return parts
		}
		if part != nil {
			part = n.checked(i, part).sumAxes(n, n.args[i])
			for _, a := range n.args[i].Axes() {
				part = part.ExpandOver(a)
			}
			parts[i] = part
		}
	}
	return parts
}

// Summands whose places overlap are joined if there are at least leastPieces of them, each at
// most one part in that number of the whole.
const leastPieces = 8

// add adds to the cotangent of n.
func (r *reversal) add(n, part *Node) {
	switch {
	case part.is("scatter"):
		r.pieces[n] = append(r.pieces[n], part)
	case isOuter(part) || r.later[n] != nil:
		r.later[n] = append(r.later[n], part)
	default:
		r.sum(n, part)
	}
}

// sum adds a summand that is joined with no other.
func (r *reversal) sum(n, part *Node) {
	if old := r.cts[n]; old != nil {
		part = old.Add(part)
	}
	r.cts[n] = part
}

// cotangent is the sum of what has been added for n, nil for nothing.
func (r *reversal) cotangent(n *Node) *Node {
	if parts := r.later[n]; parts != nil {
		delete(r.later, n)
		for _, p := range joinOuter(parts) {
			r.sum(n, p)
		}
	}
	pieces := r.pieces[n]
	if pieces == nil {
		return r.cts[n]
	}
	delete(r.pieces, n)
	joined, rest := pieces, []*Node(nil)
	if !apart(pieces) {
		isSmall := func(p *Node) bool { return p.args[0].shape.Len()*leastPieces <= p.shape.Len() }
		joined = nil
		for _, p := range pieces {
			if isSmall(p) {
				joined = append(joined, p)
			} else {
				rest = append(rest, p)
			}
		}
		if len(joined) < leastPieces {
			joined, rest = nil, pieces
		}
	}
	if len(joined) > 0 {
		rest = append(rest, putTogether(joined))
	}
	for _, p := range rest {
		r.sum(n, p)
	}
	return r.cts[n]
}

// putTogether is the sum of scattered pieces of one array.
func putTogether(pieces []*Node) *Node {
	if len(pieces) == 1 {
		return pieces[0]
	}
	var values []*Node
	var at []int
	for _, p := range pieces {
		values = append(values, p.args[0].Reshape(Shape{p.args[0].shape.Len()}))
		at = append(at, p.attr.Ints...)
	}
	return Concat(0, values[0], values[1:]...).ScatterAdd(at, pieces[0].shape)
}

// apart reports whether no element belongs to two of the pieces, so that putting them together
// adds nothing up.
func apart(pieces []*Node) bool {
	taken := make([]bool, pieces[0].shape.Len())
	for _, p := range pieces {
		for _, e := range p.attr.Ints {
			if taken[e] {
				return false
			}
			taken[e] = true
		}
	}
	return true
}

// isOuter reports whether n is the product of a column and a row.
func isOuter(n *Node) bool {
	return n.is("matmul") && len(n.shape) == 2 && n.args[0].shape[1] == 1 && n.shape[0] > 1 &&
		n.shape[1] > 1
}

// joinOuter makes one product of matrices of a sum of many outer products, Σ aᵢ bᵢᵀ, which a
// weight has as its cotangent that every step of a loop reads, and leaves the other summands.
func joinOuter(parts []*Node) []*Node {
	var a, b, rest []*Node
	for _, p := range parts {
		if !isOuter(p) {
			rest = append(rest, p)
			continue
		}
		a, b = append(a, p.args[0].Reshape(Shape{1, p.shape[0]})), append(b, p.args[1])
	}
	if len(a) < leastPieces {
		return parts
	}
	return append(rest,
		Concat(0, a[0], a[1:]...).T().op1("matmul", Attr{}, Concat(0, b[0], b[1:]...)))
}

// sumAxes sums a cotangent over the mapped axes that the result y carries and
// its operand arg does not. Where the cotangent is constant along such an axis
// the sum is a factor.
func (ct *Node) sumAxes(y, arg *Node) *Node {
	if y.op.over == ir.OverUnstack { // its rule has stacked the axis away
		return ct
	}
	for _, a := range y.b.axesOf((y.axes | ct.axes).Minus(arg.axes)) {
		if ct.axes.Has(a.ir) {
			ct = ct.SumOver(a)
		} else {
			ct = ct.Scale(float64(a.Size()))
		}
	}
	return ct
}
