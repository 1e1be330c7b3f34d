package ordering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Dispersion measures how far from constant an entry of the Hessian is.
type Dispersion int

// The measures of dispersion.
const (
	// SampleVariance is the variance with divisor n−1.
	SampleVariance Dispersion = iota
	// MeanAbsoluteDeviation is the mean absolute deviation from the lower median.
	MeanAbsoluteDeviation
)

// SCORE orders the columns of x (n×d) from the last position to the first: in an
// additive model with Gaussian noise, ∂² log p/∂x_k² is constant if and only if
// k has no children, so the leaf is the column whose estimate varies least over
// the rows ([SteinHessian]); it is removed, and the rest starts again. Criterion
// holds the variance of the estimate, in units of the data to the power −4, and
// 0 for the column that is left at the end, which is not compared with any.
//
// Every step factors one n×n matrix: n³/6 multiplications for each of d−1
// columns, about 1.5 s for n = 1,000 and d = 20, and 12n² bytes; n > 5000 is
// refused ([SCOREOptions]).
//
// It assumes additive noise and functions that are not linear. On linear
// Gaussian data the Hessian is constant for every column, the leaf is not
// identified, and what success there is comes from the bias of the estimate:
// over simulated sets the number of violated edges is heavy-tailed, and with
// many edges worse than a random order. Nothing warns of that, since the data
// do not show it. The ridge of the estimate is fixed, so the order depends on
// the units of the columns, a common factor included: standardise real data.
//
// It fails if d = 0, if a value is NaN or infinite ([ErrNotFinite]), if n < 3
// and d > 1 ([ErrTooFewRows]), if half of all pairs of rows are equal in the
// columns left ([ErrDuplicateRows]), if a variance, a distance or a
// criterion leaves the range of float64 ([ErrScale]), if n is too large
// ([ErrTooLarge]), or if the kernel matrix is not positive definite, as happens
// when the data are tiny ([ErrSingular]). n ≤ d is allowed. Constant columns are
// allowed, each with a [WarningConstant]; copies of a column tie, with a
// [WarningTie] unless rounding decides.
func SCORE(x mat.Matrix) (*Result, error) { return SCOREOptions{}.order(alone(), x, nil) }

// SCOREOptions are the settings of [SCORE]; the zero value has its behaviour.
type SCOREOptions struct {
	// Dispersion is what the leaf minimises; zero: SampleVariance.
	Dispersion Dispersion
	// DivideByMean divides the estimate of each column by its mean over the rows
	// first, so that the criterion has no unit.
	DivideByMean bool
	// MaxRows is the largest n allowed, which needs 12n² bytes; 0 means 5000.
	MaxRows int
}

var _ Orderer = SCOREOptions{}

// Order is [SCORE] with the settings of o.
func (o SCOREOptions) Order(ctx context.Context, x mat.Matrix, workers int) (*Result, error) {
	return o.OrderWithin(ctx, x, nil, workers)
}

// OrderWithin is Order under a precedence.
func (o SCOREOptions) OrderWithin(ctx context.Context, x mat.Matrix, p *Precedence,
	workers int) (*Result, error) {
	return ordered(ctx, workers, func(w *work) (*Result, error) { return o.order(w, x, p) })
}

func (o SCOREOptions) order(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	method := "score"
	switch o.Dispersion {
	case SampleVariance:
	case MeanAbsoluteDeviation:
		method += ", mean absolute deviation"
	default:
		return nil, fmt.Errorf("ordering: unknown dispersion %d", int(o.Dispersion))
	}
	if o.DivideByMean {
		method += ", divided by mean"
	}
	columns, single, err := columnsForOrder(w, x, method, rowsAtLeast(3))
	if err != nil || single != nil {
		return single, err
	}
	n, d := x.Dims()
	most := o.MaxRows
	if most == 0 {
		most = 5000
	}
	if n > most {
		return nil, fmt.Errorf("ordering: %w: score on %d rows needs %.1f GB of memory; at most "+
			"%d rows are allowed, take a part of them",
			ErrTooLarge, n, 12*float64(n)*float64(n)/1e9, most)
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
			result.warn(Warning{Kind: WarningConstant, Columns: []int{j}, Position: -1})
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
			if value[j] = o.dispersion(e.hessian(k)); math.IsNaN(value[j]) ||
				math.IsInf(value[j], 0) {
				return nil, &ColumnError{Column: j, Row: -1, Err: ErrScale,
					Detail: fmt.Sprintf("the dispersion of its second derivative is %g", value[j])}
			}
		}
		leaf := ascending(next.of(left), value)[0]
		if leaf.criterion, err = o.inUnits(leaf, e.bandwidth); err != nil {
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
func (o SCOREOptions) inUnits(leaf choice, bandwidth float64) (float64, error) {
	v := leaf.criterion
	switch {
	case o.DivideByMean:
		return v, nil
	case o.Dispersion == SampleVariance:
		v = v / bandwidth / bandwidth / bandwidth / bandwidth
	default:
		v = v / bandwidth / bandwidth
	}
	if math.IsInf(v, 0) {
		return 0, &ColumnError{Column: leaf.column, Row: -1, Err: ErrScale,
			Detail: "its criterion overflows; multiply all data by one constant"}
	}
	return v, nil
}

// dispersion measures h, which it may overwrite.
func (o SCOREOptions) dispersion(h []float64) float64 {
	n := float64(len(h))
	if o.DivideByMean {
		mean := 0.0
		for _, v := range h {
			mean += v
		}
		mean /= n
		for a := range h {
			h[a] /= mean
		}
	}
	if o.Dispersion == SampleVariance {
		return sampleVariance(h)
	}
	if slices.ContainsFunc(h, math.IsNaN) {
		return math.NaN()
	}
	median := slices.Sorted(slices.Values(h))[(len(h)-1)/2]
	sum := 0.0
	for _, v := range h {
		sum += math.Abs(v - median)
	}
	return sum / n
}
