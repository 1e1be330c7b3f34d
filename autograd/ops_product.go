package autograd

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
)

func init() {
	register(&Primitive{
		// One product for each index of the leading dimensions, which agree.
		Name: "matmul",
		Shape: func(_ Attr, in []Shape) (Shape, error) {
			a, b := in[0], in[1]
			r := len(a) - 2
			if r < 0 || len(b) != len(a) || a[r+1] != b[r] || !a[:r].Equal(b[:r]) {
				return nil, fmt.Errorf("shapes %v and %v, want (…,m,k) and (…,k,n)", a, b)
			}
			return append(slices.Clone(a[:r+1]), b[r+1]), nil
		},
		Value: func(_ Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error {
			r := len(shape) - 2
			m, k, n := shape[r], shapes[0][r+1], shape[r+1]
			clear(out)
			for i := range shape[:r].Len() * m { // rows of all matrices
				b := in[1][i/m*k*n:]
				for l := range k {
					x := in[0][i*k+l]
					for j := range n {
						out[i*n+j] += x * b[l*n+j]
					}
				}
			}
			return nil
		},
		class: ir.MatMul,
		form:  ir.Product,
		VJP: func(y, ct *Node) []*Node {
			a, b := y.args[0], y.args[1]
			return []*Node{ct.MatMul(b.transposeLast()), a.transposeLast().MatMul(ct)}
		},
	})
}

// MatMul is the matrix product of an (m,k) and a (k,n) node. With leading
// dimensions it is [Node.BatchMatMul].
func (n *Node) MatMul(m *Node) *Node {
	if len(n.shape) > 2 || len(m.shape) > 2 {
		return n.BatchMatMul(m)
	}
	return n.op1("matmul", Attr{}, m)
}

// MatVec is the product of an (m,k) matrix and a k-vector.
func (n *Node) MatVec(v *Node) *Node {
	if len(v.shape) != 1 || len(n.shape) != 2 || n.shape[1] != v.shape[0] {
		return n.b.fail(v.shape, "matvec: shapes %v and %v, want (m,k) and (k)", n.shape, v.shape)
	}
	return n.MatMul(v.Reshape(Shape{v.shape[0], 1})).Reshape(Shape{n.shape[0]})
}

// Outer is the product n mᵀ of an m-vector and a k-vector, of shape (m,k).
func (n *Node) Outer(m *Node) *Node {
	if len(n.shape) != 1 || len(m.shape) != 1 {
		return n.b.fail(n.shape, "outer: shapes %v and %v, want two vectors", n.shape, m.shape)
	}
	return n.Reshape(Shape{n.shape[0], 1}).Mul(m.Reshape(Shape{1, m.shape[0]}))
}
