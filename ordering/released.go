package ordering

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// NPVarAsReleased is not [NPVar]: it is what the program released with TOBAC
// computes under that name. The program discards the conditional variances it
// has fitted, and the arg-min of what is left is the first position, so the
// order is the column of smallest variance and then all others in ascending
// index, whatever the data say: as good as a random order. It is here for
// comparisons with published figures that may have used it. Every result has a
// [WarningReleased]. Criterion holds the marginal variances; only the first was
// compared with another. It needs O(nd) operations.
//
// Unlike every other estimator it is not equivariant: relabelling the columns
// gives another order of the variables. A factor on one column can change
// which comes first.
//
// It fails like [Variance]. Constant columns come first, or where their index
// puts them, with a [WarningConstant] each.
func NPVarAsReleased(x mat.Matrix) (*Result, error) { return npVarAsReleased(alone(), x, nil) }

func npVarAsReleased(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	byVariance, err := variance(w, x, p)
	if err != nil {
		return nil, err
	}
	const method = "npvar as released (defective)"
	d := len(byVariance.Order)
	if d == 1 {
		return singleton(method), nil
	}
	result := newResult(method, d)
	result.warn(Warning{Kind: WarningReleased, Position: -1})
	for _, warning := range byVariance.Warnings {
		if warning.Kind != WarningTie || warning.Position == 0 {
			result.warn(warning)
		}
	}
	v := make([]float64, d)
	for c, j := range byVariance.Order {
		v[j] = byVariance.Criterion[c]
	}
	first, next := byVariance.Order[0], p.front(sourcesFirst)
	next.place(first)
	result.Order = append(result.Order, first)
	for _, made := range arranged(without(indices(d), first), make([]float64, d), next) { // equals: by index
		result.Order = append(result.Order, made.column)
	}
	for _, j := range result.Order {
		result.Criterion = append(result.Criterion, v[j])
	}
	result.MinRelGap = byVariance.Gaps[0]
	result.Gaps = slices.Repeat([]float64{math.Inf(1)}, d)
	result.Gaps[0] = result.MinRelGap
	return result, nil
}
