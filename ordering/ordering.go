package ordering

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Orderer computes a causal order of the columns of x (n×d). The result is a permutation of 0..d−1
// or the error is not nil. Implementations neither keep nor modify x and do not panic on any
// matrix. Up to workers goroutines share the work, 0 means 1; they change nothing but the time.
// When ctx is done the error wraps its cause.
type Orderer interface {
	Order(ctx context.Context, x mat.Matrix, workers int) (*Result, error)
}

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
	// Layers holds, for each entry of Order, the number of its layer, counted
	// from 0, if the estimator places several columns at a time
	// ([NPVarOptions]), and is nil otherwise.
	Layers []int
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

// Known returns a copy of an order that the caller knows, for example from the
// true graph or from time, after [Validate] with d variables.
func Known(order []int, d int) (*Result, error) {
	if err := Validate(order, d); err != nil {
		return nil, err
	}
	return &Result{Order: append([]int(nil), order...), MinRelGap: math.Inf(1), Method: "known"},
		nil
}

// Fixed is an [Orderer] that ignores the values of the data: the order it
// holds, checked against the number of columns.
type Fixed []int

var _ Orderer = Fixed(nil)

// Order returns [Known] for the number of columns of x.
func (f Fixed) Order(_ context.Context, x mat.Matrix, _ int) (*Result, error) {
	_, d := x.Dims()
	return Known(f, d)
}
