package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Layers are the settings of an estimator that places several columns at a
// time: all whose criterion c_l is at most the smallest plus a tolerance η. The
// columns of one layer have no order that the estimator stands for.
type Layers struct {
	// Tolerance is η, in the units of the criterion; 0 means 0.01. Below the smallest
	// difference of criteria it gives the order without layers.
	Tolerance float64

	// Sample, if not nil, is a second sample of the same columns, and
	//
	//	η = Scale · max over l of |c_l(X) − c_l(Sample)|
	//
	// over the columns not yet placed, anew for every layer. Tolerance is then
	// not used. It doubles the cost.
	Sample mat.Matrix
	// Scale multiplies the adaptive tolerance; 0 means 1.
	Scale float64
}

// A layering chooses the columns of the next layer. A nil layering chooses one
// column.
type layering struct {
	tolerance float64
	scale     float64
	second    *conditionalVariances // nil means fixed tolerance
}

// prepare checks the settings for d columns; nil stays nil.
func (l *Layers) prepare(w *work, s Smoother, d int) (*layering, error) {
	if l == nil {
		return nil, nil
	}
	out := &layering{tolerance: l.Tolerance, scale: l.Scale}
	if out.tolerance == 0 {
		out.tolerance = 0.01
	}
	if out.scale == 0 {
		out.scale = 1
	}
	if !(out.tolerance > 0) || !(out.scale > 0) || math.IsInf(out.tolerance, 0) ||
		math.IsInf(out.scale, 0) {
		return nil, fmt.Errorf("ordering: layers with tolerance %g and scale %g, want finite "+
			"positive numbers, or 0 for the defaults", l.Tolerance, l.Scale)
	}
	if l.Sample == nil {
		return out, nil
	}
	columns, err := summarise(w, l.Sample)
	if err != nil {
		return nil, fmt.Errorf("second sample: %w", err)
	}
	n, cols := l.Sample.Dims()
	switch {
	case cols != d:
		return nil, fmt.Errorf("ordering: second sample of %d columns, want %d", cols, d)
	case n < 4:
		return nil, fmt.Errorf("second sample: %w", tooFewRows("npvar", n, d, 4))
	}
	if err := checkVaries(l.Sample, columns); err != nil {
		return nil, fmt.Errorf("second sample: %w", err)
	}
	v := variances(w, l.Sample, columns)
	if err := checkScales(v, columns); err != nil {
		return nil, fmt.Errorf("second sample: %w", err)
	}
	out.second = &conditionalVariances{additive: newAdditive(w, l.Sample, columns, s, d-1),
		total: v, value: make([]float64, d)}
	return out, nil
}

// next returns the columns of the next layer, ascending by value.
func (l *layering) next(left []int, value []float64) ([]choice, error) {
	sorted := ascending(left, value)
	if l == nil {
		return sorted[:1], nil
	}
	tolerance := l.tolerance
	if l.second != nil {
		l.second.update(left)
		if err := l.second.checkFinite(left); err != nil {
			return nil, fmt.Errorf("second sample: %w", err)
		}
		tolerance = 0
		for _, j := range left {
			tolerance = math.Max(tolerance, l.scale*math.Abs(value[j]-l.second.value[j]))
		}
	}
	count := 1
	for count < len(sorted) && sorted[count].criterion-sorted[0].criterion <= tolerance {
		count++
	}
	return sorted[:count], nil
}

// add makes the columns of a layer predictors in the second sample.
func (l *layering) add(layer []choice) error {
	if l == nil || l.second == nil {
		return nil
	}
	for _, made := range layer {
		if err := l.second.add(made.column); err != nil {
			return fmt.Errorf("second sample: %w", err)
		}
	}
	return nil
}
