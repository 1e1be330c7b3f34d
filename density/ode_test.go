package density_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/autograd"
	"tobac/density"
)

// dx/dt = −ax + cos t, with the solution that begins at 1, to the fourth order of the step.
func TestRungeKutta(t *testing.T) {
	times := []float64{0.5, 2}
	solve := func(steps int) []float64 {
		return value(t, []float64{1}, func(x *autograd.Node) *autograd.Node {
			return density.RungeKutta(x, 0, times, steps, func(t float64, x *autograd.Node) *autograd.Node {
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

// A predator and its prey after five years.
func ExampleRungeKutta() {
	m, err := density.New(func(t *density.Trace) {
		start := t.Sample("start", density.LogNormal(math.Log(10), 1), 2)
		z := density.RungeKutta(start, 0, []float64{5}, 50, func(_ float64, z *autograd.Node) *autograd.Node {
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
