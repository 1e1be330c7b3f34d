package score_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// TestBIC compares with a regression by least squares on the raw columns.
func TestBIC(t *testing.T) {
	const n, d = 40, 4
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3*float64(j)+float64(j+1)*rng.NormFloat64())
		}
		x.Set(i, 2, x.At(i, 2)+2*x.At(i, 0)-x.At(i, 3))
	}
	s, err := score.NewBIC(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := score.Check(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	for _, parents := range [][]int{nil, {0}, {0, 1}, {0, 1, 3}} {
		a := mat.NewDense(n, len(parents)+1, nil)
		for i := range n {
			a.Set(i, 0, 1)
			for k, p := range parents {
				a.Set(i, k+1, x.At(i, p))
			}
		}
		var w, fit mat.VecDense
		y := mat.NewVecDense(n, mat.Col(nil, 2, x))
		if err := w.SolveVec(a, y); err != nil {
			t.Fatal(err)
		}
		fit.MulVec(a, &w)
		fit.SubVec(y, &fit)
		want := -0.5*n*math.Log(mat.Dot(&fit, &fit)/n) - 0.5*float64(len(parents)+2)*math.Log(n)
		if got := s.LogScore(2, parents); !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("parents %v: got %v, want %v", parents, got, want)
		}
	}
	// Markov equivalent: 0 → 2 and 2 → 0.
	forward := s.LogScore(0, nil) + s.LogScore(2, []int{0})
	back := s.LogScore(2, nil) + s.LogScore(0, []int{2})
	if !(math.Abs(forward-back) <= 1e-9) {
		t.Errorf("equivalent graphs: got %v and %v, want equal scores", forward, back)
	}
	constant := mat.NewDense(3, 1, []float64{2, 2, 2})
	if _, err := score.NewBIC(constant, nil); err == nil {
		t.Error("a constant column: got no error")
	}
}
