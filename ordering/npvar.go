package ordering

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// NPVarOptions order the columns of x (n×d) top-down like [EqVarOptions], with
// additive smooth functions in place of linear ones: of the columns not yet placed
// they take the one with the smallest
//
//	c_l = v_l − variance(f_l),
//
// where f_l is the fit of column l by one penalised B-spline of every column
// placed. Total minus
// fitted variance is not the variance of the residual: under a penalty they
// differ. Criterion holds c_l (divisor n−1).
//
// With K functions per smooth and p columns placed, a step takes n(Kp)² + K(Kp)²
// multiplications and little more: a placed column extends the factor of the
// normal equations instead of starting another. Memory is (K·d)² numbers, and
// n·K·d. d = 20 and n = 100 take a few hundredths of a second.
//
// They assume additive functions and equal noise variances, and have no guarantee
// without. A common factor on all columns changes nothing; a factor on one
// column can change everything, so on standardised data the order means nothing
// and the result has a warning. With n near K·d or below, the late
// fits are nearly saturated and the late positions weakly supported; n ≤ d is
// allowed.
//
// They fail if d = 0, if a value is NaN or infinite, if n < 4 and d > 1
// ([ErrTooFewRows]), if a column is constant, if a variance leaves the range of
// float64, if there are too many coefficients, or if the normal equations cannot
// be solved; a raised ridge is a warning, a negative c_l becomes 0 with a
// warning. The copy of a column follows it, after a warning.
type NPVarOptions struct {
	Smoother Smoother // defaults to PyGAM

	// MaxCoefficients is the largest number of coefficients K·(d−1) allowed,
	// which needs 8 bytes times its square; 0 means 8000 (512 MB). Above 2000 the
	// result has a warning.
	MaxCoefficients int
}

// manyCoefficients is the number above which a result remarks on its size.
const manyCoefficients = 2000

// Order implements [Orderer].
func (o NPVarOptions) Order(ctx context.Context, x mat.Matrix, known *Precedence,
	workers int) (*Result, error) {
	return ordered(ctx, workers, func(w *work) (*Result, error) { return o.order(w, x, known) })
}

func (o NPVarOptions) order(w *work, x mat.Matrix, p *Precedence) (*Result, error) {
	if !o.Smoother.valid() {
		return nil, fmt.Errorf("ordering: unknown smoother %d, want %v or %v", int(o.Smoother),
			PyGAM, MGCV)
	}
	method := "npvar, " + o.Smoother.String()
	columns, single, err := columnsForOrder(w, x, method, rowsAtLeast(4))
	if err != nil || single != nil {
		return single, err
	}
	_, d := x.Dims()
	if err := checkVaries(x, columns); err != nil {
		return nil, err
	}
	v := variances(w, x, columns)
	if w.err != nil {
		return nil, w.err
	}
	if err := checkScales(v, columns); err != nil {
		return nil, err
	}
	size, most := smoothers[o.Smoother].k*(d-1), o.MaxCoefficients
	if most == 0 {
		most = 8000
	}
	if size > most {
		return nil, fmt.Errorf("ordering: %w: %s of %d columns has up to %d coefficients, %.1f "+
			"GB in their factor, more than the %d allowed",
			errTooLarge, method, d, size, 8*float64(size)*float64(size)/1e9, most)
	}
	result := newResult(method, d)
	result.warnOfScale(v, columns)
	if size > manyCoefficients {
		result.warn(Warning{kind: warningLarge, Position: d - 1,
			Values: []float64{float64(size), 8 * float64(size) * float64(size)}})
	}
	search := &conditionalVariances{additive: newAdditive(w, x, columns, o.Smoother, d-1), total: v,
		value: make([]float64, d)}
	p.check(d)
	if err := search.run(result, p.front(sourcesFirst)); err != nil {
		return nil, err
	}
	return result, nil
}

// conditionalVariances are the c_l = v_l − variance(f_l) of the columns not yet
// placed.
type conditionalVariances struct {
	*additive
	total []float64 // v_l
	value []float64 // c_l; may be slightly negative
}

// update computes c_l for the targets given the predictors.
func (c *conditionalVariances) update(targets []int) {
	if len(c.predictors) == 0 {
		copy(c.value, c.total)
		return
	}
	c.fittedVariance(c.value, targets)
	for _, l := range targets {
		c.value[l] = c.total[l] - c.value[l]
	}
}

// run places all columns.
func (c *conditionalVariances) run(result *Result, open *front) error {
	left := indices(len(c.total))
	raised := c.ridge
	for {
		c.update(left)
		if c.done() {
			return c.err
		}
		if err := c.checkFinite(left); err != nil {
			return err
		}
		made := ascending(open.of(left), c.value)[0]
		if made.criterion < 0 {
			result.warn(Warning{kind: warningClamped, Columns: []int{made.column},
				Position: len(result.Order), Values: []float64{made.criterion}})
		}
		result.recordClamped(made, c.value)
		left = without(left, made.column)
		open.place(made.column)
		if len(left) == 0 {
			return nil
		}
		if err := c.add(made.column); err != nil {
			return err
		}
		if c.ridge > raised {
			raised = c.ridge
			result.warn(Warning{kind: warningRidge, Position: len(result.Order),
				Values: []float64{raised}})
		}
	}
}

// checkFinite finds the conditional variance that overflow has spoilt.
func (c *conditionalVariances) checkFinite(targets []int) error {
	for _, l := range targets {
		if v := c.value[l]; math.IsNaN(v) || math.IsInf(v, 0) {
			return &ColumnError{Column: l, Row: -1, Err: errScale,
				Detail: fmt.Sprintf("its conditional variance is %g; multiply all data by one "+
					"constant", v)}
		}
	}
	return nil
}

// recordClamped records a choice with its criterion, and its rival's, at least 0.
func (r *Result) recordClamped(made choice, value []float64) {
	made.criterion = math.Max(0, made.criterion)
	if made.rival >= 0 {
		made.gap = relativeGap(made.criterion, math.Max(0, value[made.rival]))
	}
	r.record(made)
}
