package autograd

import (
	"math"
	"slices"
)

// A digest mixes numbers into one that equal nodes share. Others may too: nodes are compared
// by what they are, never by a digest or by printed values.
type digest uint64

func (d *digest) add(x uint64) {
	h := (uint64(*d) ^ x) * 0x9E3779B97F4A7C15
	*d = digest(h ^ h>>29)
}

func (d *digest) ints(xs []int) {
	d.add(uint64(len(xs)))
	for _, x := range xs {
		d.add(uint64(x))
	}
}

func (d *digest) floats(xs []float64) {
	d.add(uint64(len(xs)))
	for _, x := range xs {
		d.add(math.Float64bits(x))
	}
}

func (d *digest) text(s string) {
	d.add(uint64(len(s)))
	for i := range len(s) {
		d.add(uint64(s[i]))
	}
}

// digestOf an operation, or of a constant that has neither primitive nor operands.
func digestOf(n *Node) digest {
	var d digest
	if n.op != nil {
		d.text(n.op.Name)
	}
	d.ints(n.attr.Ints)
	d.add(math.Float64bits(n.attr.Float))
	d.floats(n.attr.Floats)
	d.text(n.attr.Key)
	d.ints(n.shape)
	d.floats(n.value)
	for _, a := range n.args {
		d.add(uint64(a.id))
	}
	return d
}

// known is the node of the graph that is the operation or the constant n, bit by bit; nil if
// there is none.
func (b *Builder) known(n *Node, d digest) *Node {
	for o := b.alike[d]; o != nil; o = o.alike {
		if o.op == n.op && o.shape.Equal(n.shape) && (o.value == nil) == (n.value == nil) &&
			slices.Equal(o.args, n.args) && sameBits(o.value, n.value) && sameAttr(o.attr, n.attr) {
			return o
		}
	}
	return nil
}

// remember lets later nodes be found equal to n.
func (b *Builder) remember(n *Node, d digest) {
	n.alike = b.alike[d]
	b.alike[d] = n
}

func sameAttr(x, y Attr) bool {
	return x.Axis == y.Axis && x.Key == y.Key && math.Float64bits(x.Float) == math.Float64bits(y.Float) &&
		(x.Ints == nil) == (y.Ints == nil) && slices.Equal(x.Ints, y.Ints) && sameBits(x.Floats, y.Floats) &&
		(x.Shape == nil) == (y.Shape == nil) && slices.Equal(x.Shape, y.Shape)
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}
