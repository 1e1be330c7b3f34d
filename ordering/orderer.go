package ordering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Orderer computes a causal order of the columns of x (n×d). The result is a permutation of 0..d−1
// or the error is not nil. Implementations neither keep nor modify x and do not panic on any
// matrix. Up to workers goroutines share the work, 0 means 1; they change nothing but the time.
// When ctx is done the error wraps its cause.
//
// The order agrees with a precedence of as many columns as x has; nil knows nothing. Estimators
// of this package choose, one position after the other, among the columns that it then allows, so
// that later choices build on earlier ones that are right, and their gaps are those among the
// columns allowed. An order that agrees anyway is found unchanged.
type Orderer interface {
	Order(ctx context.Context, x mat.Matrix, known *Precedence, workers int) (*Result, error)
}

// Fixed is an [Orderer] that ignores the values of the data: an order that the caller knows, for
// example from the true graph or from time.
type Fixed []int

// Order returns a copy of the order, after [Validate] for the columns of x. An order that
// contradicts the precedence is an error.
func (f Fixed) Order(_ context.Context, x mat.Matrix, known *Precedence, _ int) (*Result, error) {
	_, d := x.Dims()
	if err := Validate(f, d); err != nil {
		return nil, err
	}
	if !known.Allows(f) {
		return nil, fmt.Errorf("ordering: the order %v contradicts what is known of it", []int(f))
	}
	return &Result{Order: slices.Clone([]int(f)), MinRelGap: math.Inf(1), Method: "known"}, nil
}
