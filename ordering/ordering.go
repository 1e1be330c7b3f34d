package ordering

import "fmt"

// Result is an order and how it came about.
type Result struct {
	// Order lists column indices, sources first.
	Order []int
	// Criterion holds the value that placed each entry of Order; the estimator
	// says what it is. It is 0 for a column that SCORE placed because no other
	// was left, and nil if nothing was measured: for one column, and for a known
	// order.
	Criterion []float64
	// Gaps holds, for each entry of Order, second/best − 1, where best is what
	// was minimised for the column chosen and second for its closest rival among
	// the columns not yet placed: the relative change that would have altered
	// the choice. It is 0 for a tie and +Inf where there was no rival. It is nil
	// where Criterion is.
	Gaps []float64
	// MinRelGap is the smallest gap, +Inf if there was no choice to make (one
	// column, or a known order).
	MinRelGap float64
	// Warnings are reasons to distrust the order; [Result.Sentences] puts them into words.
	Warnings []Warning
	// Method names the estimator and its variant, for reports.
	Method string
}

// Validate returns nil if order is a permutation of 0..d−1 and otherwise an
// error that names the first entry out of range or repeated, or, where order is
// too short, the lowest index missing.
func Validate(order []int, d int) error {
	if d < 1 {
		return fmt.Errorf("ordering: an order of %d variables, want at least 1", d)
	}
	position := make([]int, d)
	for i := range position {
		position[i] = -1
	}
	for c, v := range order {
		switch {
		case v < 0 || v >= d:
			return fmt.Errorf("ordering: position %d of the order holds %d, want an index from 0 "+
				"to %d", c+1, v, d-1)
		case position[v] >= 0:
			return fmt.Errorf("ordering: the order repeats variable %d, at positions %d and %d", v,
				position[v]+1, c+1)
		}
		position[v] = c
	}
	for v, c := range position {
		if c < 0 {
			return fmt.Errorf("ordering: the order lacks variable %d, it has %d of %d entries", v,
				len(order), d)
		}
	}
	return nil
}
