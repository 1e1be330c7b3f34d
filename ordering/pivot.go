package ordering

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// An elimination is a Cholesky factorisation of a positive definite matrix
// whose caller chooses the pivots, one at a time. With b the pivot, the textbook
// form updates every remaining pair at every step,
//
//	S_ij ← S_ij − S_ib S_bj / S_bb.
//
// Only the diagonal and row b are ever looked at, so the diagonal v is updated
// at every step and a row when it becomes the pivot:
//
//	u_tj = S_bj − Σ_{k<t} (u_kb / v_k) u_kj,      v_j ← v_j − u_tj (u_tj / v_b).
//
// Positions up to t hold the pivots taken, so that row t of s, right of the
// diagonal, becomes u_t: rows and columns t and b change places.
type elimination struct {
	s     blas64.General // d×d, both triangles, overwritten
	label []int          // label[p] is the column at position p
	v     []float64      // by position; v[k] of a pivot taken is its value
	ratio []float64      // scratch
	t     int            // pivots taken
}

// newElimination overwrites s in the course of the factorisation.
func newElimination(s blas64.General) *elimination {
	d := s.Cols
	e := &elimination{s: s, label: indices(d), v: make([]float64, d), ratio: make([]float64, d)}
	for p := range e.v {
		e.v[p] = s.Data[p*s.Stride+p]
	}
	return e
}

// smallestTwo returns the positions of the smallest and the second smallest
// remaining v of the columns that may be placed next, lower labels first among equals;
// the second is −1 if there is none.
func (e *elimination) smallestTwo(next *front) (best, second int) {
	less := func(p, q int) bool {
		return e.v[p] < e.v[q] || e.v[p] == e.v[q] && e.label[p] < e.label[q]
	}
	best, second = -1, -1
	for p := e.t; p < len(e.v); p++ {
		switch {
		case !next.open(e.label[p]):
		case best < 0:
			best = p
		case less(p, best):
			best, second = p, best
		case second < 0 || less(p, second):
			second = p
		}
	}
	return best, second
}

// take makes the column at position b, which has a positive v, the next pivot.
func (e *elimination) take(b int) {
	t, d, c := e.t, len(e.v), e.s
	e.t++
	if b != t {
		blas64.Swap(blas64.Vector{N: d, Inc: 1, Data: c.Data[t*d:]},
			blas64.Vector{N: d, Inc: 1, Data: c.Data[b*d:]})
		blas64.Swap(blas64.Vector{N: d, Inc: d, Data: c.Data[t:]},
			blas64.Vector{N: d, Inc: d, Data: c.Data[b:]})
		e.v[t], e.v[b] = e.v[b], e.v[t]
		e.label[t], e.label[b] = e.label[b], e.label[t]
	}
	if t == d-1 {
		return
	}
	u := c.Data[t*d+t+1 : t*d+d]
	if t > 0 {
		for k := range t {
			e.ratio[k] = c.Data[k*d+t] / e.v[k]
		}
		placed := blas64.General{Rows: t, Cols: len(u), Stride: d, Data: c.Data[t+1:]}
		blas64.Gemv(blas.Trans, -1, placed, blas64.Vector{N: t, Inc: 1, Data: e.ratio}, 1,
			blas64.Vector{N: len(u), Inc: 1, Data: u})
	}
	for i, s := range u {
		e.v[t+1+i] -= s * (s / e.v[t])
	}
}
