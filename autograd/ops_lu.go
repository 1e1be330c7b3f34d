package autograd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"tobac/internal/vector"
)

// ErrSingular is the cause of the error of a run in which a factorisation with
// partial pivoting met a pivot that is 0 or NaN.
var ErrSingular = errors.New("matrix is singular")

// The factorisation P A = L U of an (n,n) matrix is one vector: L below and U on
// and above the diagonal of an (n,n) matrix, the row exchanges (row i with row
// pivot[i], in order), the sign of the determinant, and the logarithm of its
// absolute value. It has no derivative: what is computed with it has A as another
// operand, and derivatives with respect to that one. So solutions, determinants
// and their derivatives share one factorisation.
func init() {
	register(
		&Primitive{
			Name: "lu",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				s, err := squareShape(at, in)
				if err != nil {
					return nil, err
				}
				return Shape{s[0]*s[0] + s[0] + 2}, nil
			},
			Value: evalLU,
		},
		&Primitive{
			// X of A X = B, or of Aᵀ X = B, from A, its factorisation and B.
			Name: "lu_solve",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				return solveShape(at, []Shape{in[0], in[2]})
			},
			Value: evalLUSolve,
			VJP: func(y, ct *Node) []*Node {
				a := y.args[0]
				if y.attr.Ints != nil {
					g := a.Solve(ct)
					return []*Node{y.MatMul(g.T()).Neg(), nil, g}
				}
				g := a.SolveT(ct)
				return []*Node{g.MatMul(y.T()).Neg(), nil, g}
			},
		},
		&Primitive{
			// ln |det A| from A and its factorisation.
			Name: "log_abs_det",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				_, err := squareShape(at, in)
				return Shape{}, err
			},
			Value: func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
				out[0] = in[1][len(in[1])-1]
				return nil
			},
			VJP: func(y, ct *Node) []*Node {
				a := y.args[0]
				return []*Node{a.SolveT(a.identity()).Mul(ct), nil}
			},
		},
	)
}

// pivotWorkspaces hold the row exchanges of a factorisation, so that it allocates
// nothing.
var pivotWorkspaces = sync.Pool{New: func() any { return new([]int) }}

func evalLU(_ Attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
	n := shapes[0][0]
	lu, exchanges := out[:n*n], out[n*n:][:n]
	copy(lu, in[0])
	workspace := pivotWorkspaces.Get().(*[]int)
	defer pivotWorkspaces.Put(workspace)
	*workspace = slices.Grow((*workspace)[:0], n)
	pivot := (*workspace)[:n]
	// Whether a pivot is 0 is seen below, where NaN is seen as well.
	lapack64.Getrf(matrixAt(lu, 0, n, n), pivot)
	sign, sum := 1.0, 0.0
	for i, k := range pivot {
		u := lu[i*n+i]
		if !(math.Abs(u) > 0) {
			return fmt.Errorf("lu: pivot %d is %v: %w", i, u, ErrSingular)
		}
		if (u < 0) != (k != i) {
			sign = -sign
		}
		sum += vector.Log(math.Abs(u))
		exchanges[i] = float64(k)
	}
	out[n*n+n], out[n*n+n+1] = sign, sum
	return nil
}

func evalLUSolve(at Attr, x []float64, shape Shape, in [][]float64, _ []Shape) error {
	n, m := shape[0], shape[1]
	if n*m == 0 {
		return nil
	}
	lu, exchanges := in[1][:n*n], in[1][n*n:][:n]
	if math.IsNaN(exchanges[0]) { // there is no factorisation, which has been said
		vector.Fill(x, math.NaN())
		return nil
	}
	copy(x, in[2])
	b := matrixAt(x, 0, n, m)
	lower := blas64.Triangular{Uplo: blas.Lower, Diag: blas.Unit, N: n, Stride: n, Data: lu}
	upper := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Stride: n, Data: lu}
	if at.Ints != nil { // Uᵀ Lᵀ P X = B
		blas64.Trsm(blas.Left, blas.Trans, 1, upper, b)
		blas64.Trsm(blas.Left, blas.Trans, 1, lower, b)
		for i := n - 1; i >= 0; i-- {
			swapRows(x, m, i, int(exchanges[i]))
		}
		return nil
	}
	for i, k := range exchanges { // L U X = P B
		swapRows(x, m, i, int(k))
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower, b)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, upper, b)
	return nil
}

