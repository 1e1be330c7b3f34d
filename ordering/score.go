package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// maxRows is the largest number of rows of SCORE, which holds 12n² bytes.
const maxRows = 5000

// scoreOrder orders the columns of x (n×d) from the last position to the first: in an
// additive model with Gaussian noise, ∂² log p/∂x_k² is constant if and only if
// k has no children, so the leaf is the column whose estimate varies least over
// the rows ([stein]); it is removed, and the rest starts again. Criterion
// holds the variance of the estimate, in units of the data to the power −4, and
// 0 for the column that is left at the end, which is not compared with any.
//
// Every step factors one n×n matrix: n³/6 multiplications for each of d−1
// columns, about 1.5 s for n = 1,000 and d = 20, and 12n² bytes; n > 5000 is
// refused.
//
// It assumes additive noise and functions that are not linear. On linear
// Gaussian data the Hessian is constant for every column, the leaf is not
// identified, and what success there is comes from the bias of the estimate:
// over simulated sets the number of violated edges is heavy-tailed, and with
// many edges worse than a random order. Nothing warns of that, since the data
// do not show it. The ridge of the estimate is fixed, so the order depends on
// the units of the columns, a common factor included: standardise real data.
//
// It fails if d = 0, if a value is NaN or infinite, if n < 3
// and d > 1 ([ErrTooFewRows]), if half of all pairs of rows are equal in the
// columns left, if a variance, a distance or a criterion leaves the range of
// float64, if n is too large, or if the kernel matrix is not positive definite, as
// happens when the data are tiny. n ≤ d is allowed. Constant columns are allowed,
// each with a warning; copies of a column tie, with a warning unless rounding
// decides.
func scoreOrder(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	const method = "score"
	columns, single, err := columnsForOrder(w, x, method, rowsAtLeast(3))
	if err != nil || single != nil {
		return single, err
	}
	n, d := x.Dims()
	if n > maxRows {
		return nil, fmt.Errorf("ordering: %w: score on %d rows needs %.1f GB of memory; at most "+
			"%d rows are allowed, take a part of them",
			errTooLarge, n, 12*float64(n)*float64(n)/1e9, maxRows)
	}
	v := variances(w, x, columns)
	if w.err != nil {
		return nil, w.err
	}
	if err := checkScales(v, columns); err != nil {
		return nil, err
	}
	result := newResult(method, d)
	for j, c := range columns {
		if c.constant {
			result.warn(Warning{kind: warningConstant, Columns: []int{j}, Position: -1})
		}
	}
	e := newStein(w, x, columns)
	p.check(d)
	value, next := make([]float64, d), p.front(sinksFirst)
	left := indices(d)
	for len(left) > 1 {
		if err := e.estimate(left); err != nil {
			return nil, err
		}
		for k, j := range left {
			if value[j] = sampleVariance(e.hessian(k)); math.IsNaN(value[j]) ||
				math.IsInf(value[j], 0) {
				return nil, &ColumnError{Column: j, Row: -1, Err: errScale,
					Detail: fmt.Sprintf("the dispersion of its second derivative is %g", value[j])}
			}
		}
		leaf := ascending(next.of(left), value)[0]
		if leaf.criterion, err = inUnits(leaf, e.bandwidth); err != nil {
			return nil, err
		}
		result.record(leaf)
		next.place(leaf.column)
		left = without(left, leaf.column)
	}
	result.record(choice{column: left[0], rival: -1, gap: math.Inf(1)})
	result.sinksFirst()
	return result, nil
}

// inUnits returns the criterion of a leaf, measured in units of the bandwidth,
// in units of the data.
func inUnits(leaf choice, bandwidth float64) (float64, error) {
	v := leaf.criterion / bandwidth / bandwidth / bandwidth / bandwidth
	if math.IsInf(v, 0) {
		return 0, &ColumnError{Column: leaf.column, Row: -1, Err: errScale,
			Detail: "its criterion overflows; multiply all data by one constant"}
	}
	return v, nil
}
