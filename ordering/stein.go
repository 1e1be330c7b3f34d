package ordering

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// steinRidge is η, added to the diagonal of the kernel matrix.
const steinRidge = 0.001

// A stein estimates the diagonal of the Hessian of log p at every row of x (n×d), p the density
// that the rows were drawn from: row a of H holds ∂² log p/∂x_k² at x_a. With the bandwidth s, the
// lower median of all n² Euclidean distances of rows, zeros of the diagonal included,
//
//	K_ab  = exp(−|x_a − x_b|²/(2s²)) / s
//	A1_ak = −(1/s²) Σ_b (x_a − x_b)_k K_ab,              Ĝ = (K + ηI)⁻¹ A1
//	A2_ak = Σ_b ((x_a − x_b)_k²/s⁴ − 1/s²) K_ab,         H = −Ĝ∘Ĝ + (K + ηI)⁻¹ A2,
//
// η = 0.001. The factor 1/s in K is that of the published program. It takes one
// Cholesky factorisation, n³/6 multiplications, and 3n²d for the rest; it holds
// n² numbers. Since η is fixed, other units give another estimate.
//
// It holds the centred data and the memory of estimates on some of its columns.
type stein struct {
	*work
	n         int
	x         []float64 // d×n: row j is column j of the data, centred
	gram      []float64 // n×n: squared distances, then the kernel matrix, then its factor
	pairs     []float64 // the n(n−1)/2 squared distances, to select from
	rhs, prod []float64 // (2k+1)×n
	bandwidth float64   // s
}

func newStein(w *work, x mat.Matrix, columns []column) *stein {
	n, d := x.Dims()
	e := &stein{work: w, n: n, x: make([]float64, d*n), gram: make([]float64, n*n),
		pairs: make([]float64, n*(n-1)/2),
		rhs:   make([]float64, (2*d+1)*n), prod: make([]float64, (2*d+1)*n)}
	first := 0
	centredBlocks(w, x, columns, func(block blas64.General) {
		for j, c := range columns {
			if !c.constant { // its rounded mean may differ from the constant
				copy(e.x[j*n+first:], block.Data[j*block.Stride:j*block.Stride+block.Cols])
			}
		}
		first += block.Cols
	})
	return e
}

// hessian returns column number k of H·s², as a row of n values, for the
// active columns of the last estimate.
func (e *stein) hessian(k int) []float64 { return e.rhs[k*e.n : k*e.n+e.n] }

// estimate computes s and H·s² on the active columns. In units of s, with y =
// x/s and r_a = Σ_b K_ab, the sums over b become matrix products,
//
//	A1·s  = −(r∘y − Ky),    A2·s² = r∘y∘y − 2y∘(Ky) + K(y∘y) − r,
//
// where r multiplies row a by r_a. No power of s but the first is formed, so s
// may be anything.
func (e *stein) estimate(active []int) error {
	n, k := e.n, len(active)
	e.distances(active)
	if e.done() {
		return e.err
	}
	if err := e.median(); err != nil {
		return err
	}
	e.kernel()

	// Rows 0 to k−1 of the stack are y, then y∘y, then ones.
	for i, j := range active {
		for a, v := range e.x[j*n : j*n+n] {
			y := v / e.bandwidth
			e.rhs[i*n+a], e.rhs[(k+i)*n+a] = y, y*y
		}
	}
	for a := range n {
		e.rhs[2*k*n+a] = 1
	}
	stack := blas64.General{Rows: 2*k + 1, Cols: n, Stride: n, Data: e.rhs}
	full := blas64.General{Rows: n, Cols: n, Stride: n, Data: e.gram}
	e.product(blas.NoTrans, 1, stack, full, 0,
		blas64.General{Rows: 2*k + 1, Cols: n, Stride: n, Data: e.prod})
	sums := e.prod[2*k*n : (2*k+1)*n]
	for i := range k {
		y, square := e.rhs[i*n:i*n+n], e.rhs[(k+i)*n:(k+i)*n+n]
		ky, ksquare := e.prod[i*n:i*n+n], e.prod[(k+i)*n:(k+i)*n+n]
		for a, r := range sums {
			first := ky[a] - r*y[a]
			second := r*y[a]*y[a] - 2*y[a]*ky[a] + ksquare[a] - r
			y[a], square[a] = first, second
		}
	}

	for a := range n {
		e.gram[a*n+a] += steinRidge
	}
	factor, ok := e.factor(full)
	if e.done() {
		return e.err
	}
	if !ok {
		return fmt.Errorf("ordering: %w: the kernel matrix of %d rows with bandwidth %.3g; "+
			"standardise the data", errSingular, n, e.bandwidth)
	}
	both := blas64.General{Rows: 2 * k, Cols: n, Stride: n, Data: e.rhs}
	e.divide(blas.Trans, factor, both)
	e.divide(blas.NoTrans, factor, both)
	for i := range k {
		score, second := e.rhs[i*n:i*n+n], e.rhs[(k+i)*n:(k+i)*n+n]
		for a, g := range score {
			score[a] = second[a] - g*g
		}
	}
	return nil
}

// distances fills gram above the diagonal, and pairs, with squared distances,
// from differences, so that equal rows have exactly 0.
func (e *stein) distances(active []int) {
	n := e.n
	e.each(n-1, func(a int) {
		row := e.gram[a*n+a+1 : a*n+n]
		clear(row)
		for _, j := range active {
			x := e.x[j*n : j*n+n]
			at := x[a]
			for i, v := range x[a+1:] {
				row[i] += (at - v) * (at - v)
			}
		}
		copy(e.pairs[a*(2*n-a-1)/2:], row)
	})
}

// median sets the bandwidth. Of the n² distances the n of the diagonal are 0 and
// each other one occurs twice, so element m = (n²−1)/2 of the sorted list is
// element (m−n)/2 of the sorted pairs.
func (e *stein) median() error {
	n := e.n
	slices.Sort(e.pairs)
	e.bandwidth = math.Sqrt(e.pairs[((n*n-1)/2-n)/2])
	switch {
	case e.bandwidth == 0:
		return fmt.Errorf("ordering: %w: the median distance of all pairs of %d rows is 0",
			errDuplicateRows, n)
	case math.IsInf(e.bandwidth, 0):
		return fmt.Errorf("ordering: %w: the median distance of rows overflows; multiply all "+
			"data by one constant", errScale)
	}
	return nil
}

// kernel turns the squared distances above the diagonal of gram into K, both
// triangles.
func (e *stein) kernel() {
	n, s := e.n, e.bandwidth
	e.each(n, func(a int) {
		row := e.gram[a*n : a*n+n]
		row[a] = 1 / s
		for b := a + 1; b < n; b++ {
			// √d²/s before the square: s² may leave the range of float64.
			u := math.Sqrt(row[b]) / s
			row[b] = math.Exp(-u*u/2) / s
		}
	})
	e.each(n, func(a int) {
		for b := range a {
			e.gram[a*n+b] = e.gram[b*n+a]
		}
	})
}
