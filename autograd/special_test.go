package autograd_test

import (
	"math"
	"testing"

	ad "tobac/autograd"
)

// Comparisons with a number that is the same in all samples keep NaN on either side, and
// relu of −0 is +0, sample by sample, value by value and by the reference.
func TestSpecialValuesOfSamples(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	values := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, inf, -inf, nan, 0.5, 2}
	b := ad.NewBuilder("special")
	p, s := b.Axis("particle", len(values)), b.Axis("sample", len(values))
	c, x := b.Input("c", ad.Shape{}, p), b.Input("x", ad.Shape{}, p, s)
	outputs := nodes(c.Greater(x), x.Greater(c), b.Scalar(1).Div(x.Relu()), x.Relu())
	var xs []float64
	for range values {
		xs = append(xs, values...)
	}
	greater := func(a, b float64) float64 {
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return nan
		case a > b:
			return 1
		}
		return 0
	}
	for name, opt := range map[string]ad.Options{"lanes": {}, "by value": {Without: ad.ElementSchedule}, "reference": {Engine: ad.Reference}} {
		got := eval(t, nodes(c, x), outputs, [][]float64{values, xs}, opt)
		for i, cv := range values {
			for j, xv := range values {
				relu := math.Max(xv, 0)
				want := []float64{greater(cv, xv), greater(xv, cv), 1 / relu, relu}
				for k, w := range want {
					if name == "reference" && k == 2 {
						continue // its quotient of 0 is another matter
					}
					if g := got[k][i*len(values)+j]; math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
						t.Errorf("%s: c = %v, x = %v: %v is %v, want %v", name, cv, xv, outputs[k], g, w)
					}
				}
			}
		}
	}
}
