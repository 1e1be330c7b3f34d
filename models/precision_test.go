package models_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// A target in float32 has the values and scores of that in float64 up to rounding,
// and says so when its range does not suffice.
func TestTargetInFloat32(t *testing.T) {
	rng := newRand(82)
	const m = 70
	x := []*mat.Dense{mat.NewDense(m, 6, normals(rng, 6*m)), mat.NewDense(m, 1, normals(rng, m))}
	double := newTarget(t, m, saddleBlocks, saddle, models.Options{})
	single := newTarget(t, m, saddleBlocks, saddle, models.Options{Precision: autograd.Float32})
	want, got := []*mat.Dense{mat.NewDense(m, 6, nil), mat.NewDense(m, 1, nil)}, []*mat.Dense{mat.NewDense(m, 6, nil), mat.NewDense(m, 1, nil)}
	if err := double.Score(want, x, 0); err != nil {
		t.Fatal(err)
	}
	if err := single.Score(got, x, 0); err != nil {
		t.Fatal(err)
	}
	for b := range want {
		g, w := got[b].RawMatrix().Data, want[b].RawMatrix().Data
		same := 0
		for k := range w {
			if !(math.Abs(g[k]-w[k]) <= 1e-5*math.Max(1, math.Abs(w[k]))) {
				t.Errorf("block %d, number %d: got %v, want %v", b, k, g[k], w[k])
			}
			if g[k] == w[k] {
				same++
			}
		}
		if same > len(w)/10 {
			t.Errorf("block %d: %d of %d numbers have the bits of float64", b, same, len(w))
		}
	}
	x[1].Set(3, 0, 1e14) // b³ is 1e42
	if err := double.Score(want, x, 0); err != nil {
		t.Errorf("in float64: %v", err)
	}
	wantError := "models: a gradient is not finite in float32, but is in float64"
	if err := single.Score(got, x, 0); err == nil || err.Error() != wantError {
		t.Errorf("got error %v, want %s", err, wantError)
	}
}
