package additive_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/additive"
	"tobac/internal/must"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Of y = (x + e)³ with x and e normal the transform tells the direction, without parents nothing
// changes, and a monotone transform of y changes what x adds to it by no more than the forms of the
// untransformed equations do.
func TestNormalScores(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(5, 5))
	x, z := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for i := range n {
		a, e := rng.NormFloat64(), rng.NormFloat64()
		z.SetRow(i, []float64{a, (a + 0.5*e) / math.Sqrt(1.25), rng.NormFloat64()})
		x.SetRow(i, []float64{a, math.Pow(a+0.5*e, 3), z.At(i, 2)})
	}
	first := must.Get(additive.New(x, nil, additive.Options{}))(t)
	s := must.Get(additive.NewTransformed(first).NormalScores(z, nil))(t)
	if err := score.Check(t.Context(), s); err != nil {
		t.Error(err)
	}
	for j := range 3 {
		if got, want := s.LogScore(j, nil), first.LogScore(j, nil); got != want {
			t.Errorf("variable %d without parents scores %v, want %v", j, got, want)
		}
	}
	gains := func(s score.Scorer, i, j int) float64 {
		return s.LogScore(j, []int{i}) - s.LogScore(j, nil)
	}
	if more := gains(s, 0, 1) - gains(first, 0, 1); more < 10 {
		t.Errorf("the transform gains %v nats, want many", more)
	}
	if to, back := gains(s, 0, 1), gains(s, 1, 0); to < back-5 {
		t.Errorf("x adds %v nats to y, and y %v to x", to, back)
	}
	if more := gains(s, 2, 0) - gains(first, 2, 0); math.Abs(more) > 1 {
		t.Errorf("of independent columns the transform gains %v nats", more)
	}
	gain, err := s.Gain(t.Context(), 2)
	if one, _ := s.Gain(t.Context(), 1); err != nil || gain != one || gain < 10 {
		t.Errorf("Gain is %v by two workers, %v by one, error %v", gain, one, err)
	}
	s.Refine(1, []int{0, 2})
	if r := s.Residuals(1, []int{0}); len(r) != n || !s.Known(1, []int{0, 2}) {
		t.Errorf("%d residuals, known: %v", len(r), s.Known(1, []int{0, 2}))
	}
}
