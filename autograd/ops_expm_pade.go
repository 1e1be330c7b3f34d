package autograd

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"tobac/internal/vector"
)

// The exponential of a matrix and its Fréchet derivative by scaling and squaring
// (Al-Mohy and Higham 2009, algorithm 6.4): of A/2ˢ the Padé approximant
//
//	R = (V − U)⁻¹ (V + U),   V = Σ cₖ Aᵏ over even k ≤ m,   U = the same over odd k,
//
// whose derivative follows term by term, and then s squarings. The coefficients are
// cₖ = cₖ₋₁ (m+1−k) / (k (2m+1−k)), c₀ = 1: none is large, so that what overflows is
// the result.

// padeDegrees lists degrees m and the 1-norms up to which the derivative is exact to
// rounding (the same paper, table 6.1). Larger matrices are scaled to the last norm.
var padeDegrees = []struct {
	degree int
	norm   float64
}{{3, 1.08e-2}, {5, 2.00e-1}, {7, 7.83e-1}, {9, 1.78}, {13, 4.74}}

// A dual is a matrix and its derivative in the direction e.
type dual struct{ x, d blas64.General }

// An exponential is the workspace of one evaluation on n×n matrices.
type exponential struct {
	n          int
	derivative bool // whether derivatives are computed
	data       []float64
	pivot      []int

	a, square, power dual // A, A², Aᵏ
	u, v             dual
	result           dual
	spare            dual
}

// exponentials are workspaces to use again, so that evaluations allocate nothing.
var exponentials = sync.Pool{New: func() any { return new(exponential) }}

func newExponential(n int, derivative bool) *exponential {
	x := exponentials.Get().(*exponential)
	x.derivative = derivative
	if x.n == n {
		return x
	}
	x.n = n
	duals := []*dual{&x.a, &x.square, &x.power, &x.u, &x.v, &x.result, &x.spare}
	x.data = slices.Grow(x.data[:0], 2*len(duals)*n*n)[:2*len(duals)*n*n]
	for i, d := range duals {
		d.x, d.d = matrixAt(x.data, 2*i, n, n), matrixAt(x.data, 2*i+1, n, n)
	}
	x.pivot = slices.Grow(x.pivot[:0], n)[:n]
	return x
}

// expm writes the exponential of a into out or, unless e is nil, its derivative in
// the direction e. It is NaN throughout if an operand is not finite: scaling would
// not end.
func expm(out, a, e []float64, n int) {
	if !finite(a) || !finite(e) {
		vector.Fill(out, math.NaN())
		return
	}
	x := newExponential(n, e != nil)
	defer exponentials.Put(x)
	degree, squarings := 0, 0
	norm := min(norm1(a, n), math.MaxFloat64) // finite elements may add up to more
	for _, p := range padeDegrees {
		if degree = p.degree; norm <= p.norm {
			break
		}
	}
	if top := padeDegrees[len(padeDegrees)-1].norm; norm > top {
		squarings = math.Ilogb(norm/top) + 1
	}
	for k, v := range a {
		x.a.x.Data[k] = math.Ldexp(v, -squarings)
	}
	for k, v := range e {
		x.a.d.Data[k] = math.Ldexp(v, -squarings)
	}
	x.pade(degree)
	for range squarings {
		x.product(&x.result, x.result, x.result)
	}
	if x.derivative {
		copy(out, x.result.d.Data)
	} else {
		copy(out, x.result.x.Data)
	}
}

// product is C = A·B, with C′ = A′·B + A·B′. C may be A or B.
func (x *exponential) product(c *dual, a, b dual) {
	kernels.Mul(x.spare.x, a.x, b.x)
	if x.derivative {
		kernels.Mul(x.spare.d, a.d, b.x)
		kernels.AddMul(x.spare.d, a.x, b.d)
	}
	*c, x.spare = x.spare, *c
}

// add is C += t·A.
func (x *exponential) add(c dual, t float64, a dual) {
	addScaled(c.x, t, a.x)
	if x.derivative {
		addScaled(c.d, t, a.d)
	}
}

// pade is the approximant of the given degree at a.
func (x *exponential) pade(degree int) {
	c := 1.0
	next := func(k int) float64 { // cₖ₋₁ to cₖ
		c *= float64(degree+1-k) / float64(k*(2*degree+1-k))
		return c
	}
	x.u.set(next(1))
	x.v.set(1)
	x.product(&x.square, x.a, x.a)
	for k := 2; k < degree; k += 2 {
		if k == 2 {
			copy(x.power.x.Data, x.square.x.Data)
			copy(x.power.d.Data, x.square.d.Data)
		} else {
			x.product(&x.power, x.power, x.square)
		}
		x.add(x.v, next(k), x.power)
		x.add(x.u, next(k+1), x.power)
	}
	x.product(&x.u, x.a, x.u) // which lacked a factor A
	x.quotient()
}

// quotient is R = (V − U)⁻¹ (V + U); its derivative solves
// (V − U) R′ = (V + U)′ − (V − U)′ R. V − U is close to exp(−A/2), which is regular.
func (x *exponential) quotient() {
	r, denominator := x.result, x.power
	for _, s := range []struct {
		to   dual
		sign float64
	}{{r, 1}, {denominator, -1}} {
		copy(s.to.x.Data, x.v.x.Data)
		copy(s.to.d.Data, x.v.d.Data)
		x.add(s.to, s.sign, x.u)
	}
	lapack64.Getrf(denominator.x, x.pivot)
	lapack64.Getrs(blas.NoTrans, denominator.x, r.x, x.pivot)
	if x.derivative {
		kernels.Mul(x.spare.d, denominator.d, r.x)
		addScaled(r.d, -1, x.spare.d)
		lapack64.Getrs(blas.NoTrans, denominator.x, r.d, x.pivot)
	}
}

// set makes a dual the constant matrix diagonal·I.
func (a dual) set(diagonal float64) {
	clear(a.x.Data)
	clear(a.d.Data)
	for i := range a.x.Rows {
		a.x.Data[i*(a.x.Cols+1)] = diagonal
	}
}

// addScaled is y += t·x.
func addScaled(y blas64.General, t float64, x blas64.General) {
	blas64.Axpy(t, blas64.Vector{N: len(x.Data), Inc: 1, Data: x.Data},
		blas64.Vector{N: len(y.Data), Inc: 1, Data: y.Data})
}

// norm1 is the largest sum of the absolute values of a column.
func norm1(a []float64, n int) float64 {
	top := 0.0
	for j := range n {
		s := 0.0
		for i := range n {
			s += math.Abs(a[i*n+j])
		}
		top = max(top, s)
	}
	return top
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
