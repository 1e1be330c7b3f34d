package pareto_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/pareto"

	"gonum.org/v1/gonum/floats"
)

// Fits to 4000 draws recover shapes within four standard errors, (1 + k)/√n, and the prior's
// shift.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []float64{-0.2, 0.1, 0.5, 0.9} {
		x := make([]float64, 4000)
		for i := range x {
			x[i] = 3 * (math.Pow(rng.Float64(), -k) - 1) / k
		}
		slices.Sort(x)
		got, sigma := pareto.Fit(x)
		if math.Abs(got-k) > 4*(1+k)/math.Sqrt(4000)+0.002 || math.Abs(sigma-3) > 0.4 {
			t.Errorf("shape %v, scale %v, want %v, 3", got, sigma, k)
		}
	}
}

// Weights of a normal proposal for a normal target: bounded if it is wider; of the shape
// 1 − 1/4 if it has half of the target's standard deviation. They add to 1 and keep
// their order.
func TestSmooth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, c := range []struct{ sd, low, high float64 }{{1.5, -3, 0.3}, {0.5, 0.5, 1.1}} {
		logs := make([]float64, 2000)
		for i := range logs {
			z := rng.NormFloat64()
			logs[i] = -c.sd*c.sd*z*z/2 + z*z/2
		}
		before := slices.Clone(logs)
		k := pareto.Smooth(logs)
		if k < c.low || k > c.high || math.Abs(floats.LogSumExp(logs)) > 1e-12 {
			t.Errorf("sd %v: shape %v, log of the sum %v", c.sd, k, floats.LogSumExp(logs))
		}
		i, j := floats.MaxIdx(before), floats.MinIdx(before)
		if floats.Max(logs) != logs[i] || floats.Min(logs) != logs[j] {
			t.Errorf("sd %v: the order changed", c.sd)
		}
	}
	if k := pareto.Smooth([]float64{1, 2}); !math.IsInf(k, 1) {
		t.Errorf("shape %v of two weights", k)
	}
}

func ExampleSmooth() {
	logs := []float64{0, 0, 0, math.Log(3)}
	k := pareto.Smooth(logs)
	fmt.Printf("%v %.2f\n", k, math.Exp(logs[3]))
	// Output: +Inf 0.50
}
