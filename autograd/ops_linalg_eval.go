package autograd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// blockedCholesky is the size from which factorising by blocks takes less time, and
// longRow the length from which rows are worth a kernel.
const (
	blockedCholesky = 14
	longRow         = 8
)

// evalCholesky computes L of A = L Lᵀ.
func evalCholesky(_ Attr, l []float64, shape Shape, in [][]float64, _ []Shape) error {
	n := shape[0]
	if n < blockedCholesky {
		return cholesky(l, in[0], n)
	}
	copy(l, in[0])
	if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: l}); !ok {
		return cholesky(l, in[0], n) // which names the pivot
	}
	for i := range n {
		clear(l[i*n+i+1 : (i+1)*n])
	}
	return nil
}

// cholesky goes column by column.
func cholesky(l, a []float64, n int) error {
	clear(l)
	for j := range n {
		s := a[j*n+j]
		for k := range j {
			s -= l[j*n+k] * l[j*n+k]
		}
		if !(s > 0) {
			return fmt.Errorf("cholesky: pivot %d is %v: %w", j, s, ErrNotPositiveDefinite)
		}
		d := math.Sqrt(s)
		l[j*n+j] = d
		for i := j + 1; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			l[i*n+j] = s / d
		}
	}
	return nil
}

// solveRow replaces row i of x, of the given shape, by (x[i] − Σ l·x[k])/pivot over k from
// first to last, where l is element k·step of the list.
func solveRow(x []float64, shape Shape, i, first, last int, l []float64, step int, pivot float64) {
	m := shape[1]
	row := x[i*m:][:m]
	if m >= longRow {
		for k := first; k < last; k++ {
			kernels.AddScaled(row, row, -l[k*step], x[k*m:][:m])
		}
		kernels.DivScalar(row, row, pivot)
		return
	}
	for k := first; k < last; k++ {
		f, other := l[k*step], x[k*m:][:m]
		for c := range row {
			row[c] -= f * other[c]
		}
	}
	for c := range row {
		row[c] /= pivot
	}
}
