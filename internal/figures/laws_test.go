package figures_test

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/dag"
	"tobac/internal/figures"
	"tobac/internal/must"
	"tobac/metrics"
)

// The areas in the legend are those of package metrics.
func TestAreasAgreeWithMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const d = 9
	for range 20 {
		truth, p := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				if i < j && (rng.Float64() < 0.3 || i == 0 && j == 1) {
					truth.Set(i, j, 1)
				}
				if i != j {
					p.Set(i, j, math.Round(10*rng.Float64())/10) // with ties
				}
			}
		}
		for _, diagonal := range []bool{false, true} {
			f := must.Get(figures.ROC{Methods: []figures.Judged{{Method: "m",
				Sets: []figures.Predictions{figures.Pairs(p, truth, diagonal)}}}}.Draw())(t)
			which := metrics.OffDiagonal
			if diagonal {
				which = metrics.WithDiagonal
			}
			want := fmt.Sprintf("%.3f", metrics.AUROC(p, dag.FromMatrix(truth), which))
			if svg := f.SVG("x"); !strings.Contains(svg, ", area "+want+"<") {
				t.Errorf("diagonal %v: no area %s in the legend", diagonal, want)
			}
		}
	}
}

// Intervals hold the frequencies that make what was seen no rarer than 2.5 % either way.
func TestIntervalsAreExact(t *testing.T) {
	for _, c := range []struct{ edges, pairs int }{{0, 7}, {7, 7}, {3, 11}, {1, 200}, {150, 200}} {
		low, high := figures.Interval(c.edges, c.pairs)
		if c.edges > 0 {
			if tail := 1 - (distuv.Binomial{N: float64(c.pairs), P: low}).CDF(
				float64(c.edges-1)); !(math.Abs(tail-0.025) <= 1e-9) {
				t.Errorf("%v: %g above the lower end, want 0.025", c, tail)
			}
		} else if low != 0 {
			t.Errorf("%v: lower end %g", c, low)
		}
		if c.edges < c.pairs {
			if tail := (distuv.Binomial{N: float64(c.pairs), P: high}).CDF(
				float64(c.edges)); !(math.Abs(tail-0.025) <= 1e-9) {
				t.Errorf("%v: %g below the upper end, want 0.025", c, tail)
			}
		} else if high != 1 {
			t.Errorf("%v: upper end %g", c, high)
		}
	}
}

// Colours of series differ for readers with and without deficiencies: distances in CIE Lab
// after the simulations of Machado, Oliveira and Fernandes (2009) at full severity.
func TestSeriesAreToldApart(t *testing.T) {
	type matrix [9]float64
	kinds := map[string]matrix{
		"none": {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia": {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
			-0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
			0.042940, 0.968881},
		"tritanopia": {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
			0.691367, 0.303900},
	}
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	lab := func(c color.RGBA, m matrix) [3]float64 {
		in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
		var s [3]float64
		for i := range s {
			s[i] = math.Max(0, math.Min(1, m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2]))
		}
		f := func(v float64) float64 {
			if v > 216.0/24389 {
				return math.Cbrt(v)
			}
			return (24389.0/27*v + 16) / 116
		}
		x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.9505)
		y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
		z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	for kind, m := range kinds {
		for a := range figures.SeriesColours {
			for b := range a {
				p, q := lab(figures.SeriesColours[a], m), lab(figures.SeriesColours[b], m)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 24 {
					t.Errorf("%s: series %d and %d are %.1f apart", kind, a+1, b+1, d)
				}
			}
		}
	}
}
