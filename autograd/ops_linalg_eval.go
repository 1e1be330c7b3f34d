package autograd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"tobac/internal/vector"
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

// solveTriangular makes x, of the given shape, the solution of L x = b, or of Lᵀ x = b, of L the
// lower triangle.
func solveTriangular(x, b []float64, shape Shape, l []float64, transposed bool) {
	copy(x, b)
	n, m := shape[0], shape[1]
	switch {
	case n > longRow && m >= longRow:
		solveBlocks(x, shape, l, transposed)
	case n > longRow && m == 1:
		solveColumn(x, l, transposed)
	case transposed:
		for i := n - 1; i >= 0; i-- {
			solveRow(x, m, i, i+1, n, l[i:], n, l[i*n+i])
		}
	default:
		for i := range n {
			solveRow(x, m, i, 0, i, l[i*n:], 1, l[i*n+i])
		}
	}
}

// solveRow replaces row i of x, of m numbers, by (x[i] − Σ l·x[k])/pivot over k from first to
// last, where l is element k·step of the list.
func solveRow(x []float64, m, i, first, last int, l []float64, step int, pivot float64) {
	row := x[i*m:][:m]
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

// solveColumn solves for one column: along the rows of L in both cases.
func solveColumn(x, l []float64, transposed bool) {
	n := len(x)
	if transposed {
		for i := n - 1; i >= 0; i-- {
			row := l[i*n:][:i+1]
			v := x[i] / row[i]
			x[i] = v
			for k, f := range row[:i] {
				x[k] -= f * v
			}
		}
		return
	}
	for i := range n {
		row := l[i*n:][:i+1]
		var s0, s1, s2, s3 float64
		k := 0
		for ; k+4 <= i; k += 4 {
			s0 += row[k] * x[k]
			s1 += row[k+1] * x[k+1]
			s2 += row[k+2] * x[k+2]
			s3 += row[k+3] * x[k+3]
		}
		for ; k < i; k++ {
			s0 += row[k] * x[k]
		}
		x[i] = (x[i] - ((s0 + s1) + (s2 + s3))) / row[i]
	}
}

// solvedRows are the rows of a solution that are computed one by one, before a product of
// matrices takes them out of all that follow.
const solvedRows = 4

// solveBlocks solves a few rows at a time. Rows that are solved are kept with the other sign
// until the end, since products are added.
func solveBlocks(x []float64, shape Shape, l []float64, transposed bool) {
	n, m := shape[0], shape[1]
	row := func(i int) []float64 { return x[i*m:][:m] }
	for done := 0; done < n; done += solvedRows {
		rows := min(solvedRows, n-done)
		from, first := done, 0 // of the rows to solve, and of those that are
		a := vector.Strided{Rows: rows, Cols: done, Row: n, Col: 1, Data: l[done*n:]}
		if transposed {
			from, first = n-done-rows, n-done
			a.Row, a.Col, a.Data = 1, n, l[min(first*n+from, n*n):]
		}
		if done > 0 {
			kernels.AddMulStrided(
				blas64.General{Rows: rows, Cols: m, Stride: m, Data: x[from*m:][:rows*m]}, a,
				blas64.General{Rows: done, Cols: m, Stride: m, Data: x[first*m:][:done*m]})
		}
		for r := range rows {
			i, step := from+r, 1
			if transposed {
				i, step = from+rows-1-r, -1
			}
			for k := i - step*r; k != i; k += step {
				f := l[i*n+k]
				if transposed {
					f = l[k*n+i]
				}
				kernels.AddScaled(row(i), row(i), f, row(k))
			}
			kernels.DivScalar(row(i), row(i), -l[i*n+i])
		}
	}
	kernels.Scale(x, x, -1)
}
