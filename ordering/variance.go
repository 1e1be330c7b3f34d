package ordering

import (
	"gonum.org/v1/gonum/mat"
)

// Variance orders the columns of x (n×d) by ascending sample variance, ties by
// ascending index. Criterion holds the variances. It is a baseline: it reads
// nothing but the scale of each column, and needs O(nd) operations.
//
// The order means nothing where the units of the columns are arbitrary, and on
// standardised columns, where the result has a [WarningStandardised]. A common
// factor changes nothing, a factor on one column moves that column.
//
// It fails if d = 0, if a value is NaN or infinite ([ErrNotFinite]), if n < 2
// and d > 1 ([ErrTooFewRows]), or if a variance leaves the range of float64
// ([ErrScale]). One column has the order [0] whatever its values. Constant
// columns come first, with a [WarningConstant] each; copies of a column follow
// each other, with a [WarningTie].
func Variance(x mat.Matrix) (*Result, error) { return variance(alone(), x, nil) }

func variance(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	const method = "variance"
	columns, single, err := columnsForOrder(w, x, method, rowsAtLeast(2))
	if err != nil || single != nil {
		return single, err
	}
	v := variances(w, x, columns)
	if w.err != nil {
		return nil, w.err
	}
	if err := checkScales(v, columns); err != nil {
		return nil, err
	}
	result := newResult(method, len(v))
	result.warnOfScale(v, columns)
	p.check(len(v))
	for _, c := range arranged(indices(len(v)), v, p.front(sourcesFirst)) {
		result.record(c)
	}
	return result, nil
}