func swapRows(x []float64, cols, i, k int) {
	if i != k {
		blas64.Swap(blas64.Vector{N: cols, Inc: 1, Data: x[i*cols:]},
			blas64.Vector{N: cols, Inc: 1, Data: x[k*cols:]})
	}
}

// identity is the constant identity matrix of n's shape.
func (n *Node) identity() *Node {
	d := n.shape[0]
	one := make([]float64, d*d)
	for i := range d {
		one[i*(d+1)] = 1
	}
	return n.b.Constant(one, Shape{d, d})
}

// luSolve applies the row lu_solve after checking the shapes under the given name.
func (n *Node) luSolve(name string, at Attr, b *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(b.shape, "")
	}
	if _, err := solveShape(at, []Shape{n.shape, b.shape}); err != nil {
		return n.b.fail(b.shape, "%s: %w", name, err)
	}
	return n.op1("lu_solve", at, n.op1("lu", Attr{}), b)
}

// Solve is X of n X = b for an (n,n) matrix and an (n,m) one, by Gaussian
// elimination with partial pivoting. A run with a pivot that is exactly 0, or
// NaN, fails with [ErrSingular]; a matrix that is singular but for rounding is not
// found out. For triangular and positive definite matrices see
// [Node.SolveLower], [Node.SolveUpper] and [Node.Cholesky]. All solutions,
// inverses and determinants of one node share its factorisation.
func (n *Node) Solve(b *Node) *Node { return n.luSolve("solve", Attr{}, b) }

// SolveT is X of nᵀ X = b; see [Node.Solve].
func (n *Node) SolveT(b *Node) *Node {
	return n.luSolve("solve transposed", Attr{Ints: []int{1}}, b)
}

// MatInverse is the inverse of a square matrix; see [Node.Solve], which is
// cheaper and more accurate where the inverse would only be multiplied.
// [Node.Inverse] is the element-wise one.
func (n *Node) MatInverse() *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if _, err := squareShape(Attr{}, []Shape{n.shape}); err != nil {
		return n.b.fail(n.shape, "inverse: %w", err)
	}
	return n.Solve(n.identity())
}

// SLogDet is the sign, −1 or 1, and the logarithm of the absolute value of the
// determinant of a square matrix, both scalars. The sign has no derivative. The
// determinant of a singular matrix is not returned as 0: the run fails, as in
// [Node.Solve]. For positive definite matrices [Node.LogDet] takes half the time.
func (n *Node) SLogDet() (sign, logAbs *Node) {
	if n.b.err != nil {
		f := n.b.fail(Shape{}, "")
		return f, f
	}
	if _, err := squareShape(Attr{}, []Shape{n.shape}); err != nil {
		f := n.b.fail(Shape{}, "slogdet: %w", err)
		return f, f
	}
	f := n.op1("lu", Attr{})
	return f.Gather([]int{f.shape[0] - 2}, Shape{}), n.op1("log_abs_det", Attr{}, f)
}

// SolveUpper is X of n X = b, with n upper triangular; its lower triangle is not
// read. As in [Node.SolveLower], a 0 on the diagonal makes infinities or NaN.
func (n *Node) SolveUpper(b *Node) *Node {
	return n.solveUpper("solve_upper", (*Node).SolveLowerT, b)
}

// SolveUpperT is X of nᵀ X = b, with n upper triangular; its lower triangle is not
// read. A 0 on the diagonal makes infinities or NaN.
func (n *Node) SolveUpperT(b *Node) *Node {
	return n.solveUpper("solve_upper_t", (*Node).SolveLower, b)
}

func (n *Node) solveUpper(name string, solve func(l, b *Node) *Node, b *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(b.shape, "")
	}
	if _, err := solveShape(Attr{}, []Shape{n.shape, b.shape}); err != nil {
		return n.b.fail(b.shape, "%s: %w", name, err)
	}
	return solve(n.T(), b)
}
