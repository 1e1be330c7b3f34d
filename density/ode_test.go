package density_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"
)

// dx/dt = −ax + cos t, with the solution that begins at 1, to the fourth order of the step.
func TestRungeKutta(t *testing.T) {
	times := []float64{0.5, 2}
	solve := func(steps int) []float64 {
		return value(t, []float64{1}, func(x *autograd.Node) *autograd.Node {
			return density.RungeKutta(x, 0, times, steps,
				func(t float64, x *autograd.Node) *autograd.Node {
					return x.Scale(-0.7).AddScalar(math.Cos(t))
				})
		})
	}
	exact := func(t float64) float64 {
		a := 0.7
		particular := func(t float64) float64 { return (a*math.Cos(t) + math.Sin(t)) / (1 + a*a) }
		return particular(t) + (1-particular(0))*math.Exp(-a*t)
	}
	coarse, fine := solve(4), solve(8)
	for i, at := range times {
		want := exact(at)
		if e := math.Abs(fine[i] - want); e > 1e-5 || e > math.Abs(coarse[i]-want)/12 {
			t.Errorf("at %v: %v and %v, want %v", at, coarse[i], fine[i], want)
		}
	}
}

// Derivatives of first and second order by the start and by the parameters of the rate, on both
// engines.
func TestRungeKuttaDerivatives(t *testing.T) {
	weights := []float64{1, -0.4, 0.7, 2, 0.3, -1}
	solve := func(_ *autograd.Builder, in []*autograd.Node) *autograd.Node {
		z := density.RungeKutta(in[0], 0.1, []float64{0.4, 0.9, 2}, 3,
			func(t float64, z *autograd.Node) *autograd.Node {
				u, v := z.Index(0, 0), z.Index(0, 1)
				return autograd.Vector(in[1].Index(0, 0).Mul(u).Sub(u.Mul(v)),
					in[1].Index(0, 1).Mul(u.Mul(v)).Sub(v).AddScalar(math.Sin(t)))
			})
		return z.Mul(z.Builder().Constant(weights, autograd.Shape{3, 2})).Sum()
	}
	slope := func(b *autograd.Builder, in []*autograd.Node) *autograd.Node {
		g := b.Grad(solve(b, in), in...)
		return g[0].Square().Sum().Add(g[1].Exp().Sum())
	}
	for name, f := range map[string]func(*autograd.Builder,
		[]*autograd.Node) *autograd.Node{"first": solve, "second": slope} {
		at, shapes := [][]float64{{1.2, 0.4}, {0.7, -0.3}}, []autograd.Shape{{2}, {2}}
		if err := gradtest.Check(f, at, shapes, gradtest.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Mistakes are errors of the builder.
func TestRungeKuttaMistakes(t *testing.T) {
	for _, c := range []struct {
		want  string
		times []float64
		steps int
		rate  func(t float64, z *autograd.Node) *autograd.Node
	}{
		{"got 0 steps", []float64{1}, 0, nil},
		{"of 0 times", nil, 2, nil},
		{"(3)", []float64{1, 2}, 2, func(_ float64, z *autograd.Node) *autograd.Node {
			return z.Builder().Constant([]float64{1, 2, 3}, autograd.Shape{3})
		}},
		{"(2,1)", []float64{1, 2}, 2, func(_ float64, z *autograd.Node) *autograd.Node {
			return z.Reshape(autograd.Shape{2, 1})
		}},
	} {
		b := autograd.NewBuilder("mistakes")
		density.RungeKutta(b.Input("x", autograd.Shape{2}), 0, c.times, c.steps, c.rate)
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

// A predator and its prey after five years.
func ExampleRungeKutta() {
	m, err := density.New(func(t *density.Trace) {
		start := t.Sample("start", density.LogNormal(math.Log(10), 1), 2)
		z := density.RungeKutta(start, 0, []float64{5}, 50,
			func(_ float64, z *autograd.Node) *autograd.Node {
				prey, predator := z.Index(0, 0), z.Index(0, 1)
				return autograd.Vector(
					prey.Mul(predator.Scale(-0.03).AddScalar(0.5)),
					predator.Mul(prey.Scale(0.02).AddScalar(-0.8)),
				)
			})
		t.Record("later", z)
	}, density.Options{Points: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(m.Names())
	// Output: [start[0] start[1] later[0,0] later[0,1]]
}
