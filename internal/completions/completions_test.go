package completions_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/completions"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The common scale of completed tables is that of all their rows.
func TestScale(t *testing.T) {
	const n, d = 7, 2
	rng := rand.New(rand.NewPCG(2, 2))
	var rows [d][]float64
	var all []posterior.Standardization
	for k := range 3 {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, j int, _ float64) float64 {
			return float64(3*k*j) + float64(1+k)*rng.NormFloat64()
		}, x)
		var s posterior.Standardization
		for j := range d {
			mean, sd := stat.PopMeanStdDev(mat.Col(nil, j, x), nil)
			s.Mean, s.SD = append(s.Mean, mean), append(s.SD, sd)
			rows[j] = append(rows[j], mat.Col(nil, j, x)...)
		}
		all = append(all, s)
	}
	got := completions.Scale(all)
	for j := range d {
		if mean, sd := stat.PopMeanStdDev(rows[j], nil); math.Abs(got.Mean[j]-mean) > 1e-12 ||
			math.Abs(got.SD[j]-sd) > 1e-12 {
			t.Errorf("column %d: %v ± %v, want %v ± %v", j, got.Mean[j], got.SD[j], mean, sd)
		}
	}
}
