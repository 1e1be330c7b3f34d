package autograd

import (
	"errors"
	"fmt"

	"tobac/autograd/internal/ir"
)

// ErrNotPositiveDefinite is the cause of the error of a run in which a
// Cholesky factorisation met a matrix that is not positive definite.
var ErrNotPositiveDefinite = errors.New("matrix is not positive definite")

func squareShape(_ Attr, in []Shape) (Shape, error) {
	if len(in[0]) != 2 || in[0][0] != in[0][1] {
		return nil, fmt.Errorf("shape %v, want a square matrix", in[0])
	}
	return in[0], nil
}

func init() {
	register(
		&Primitive{
			Name:  "cholesky",
			Shape: squareShape,
			form:  ir.Cholesky,
			// Lower factor L of A = L Lᵀ; only the lower triangle of A is read.
			Value: evalCholesky,
			// Ā = ½ L⁻ᵀ (P + Pᵀ) L⁻¹ with P = Φ(Lᵀ L̄), Φ the lower triangle with
			// halved diagonal; folded onto the lower triangle, the only part read.
			VJP: func(y, ct *Node) []*Node {
				p := y.T().MatMul(ct).lowerHalf()
				s := p.Add(p.T())
				// X = L⁻ᵀ S, then X L⁻¹ = (L⁻ᵀ Xᵀ)ᵀ.
				x := y.SolveLowerT(s)
				full := y.SolveLowerT(x.T()).T().Scale(0.5)
				return []*Node{full.lowerHalf().Scale(2)}
			},
		},
		&Primitive{
			Name:  "solve_lower",
			Shape: solveShape,
			form:  ir.SolveLower,
			// X of L X = B; only the lower triangle of L is read.
			Value: func(_ Attr, x []float64, shape Shape, in [][]float64, _ []Shape) error {
				solveTriangular(x, in[1], shape, in[0], false)
				return nil
			},
			VJP: func(y, ct *Node) []*Node {
				g := y.args[0].SolveLowerT(ct)
				return []*Node{g.MatMul(y.T()).Neg().lower(), g}
			},
		},
		&Primitive{
			Name:  "solve_lower_t",
			Shape: solveShape,
			form:  ir.SolveLowerT,
			// X of Lᵀ X = B; only the lower triangle of L is read.
			Value: func(_ Attr, x []float64, shape Shape, in [][]float64, _ []Shape) error {
				solveTriangular(x, in[1], shape, in[0], true)
				return nil
			},
			VJP: func(y, ct *Node) []*Node {
				g := y.args[0].SolveLower(ct)
				return []*Node{y.MatMul(g.T()).Neg().lower(), g}
			},
		},
	)
}

func solveShape(_ Attr, in []Shape) (Shape, error) {
	l, b := in[0], in[1]
	if len(l) != 2 || l[0] != l[1] || len(b) != 2 || b[0] != l[0] {
		return nil, fmt.Errorf("shapes %v and %v, want (n,n) and (n,m)", l, b)
	}
	return b, nil
}

// lower keeps the lower triangle of a square matrix, diagonal included.
func (n *Node) lower() *Node { return n.weighTriangle(1) }

// lowerHalf keeps the lower triangle of a square matrix and halves its diagonal.
func (n *Node) lowerHalf() *Node { return n.weighTriangle(0.5) }

func (n *Node) weighTriangle(diagonal float64) *Node {
	if n.b.err != nil {
		return n
	}
	d := n.shape[0]
	w := make([]float64, d*d)
	for i := range d {
		for j := range i {
			w[i*d+j] = 1
		}
		w[i*d+i] = diagonal
	}
	return n.Mul(n.b.Constant(w, n.shape))
}

// Cholesky is the lower triangular L of n = L Lᵀ. Only the lower triangle of n
// is read, and only it receives a derivative. A run on a matrix that is not
// positive definite fails with [ErrNotPositiveDefinite].
func (n *Node) Cholesky() *Node { return n.op1("cholesky", Attr{}) }

// LogDet is ln |n| of a symmetric positive definite matrix, by Cholesky.
func (n *Node) LogDet() *Node { return n.Cholesky().Diagonal().Log().Sum().Scale(2) }

// SolveLower is X of n X = b, with n lower triangular; its upper triangle is
// not read.
func (n *Node) SolveLower(b *Node) *Node { return n.op1("solve_lower", Attr{}, b) }

// SolveLowerT is X of nᵀ X = b, with n lower triangular; its upper triangle is
// not read.
func (n *Node) SolveLowerT(b *Node) *Node { return n.op1("solve_lower_t", Attr{}, b) }
