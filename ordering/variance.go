package ordering

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Variance orders the columns of x (n×d) by ascending sample variance, ties by
// ascending index. Criterion holds the variances. It is a baseline: it reads
// nothing but the scale of each column.
//
// It fails if d = 0, if a value is NaN or infinite ([ErrNotFinite]), if n < 2
// and d > 1 ([ErrTooFewRows]), or if a variance leaves the range of float64
// ([ErrScale]). One column has the order [0] whatever its values. Constant
// columns come first, with a warning each. The result warns if all variances
// lie within 5 % of each other.
func Variance(x mat.Matrix) (*Result, error) {
	const method = "variance"
	columns, err := summarise(x)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	switch {
	case d == 1:
		return singleton(method), nil
	case n < 2:
		return nil, fmt.Errorf("ordering: %w: %d row of %d columns, %s needs at least 2", ErrTooFewRows, n, d, method)
	}
	v := variances(x, columns)
	result := newResult(method, d)
	result.Warnings = standardisedWarning(v)
	order := make([]int, d)
	for j := range order {
		order[j] = j
		if columns[j].constant {
			result.Warnings = append(result.Warnings, fmt.Sprintf("column %d is constant; it comes first because its variance is 0", j))
			continue
		}
		if err := checkScale(j, v[j]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	for c, j := range order {
		if c == d-1 {
			result.record(j, v[j], -1, math.Inf(1))
			continue
		}
		result.record(j, v[j], order[c+1], v[order[c+1]])
	}
	return result, nil
}
