package additive

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"tobac/internal/must"
)

// TestShapes: the densities integrate to 1, and their derivatives are those of finite differences.
func TestShapes(t *testing.T) {
	for _, s := range shapes {
		y := []float64{-2.3, -0.4, 0.1, 1.7, 9}
		p := must.Get(newProgram(s, len(y)))(t)
		channels := make([][]float64, p.channels)
		for c := range channels {
			channels[c] = make([]float64, len(y))
			for i := range y {
				channels[c][i] = []float64{0.3, -0.2, 0.4, -0.3}[c]
			}
		}
		value := func() float64 {
			v := must.Get(p.at(y, channels))(t)
			return v
		}
		// A parameter is the same in all rows: differences of the sum against sums of derivatives.
		move := func(c int, by float64) {
			for i := range channels[c] {
				channels[c][i] += by
			}
		}
		sum := func(x []float64) (s float64) {
			for _, v := range x {
				s += v
			}
			return s
		}
		const h = 1e-5
		for a := range p.channels {
			value()
			slope := sum(p.gradient[a])
			move(a, h)
			up := value()
			var above []float64
			for b := range a + 1 {
				above = append(above, sum(p.gradient[b]))
			}
			move(a, -2*h)
			down := value()
			var below []float64
			for b := range a + 1 {
				below = append(below, sum(p.gradient[b]))
			}
			move(a, h)
			value()
			if got := (up - down) / (2 * h); !(math.Abs(got-slope) <= 1e-6*(1+math.Abs(slope))) {
				t.Errorf("%s: slope by channel %d is %v, differences say %v", s.name, a, slope, got)
			}
			for b := range a + 1 {
				got, want := (above[b]-below[b])/(2*h), sum(p.hessian[a*(a+1)/2+b])
				if !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf(
						"%s: second derivative by channels %d and %d is %v, differences say %v",
						s.name, a, b, want, got)
				}
			}
		}
		one := must.Get(newProgram(s, 1))(t)
		single := make([][]float64, one.channels)
		for c := range single {
			single[c] = []float64{channels[c][0]}
		}
		density := func(v float64) float64 { // of arsinh y, so that heavy tails end
			f := must.Get(one.at([]float64{math.Sinh(v)}, single))(t)
			return math.Exp(f) * math.Cosh(v)
		}
		if total := quad.Fixed(density, -30, 30, 2000, nil, 0); !(math.Abs(total-1) <= 1e-6) {
			t.Errorf("%s: the density integrates to %v", s.name, total)
		}
	}
}

// Fisher's information of a location is the mean square of the slope of the log density. That of
// light tails is in closed form; the other one is within a factor of two.
func TestInformation(t *testing.T) {
	for _, c := range []struct {
		shape  int
		s      []float64
		factor float64
	}{
		{lightTails, []float64{-1}, 1.001}, {lightTails, []float64{0.5}, 1.001},
		{lightTails, []float64{1.5}, 1.001},
		{sinhArcsinh, []float64{0, 0.5}, 2}, {sinhArcsinh, []float64{0, 2}, 2},
		{sinhArcsinh, []float64{0.7, 1}, 2}, {sinhArcsinh, []float64{-1, 1.5}, 2},
	} {
		p := must.Get(newProgram(shapes[c.shape], 1))(t)
		channels := [][]float64{{0}, {0}}
		for _, v := range c.s {
			channels = append(channels, []float64{v})
		}
		want := quad.Fixed(func(v float64) float64 { // of arsinh u
			f := must.Get(p.at([]float64{math.Sinh(v)}, channels))(t)
			if math.IsInf(f, -1) {
				return 0
			}
			return math.Exp(f) * p.gradient[0][0] * p.gradient[0][0] * math.Cosh(v)
		}, -6, 6, 4000, nil, 0)
		got := shapes[c.shape].information(c.s)
		if !(got < want*c.factor && want < got*c.factor) {
			t.Errorf("%s %v: information %.4f, by integration %.4f", shapes[c.shape].name, c.s, got,
				want)
		}
	}
	if got := shapes[sinhArcsinh].information([]float64{0, -0.5}); got != 0 {
		t.Errorf("heavy tails have the bound %v, want none", got)
	}
}

// TestNearlyNormal: with ever more degrees of freedom Student's t is the normal distribution, also
// of very many rows.
func TestNearlyNormal(t *testing.T) {
	const n = 100_000
	y, channels := make([]float64, n), [][]float64{{}, {}, {}}
	for i := range y {
		y[i] = float64(i%7) - 3
	}
	var logs [2]float64
	for k, s := range []float64{12, 33} {
		for c, v := range []float64{0, 0, s} {
			channels[c] = slices.Repeat([]float64{v}, n)
		}
		for kind := range logs {
			p := take(kind, n)
			v := must.Get(p.at(y, channels[:p.channels]))(t)
			logs[kind] = v
		}
		if apart := math.Abs(logs[student] - logs[normal]); apart > []float64{3, 1e-6}[k] {
			t.Errorf("shape %v: %v nats from the normal distribution", s, apart)
		}
	}
}
