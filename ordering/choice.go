package ordering

import (
	"fmt"
	"math"
)

// relativeGap returns second/best − 1 for 0 ≤ best ≤ second: 0 for a tie, +Inf
// above a best of 0 or where there is no rival (second = +Inf).
func relativeGap(best, second float64) float64 {
	if best == second {
		return 0
	}
	return second/best - 1
}

// record appends one choice to r: column j at the value best, ahead of the rival
// column at the value second; rival −1 and second +Inf if j was the only column left.
func (r *Result) record(j int, best float64, rival int, second float64) {
	gap := relativeGap(best, second)
	if gap == 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"columns %d and %d tie at position %d of the order (%.4g); the lower index was taken", j, rival, len(r.Order), best))
	}
	r.Order = append(r.Order, j)
	r.Criterion = append(r.Criterion, best)
	r.MinRelGap = math.Min(r.MinRelGap, gap)
}

// newResult returns an empty result with room for d entries.
func newResult(method string, d int) *Result {
	return &Result{Order: make([]int, 0, d), Criterion: make([]float64, 0, d), MinRelGap: math.Inf(1), Method: method}
}

// singleton returns the order of the only column. Nothing is measured: one
// column has one order, whatever its values.
func singleton(method string) *Result {
	return &Result{Order: []int{0}, MinRelGap: math.Inf(1), Method: method}
}
