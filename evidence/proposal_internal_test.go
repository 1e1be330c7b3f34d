package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The gradient of a mixture's log density is that of central differences.
func TestMixtureGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	const n = 3
	m := &mixture{logWeights: []float64{math.Log(0.3), math.Log(0.7)}}
	for range m.logWeights {
		var qr mat.QR
		a := mat.NewDense(n, n, nil)
		a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
		qr.Factorize(a)
		directions := new(mat.Dense)
		qr.QTo(directions)
		center, widths := make([]float64, n), make([]float64, n)
		for k := range n {
			center[k], widths[k] = rng.NormFloat64(), math.Exp(rng.NormFloat64())
		}
		m.parts = append(m.parts, newStudentT(center, directions, widths))
	}
	for range 20 {
		x := m.draw(rng)
		_, got := m.density(x)
		want := fd.Gradient(nil, func(x []float64) float64 { v, _ := m.density(x); return v }, x, &fd.Settings{Formula: fd.Central})
		if !floats.EqualApprox(got, want, 1e-6) {
			t.Errorf("gradient at %v: %v, by differences %v", x, got, want)
		}
	}
}
