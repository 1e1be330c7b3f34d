package ordering

import (
	"context"
	"fmt"

	"tobac/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A work is what an estimator computes with: products and factors of matrices, tile by tile,
// shared among some goroutines until a context is done. Then err is its cause, nothing more is
// computed, and what was computed since the last look at err is of no use. A tile takes some
// milliseconds, and its numbers do not depend on who computes it.
type work struct {
	ctx     context.Context
	workers int // 0: 1
	err     error
}

// alone is work of a caller who neither waits nor shares.
func alone() *work { return &work{ctx: context.Background()} }

const (
	tile  = 64   // rows and columns of a tile: the library multiplies larger ones on all processors
	depth = 4096 // of a product, after which the context is checked
)

// each calls do for 0 ≤ i < n.
func (w *work) each(n int, do func(i int)) {
	if w.err == nil {
		w.err = parallel.For(w.ctx, n, w.workers, func(i int) error {
			do(i)
			return nil
		})
	}
}

// done reports whether the context is.
func (w *work) done() bool {
	if w.err == nil && w.ctx.Err() != nil {
		w.err = context.Cause(w.ctx)
	}
	return w.err != nil
}

// part are rows r to r+rows and columns c to c+cols.
func part(m blas64.General, r, rows, c, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: m.Stride, Data: m.Data[r*m.Stride+c:]}
}

// tiles is how many there are along n rows or columns.
func tiles(n int) int { return (n + tile - 1) / tile }

// span is where tile number k of n rows or columns begins, and how many it has.
func span(k, n int) (from, size int) { return k * tile, min(tile, n-k*tile) }

// product is c ← alpha·a·b + beta·c, or with t = Trans a·bᵀ.
func (w *work) product(t blas.Transpose, alpha float64, a, b blas64.General, beta float64,
	c blas64.General) {
	down, across := tiles(c.Rows), tiles(c.Cols)
	w.each(down*across, func(k int) {
		r, rows := span(k/across, c.Rows)
		at, cols := span(k%across, c.Cols)
		w.block(t, alpha, a, b, beta, c, r, rows, at, cols)
	})
}

// block is one tile of product.
func (w *work) block(t blas.Transpose, alpha float64, a, b blas64.General, beta float64,
	c blas64.General, r, rows, at, cols int) {
	to := part(c, r, rows, at, cols)
	for from := 0; from == 0 || from < a.Cols && w.ctx.Err() == nil; from += depth {
		n := min(depth, a.Cols-from)
		right := part(b, from, n, at, cols)
		if t == blas.Trans {
			right = part(b, at, cols, from, n)
		}
		blas64.Gemm(blas.NoTrans, t, alpha, part(a, r, rows, from, n), right, beta, to)
		beta = 1
	}
}

// square is the upper triangle of c ← a·aᵀ + c; of tiles on the diagonal too.
func (w *work) square(a, c blas64.General) {
	n := tiles(c.Rows)
	w.each(n*n, func(k int) {
		i, j := k/n, k%n
		r, rows := span(i, c.Rows)
		at, cols := span(j, c.Cols)
		switch {
		case i == j:
			blas64.Syrk(blas.NoTrans, 1, part(a, r, rows, 0, a.Cols), 1,
				blas64.Symmetric{N: rows, Stride: c.Stride, Data: c.Data[r*c.Stride+r:],
					Uplo: blas.Upper})
		case i < j:
			w.block(blas.Trans, 1, a, a, 1, c, r, rows, at, cols)
		}
	})
}

// divide is b ← b·l⁻¹ with the lower triangle of l, or with t = Trans b·l⁻ᵀ, row by row.
func (w *work) divide(t blas.Transpose, l blas64.Triangular, b blas64.General) {
	w.each(b.Rows, func(r int) { blas64.Trsm(blas.Right, t, 1, l, part(b, r, 1, 0, b.Cols)) })
}

// factor turns the lower triangle of a into l with l·lᵀ = a; what is above the diagonal is of
// no use then. It reports whether a is positive definite.
func (w *work) factor(a blas64.General) (l blas64.Triangular, ok bool) {
	l = blas64.Triangular{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: blas.Lower,
		Diag: blas.NonUnit}
	n := tiles(a.Rows)
	for k := range n {
		at, size := span(k, a.Rows)
		left := part(a, 0, a.Rows, 0, at)
		update := func(i int) blas64.General {
			r, rows := span(i, a.Rows)
			if at > 0 {
				w.block(blas.Trans, -1, left, part(left, 0, a.Rows, 0, at), 1, a, r, rows, at, size)
			}
			return part(a, r, rows, at, size)
		}
		if w.done() {
			return l, false
		}
		corner := update(k)
		root, ok := lapack64.Potrf(blas64.Symmetric{N: size, Stride: a.Stride, Data: corner.Data,
			Uplo: blas.Lower})
		if !ok {
			return l, false
		}
		w.each(n-k-1, func(i int) { blas64.Trsm(blas.Right, blas.Trans, 1, root, update(k+1+i)) })
	}
	return l, w.err == nil
}

// ordered is what do gives, unless the context was done before.
func ordered(ctx context.Context, workers int, do func(w *work) (*Result, error)) (*Result, error) {
	w := &work{ctx: ctx, workers: max(workers, 1)}
	r, err := do(w)
	if w.done() {
		return nil, fmt.Errorf("ordering: %w", w.err)
	}
	return r, err
}
