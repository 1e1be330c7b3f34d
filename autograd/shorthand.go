package autograd

import "fmt"

// Vector stacks scalars into a vector.
func Vector(first *Node, more ...*Node) *Node {
	parts := make([]*Node, len(more))
	for i, n := range more {
		parts[i] = n.Reshape(Shape{1})
	}
	return Concat(0, first.Reshape(Shape{1}), parts...)
}

// Ones is an array of ones.
func (b *Builder) Ones(shape Shape) *Node { return b.Scalar(1).Expand(shape) }

// Identity is the identity matrix of n×n.
func (b *Builder) Identity(n int) *Node { return b.Ones(Shape{n}).Diag() }

// SubFrom is c − x.
func (n *Node) SubFrom(c float64) *Node { return n.Neg().AddScalar(c) }

// Lower is the lower triangular d×d matrix whose elements on and below the diagonal are those
// of a vector, row by row. It panics unless the vector has d(d+1)/2 of them.
func (n *Node) Lower(d int) *Node {
	idx := LowerTriangle(d)
	if s := n.Shape(); len(s) != 1 || s[0] != len(idx) {
		panic(fmt.Sprintf("autograd: Lower(%d) of shape %v, want a vector of %d", d, s, len(idx)))
	}
	return n.ScatterAdd(idx, Shape{d, d})
}
