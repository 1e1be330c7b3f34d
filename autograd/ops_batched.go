package autograd

import (
	"slices"

	"tobac/autograd/internal/ir"

	"gonum.org/v1/gonum/blas/blas64"
)

// matrixAt is the i-th of the rows×cols matrices that lie one behind the other.
func matrixAt(data []float64, i, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols,
		Data: data[i*rows*cols:][:rows*cols]}
}

// BatchMatMul is the matrix product of the last two dimensions, (…,m,k) times
// (…,k,n), for each index of the leading dimensions, which broadcast by the usual
// rule: those of the result are their common shape. One matrix that multiplies
// all from the right costs no copies.
func (n *Node) BatchMatMul(m *Node) *Node {
	switch {
	case n.b.err != nil:
		return n.b.fail(n.shape, "")
	case m.b != n.b:
		return n.b.fail(n.shape, "matmul: operand %v belongs to graph %q", m, m.b.name)
	}
	r, s := len(n.shape)-2, len(m.shape)-2
	if r <= 0 && s <= 0 {
		return n.op1("matmul", Attr{}, m)
	}
	if r < 0 || s < 0 || n.shape[r+1] != m.shape[s] {
		return n.b.fail(n.shape, "matmul: shapes %v and %v, want (…,m,k) and (…,k,n)", n.shape,
			m.shape)
	}
	rows, inner, cols := n.shape[r], n.shape[r+1], m.shape[s+1]
	if s == 0 { // all rows of n at once
		flat := n.Reshape(Shape{n.shape[:r+1].Len(), inner})
		return flat.MatMul(m).Reshape(append(slices.Clone(n.shape[:r+1]), cols))
	}
	lead, ok := ir.Broadcast(n.shape[:r], m.shape[:s])
	if !ok {
		return n.b.fail(n.shape, "matmul: leading dimensions of shapes %v and %v do not broadcast",
			n.shape, m.shape)
	}
	a := n.Expand(append(slices.Clone(lead), rows, inner))
	return a.op1("matmul", Attr{}, m.Expand(append(slices.Clone(lead), inner, cols)))
}

// transposeLast exchanges the last two dimensions.
func (n *Node) transposeLast() *Node {
	order := ir.Identity(len(n.shape))
	r := len(order) - 2
	order[r], order[r+1] = r+1, r
	return n.Transpose(order...)
}

// Kronecker is the Kronecker product of an (m,n) and a (p,q) matrix, of shape
// (mp,nq): block (i,j) is n[i,j] times the second matrix.
func (n *Node) Kronecker(m *Node) *Node {
	if len(n.shape) != 2 || len(m.shape) != 2 {
		return n.b.fail(n.shape, "kronecker: shapes %v and %v, want two matrices", n.shape, m.shape)
	}
	s, t := n.shape, m.shape
	return n.Reshape(Shape{s[0], 1, s[1], 1}).Mul(m.Reshape(Shape{1, t[0], 1, t[1]})).Reshape(
		Shape{s[0] * t[0], s[1] * t[1]})
}
