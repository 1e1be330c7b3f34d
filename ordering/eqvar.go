package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// dependence is the share of its own variance that a column must keep, given
// the columns before it, not to count as a linear combination of them.
const dependence = 1e-12

// EqVar orders the columns of x (n×d) top-down under the assumption of equal
// noise variances: d times, among the columns not yet placed, it takes the one
// with the smallest conditional variance given those placed, the lowest index
// on a tie. Criterion holds these conditional variances (divisor n−1).
//
// The order changes with the units of single columns; see the package comment
// for when it means nothing. The result warns if all marginal variances lie
// within 5 % of each other, as standardised data have it.
//
// It fails if d = 0, if a value is NaN or infinite ([ErrNotFinite]), if n ≤ d
// and d > 1 ([ErrTooFewRows]), if a column is constant ([ErrConstant]), if the
// variance left to a column is at most 1e-12 of its own ([ErrDependent]), or if
// a variance leaves the range of float64 ([ErrScale]). One column has the order
// [0] whatever its values.
func EqVar(x mat.Matrix) (*Result, error) {
	const method = "eqvar top-down"
	columns, err := summarise(x)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	switch {
	case d == 1:
		return singleton(method), nil
	case n <= d:
		return nil, fmt.Errorf("ordering: %w: %d rows of %d columns, %s needs at least %d", ErrTooFewRows, n, d, method, d+1)
	}
	for j, c := range columns {
		if c.constant {
			return nil, &ColumnError{Column: j, Row: -1, Err: ErrConstant,
				Detail: fmt.Sprintf("every row is %g; remove the column or use another estimator", x.At(0, j))}
		}
	}

	c := covariance(x, columns)
	marginal := make([]float64, d)
	for j := range marginal {
		marginal[j] = c.Data[j*d+j]
		if err := checkScale(j, marginal[j]); err != nil {
			return nil, err
		}
	}
	result := newResult(method, d)
	result.Warnings = standardisedWarning(marginal)
	if err := pivot(result, c, marginal); err != nil {
		return nil, err
	}
	return result, nil
}

// pivot appends to result the order in which a Cholesky factorisation of the
// covariance c (d×d, both triangles, overwritten) meets its pivots when each is
// the smallest entry left on the diagonal. With b the pivot, the textbook form
// updates every remaining pair at every step,
//
//	S_ij ← S_ij − S_ib S_bj / S_bb.
//
// Only the diagonal and row b are ever looked at, so the diagonal v is updated
// at every step and a row when it becomes the pivot:
//
//	u_tj = C_bj − Σ_{k<t} (u_kb / v_k) u_kj,      v_j ← v_j − u_tj (u_tj / v_b).
//
// Positions up to t hold the columns placed, so that row t of c, right of the
// diagonal, becomes u_t: rows and columns t and b change places.
func pivot(result *Result, c blas64.General, marginal []float64) error {
	d := len(marginal)
	label := make([]int, d) // label[p] is the column at position p
	for p := range label {
		label[p] = p
	}
	v := append([]float64(nil), marginal...) // by position; v_k of a placed one is its pivot
	ratio := make([]float64, d)
	for t := range d {
		b, rival := smallestTwo(v, label, t)
		if own := marginal[label[b]]; !(v[b] > dependence*own) {
			return &ColumnError{Column: label[b], Row: -1, Err: ErrDependent,
				Detail: fmt.Sprintf("given the %d columns placed before it, %.3g of its variance %.6g is left", t, math.Max(v[b]/own, 0), own)}
		}
		if rival < 0 {
			result.record(label[b], v[b], -1, math.Inf(1))
		} else {
			result.record(label[b], v[b], label[rival], v[rival])
		}
		swap(c, t, b)
		v[t], v[b] = v[b], v[t]
		label[t], label[b] = label[b], label[t]
		if t == d-1 {
			break
		}

		u := c.Data[t*d+t+1 : t*d+d]
		if t > 0 {
			for k := range t {
				ratio[k] = c.Data[k*d+t] / v[k]
			}
			placed := blas64.General{Rows: t, Cols: len(u), Stride: d, Data: c.Data[t+1:]}
			blas64.Gemv(blas.Trans, -1, placed, blas64.Vector{N: t, Inc: 1, Data: ratio}, 1, blas64.Vector{N: len(u), Inc: 1, Data: u})
		}
		for i, s := range u {
			v[t+1+i] -= s * (s / v[t])
		}
	}
	return nil
}

// smallestTwo returns the positions, from t on, of the smallest and the second
// smallest v, lower labels first among equals; the second is −1 if there is none.
func smallestTwo(v []float64, label []int, t int) (best, second int) {
	less := func(p, q int) bool { return v[p] < v[q] || v[p] == v[q] && label[p] < label[q] }
	best, second = t, -1
	for p := t + 1; p < len(v); p++ {
		switch {
		case less(p, best):
			best, second = p, best
		case second < 0 || less(p, second):
			second = p
		}
	}
	return best, second
}

// swap exchanges rows p and q, and columns p and q, of the square matrix c.
func swap(c blas64.General, p, q int) {
	if p == q {
		return
	}
	d := c.Cols
	blas64.Swap(blas64.Vector{N: d, Inc: 1, Data: c.Data[p*d:]}, blas64.Vector{N: d, Inc: 1, Data: c.Data[q*d:]})
	blas64.Swap(blas64.Vector{N: d, Inc: d, Data: c.Data[p:]}, blas64.Vector{N: d, Inc: d, Data: c.Data[q:]})
}
