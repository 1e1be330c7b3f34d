package effects_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/effects"
)

// A quantile is the least value up to which the weights reach the level: no value
// below it does.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 12).Draw(t, "values")
		weights := rapid.SliceOfN(rapid.Float64Range(0.001, 1), len(values), len(values)).Draw(t,
			"weights")
		floats.Scale(1/floats.Sum(weights), weights)
		levels := []float64{0.05, 0.3, 0.5, 0.95, 1}
		below := func(v float64) (sum float64) {
			for k, x := range values {
				if x <= v {
					sum += weights[k]
				}
			}
			return sum
		}
		for l, q := range effects.Quantiles(values, weights, levels...) {
			if below(q) < levels[l]-1e-9 {
				t.Fatalf("quantile %v of %v is %v, up to which there is %v", levels[l], values, q,
					below(q))
			}
			for _, v := range values {
				if v < q && below(v) >= levels[l] {
					t.Fatalf("quantile %v is %v, but %v does", levels[l], q, v)
				}
			}
		}
		s := effects.Summarise(values, weights)
		mean := floats.Dot(values, weights)
		variance := 0.0
		for k, v := range values {
			variance += weights[k] * v * v
		}
		if !(math.Abs(s.Mean-mean) <= 1e-12) ||
			!(math.Abs(s.SD*s.SD-(variance-mean*mean)) <= 1e-9) {
			t.Fatalf("%+v of %v, weights %v", s, values, weights)
		}
	})
}

// Columns are described like by hand, and on another scale like the values there.
func TestDescribe(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{4, 1, 3, 2, 5})
	c := effects.Describe([]string{"v"}, x)[0]
	if c.Mean != 3 || c.Min != 1 || c.Max != 5 || !near(c.SD, math.Sqrt(2.5), 1e-14) ||
		!floats.EqualApprox(c.Quantiles, []float64{1.2, 2, 3, 4, 4.8}, 1e-14) {
		t.Errorf("column %+v", c)
	}
	if !c.Outside(0.9) || !c.Outside(5.1) || c.Outside(1) || c.Outside(5) {
		t.Error("the range is from 1 to 5")
	}
	scaled := effects.InDataUnits([]effects.Column{c}, []float64{10}, []float64{2})[0]
	x.Apply(func(_, _ int, v float64) float64 { return 10 + 2*v }, x)
	want := effects.Describe([]string{"v"}, x)[0]
	if cmp.Compare(scaled.Mean, want.Mean) != 0 || !near(scaled.SD, want.SD, 1e-14) ||
		scaled.Min != want.Min || scaled.Max != want.Max ||
		!floats.EqualApprox(scaled.Quantiles, want.Quantiles, 1e-12) {
		t.Errorf("column %+v, want %+v", scaled, want)
	}
	if slices.Max(c.Quantiles) > 5 {
		t.Error("the argument was changed")
	}
}
