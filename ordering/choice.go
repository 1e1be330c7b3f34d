package ordering

import (
	"math"
	"slices"
)

// A choice is a column that was placed, ahead of a rival.
type choice struct {
	column    int
	criterion float64
	rival     int     // −1: it was the only column left
	gap       float64 // how far the rival was behind, relative; +Inf without one
}

// relativeGap returns second/best − 1 for 0 ≤ best ≤ second: 0 for a tie, +Inf
// above a best of 0 or where there is no rival (second = +Inf).
func relativeGap(best, second float64) float64 {
	if best == second {
		return 0
	}
	return second/best - 1
}

// record appends one choice to r.
func (r *Result) record(c choice) {
	if c.gap == 0 {
		r.warn(Warning{kind: warningTie, Columns: []int{min(c.column, c.rival),
			max(c.column, c.rival)}, Position: len(r.Order), Values: []float64{c.criterion}})
	}
	r.Order = append(r.Order, c.column)
	r.Criterion = append(r.Criterion, c.criterion)
	r.Gaps = append(r.Gaps, c.gap)
	r.MinRelGap = math.Min(r.MinRelGap, c.gap)
}

// sinksFirst turns an order that was recorded from the last position to the
// first around, positions in warnings included.
func (r *Result) sinksFirst() {
	slices.Reverse(r.Order)
	slices.Reverse(r.Criterion)
	slices.Reverse(r.Gaps)
	for i, w := range r.Warnings {
		if w.Position >= 0 {
			r.Warnings[i].Position = len(r.Order) - 1 - w.Position
		}
	}
}

// ascending places the columns by ascending value, lower indices first among
// equals.
func ascending(columns []int, value []float64) []choice {
	sorted := slices.Clone(columns)
	slices.SortFunc(sorted, func(a, b int) int {
		switch {
		case value[a] < value[b] || value[a] == value[b] && a < b:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	choices := make([]choice, len(sorted))
	for c, j := range sorted {
		choices[c] = choice{column: j, criterion: value[j], rival: -1, gap: math.Inf(1)}
		if c+1 < len(sorted) {
			choices[c].rival = sorted[c+1]
			choices[c].gap = relativeGap(value[j], value[sorted[c+1]])
		}
	}
	return choices
}

// newResult returns an empty result with room for d entries.
func newResult(method string, d int) *Result {
	return &Result{Order: make([]int, 0, d), Criterion: make([]float64, 0, d),
		Gaps: make([]float64, 0, d), MinRelGap: math.Inf(1), Method: method}
}

// singleton returns the order of the only column. Nothing is measured: one
// column has one order, whatever its values.
func singleton(method string) *Result {
	return &Result{Order: []int{0}, MinRelGap: math.Inf(1), Method: method}
}
