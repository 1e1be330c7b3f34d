package ordering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// dependence is the fraction of its own variance that a column must keep, given
// the columns before it, not to count as a linear combination of them.
const dependence = 1e-12

// EqVarOptions order the columns of x (n×d) top-down under the assumption of equal
// noise variances: d times, among the columns not yet placed, they take the one
// with the smallest conditional variance given those placed, the lowest index
// on a tie. Criterion holds these conditional variances (divisor n−1), each with
// the rounding error of a difference of numbers as large as the column's own
// variance: of one that is a billionth of it, about six digits are right. That
// needs n·d²/2 multiplications for the covariance and d³/6 for the pivots, and
// memory for d² numbers.
//
// They assume a linear model whose noise variances are equal. A common factor on
// all columns changes nothing; the order changes with the units of single
// columns and means nothing where these are arbitrary, above all on
// standardised data: the result has a warning if all marginal
// variances lie within 5 % of each other.
//
// They fail if d = 0, if a value is NaN or infinite, if n ≤ d
// and d > 1 ([ErrTooFewRows]; Partial can allow it), if a column is
// constant, if the variance left to a column is at most 1e-12 of
// its own, as for a copy of another column, or if a variance
// leaves the range of float64. One column has the order [0]
// whatever its values.
type EqVarOptions struct {
	// Partial allows 2 ≤ n ≤ d: the first n−1 positions, all that n rows can
	// decide, are found as usual. The other columns follow by ascending
	// residual, then index, with a gap of 0 and a warning.
	Partial bool
}

// Order implements [Orderer].
func (o EqVarOptions) Order(ctx context.Context, x mat.Matrix, known *Precedence,
	workers int) (*Result, error) {
	return ordered(ctx, workers, func(w *work) (*Result, error) { return o.order(w, x, known) })
}

func (o EqVarOptions) order(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	const method = "eqvar top-down"
	least := func(d int) int { return d + 1 }
	if o.Partial {
		least = rowsAtLeast(2)
	}
	c, result, err := covarianceForOrder(w, x, method, least)
	if err != nil || c.Data == nil {
		return result, err
	}
	n, d := x.Dims()
	p.check(d)
	marginal, next := diagonal(c), p.front(sourcesFirst)
	e := newElimination(c)
	for e.t < min(d, n-1) && !w.done() {
		b, rival := e.smallestTwo(next)
		if own := marginal[e.label[b]]; !(e.v[b] > dependence*own) {
			return nil, dependent(e.label[b], e.v[b], own, e.label[:e.t])
		}
		made := choice{column: e.label[b], criterion: e.v[b], rival: -1, gap: math.Inf(1)}
		if rival >= 0 {
			made.rival, made.gap = e.label[rival], relativeGap(e.v[b], e.v[rival])
		}
		result.record(made)
		next.place(made.column)
		e.take(b)
	}
	if e.t < d && w.err == nil {
		result.appendUndecided(e, next)
	}
	return result, nil
}

// appendUndecided places the columns that an elimination has left.
func (r *Result) appendUndecided(e *elimination, next *front) {
	residual := make([]float64, len(e.v))
	rest := e.label[e.t:]
	for p, j := range rest {
		residual[j] = math.Max(0, e.v[e.t+p])
	}
	first := len(r.Order)
	for _, c := range arranged(rest, residual, next) {
		r.Order = append(r.Order, c.column)
		r.Criterion = append(r.Criterion, c.criterion)
		r.Gaps = append(r.Gaps, 0)
	}
	r.MinRelGap = 0
	r.warn(Warning{kind: warningUndecided, Columns: append([]int(nil), r.Order[first:]...),
		Position: first})
}

// covarianceForOrder checks x for an estimator of the EqVar family that needs
// least(d) rows, and returns the covariance with an empty result, or, for one
// column, no covariance and the finished result.
func covarianceForOrder(w *work, x mat.Matrix, method string,
	least func(d int) int) (blas64.General, *Result, error) {
	none := blas64.General{}
	columns, single, err := columnsForOrder(w, x, method, least)
	if err != nil || single != nil {
		return none, single, err
	}
	if err := checkVaries(x, columns); err != nil {
		return none, nil, err
	}
	c := covariance(w, x, columns)
	if w.err != nil {
		return none, nil, w.err
	}
	v := diagonal(c)
	if err := checkScales(v, columns); err != nil {
		return none, nil, err
	}
	result := newResult(method, len(v))
	result.warnOfScale(v, columns)
	return c, result, nil
}

// diagonal copies the diagonal of a square matrix.
func diagonal(c blas64.General) []float64 {
	v := make([]float64, c.Cols)
	for j := range v {
		v[j] = c.Data[j*c.Stride+j]
	}
	return v
}

// dependent is the error of column j, of which given others only left of its
// variance own remains.
func dependent(j int, left, own float64, others []int) error {
	return &ColumnError{Column: j, Row: -1, Err: errDependent, Given: slices.Clone(others),
		Detail: fmt.Sprintf("%.3g of its variance %.6g is left", math.Max(left/own, 0), own)}
}
