package additive

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
)

// Rows of every season are in a sketch, also where there are as many seasons as rows for one of it.
func TestSketchOfSeasons(t *testing.T) {
	const n, seasons = sketchedFrom, sketchedFrom / sketchRows
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i%seasons)+0.01*rng.Float64())
	}
	s := must.Get(New(x, nil, Options{}))(t)
	var count [seasons]int
	for _, row := range s.sketch.child[0].rows {
		count[row%seasons]++
	}
	for season, rows := range count {
		if want := sketchRows / seasons; rows < want*9/10 || rows > want*11/10 {
			t.Errorf("%d rows of season %d, want about %d", rows, season, want)
		}
	}
}

// Of many rows, with marks of interventions or without, scores are the same whether some of the
// rows were looked at first or not.
func TestSketch(t *testing.T) {
	const n = sketchedFrom + 500
	rng := rand.New(rand.NewPCG(3, 1))
	x, marks := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := rng.NormFloat64(), rng.ExpFloat64()
		x.SetRow(i, []float64{a, b, math.Sin(2*a) + 0.5*b + 0.3*rng.ExpFloat64()})
		if i%5 == 0 {
			marks.Set(i, 2, 1)
		}
	}
	for _, marked := range []mat.Matrix{nil, marks} {
		s := must.Get(New(x, marked, Options{}))(t)
		whole := must.Get(New(x, marked, Options{}))(t)
		if whole.sketch = nil; s.sketch == nil {
			t.Fatal("no sketch")
		}
		for _, parents := range [][]int{{0}, {0, 1}} {
			got, want := s.LogScore(2, parents), whole.LogScore(2, parents)
			if !(math.Abs(got-want) <= 0.02) {
				t.Errorf("parents %v: log score %.4f with a sketch, %.4f without", parents, got,
					want)
			}
			seen := s.sketchOf(2, parents, func(s *Scorer) []mode { return s.modes(2, parents) })
			other := whole.modes(2, parents)
			best := sketch{modes: other}.best(-1).log
			left := 0
			for k, m := range other {
				if !seen.behind(m.form) {
					continue
				}
				if left++; m.log > best-negligible {
					t.Errorf("parents %v: mode %d was left out, %.1f nats behind the best one",
						parents, k, best-m.log)
				}
			}
			for _, m := range s.modes(2, parents) {
				if seen.behind(m.form) && m.log > best-negligible {
					t.Errorf("parents %v: a form that was left out is thought to be %.1f nats "+
						"behind the best one", parents, best-m.log)
				}
			}
			if left == 0 {
				t.Errorf("parents %v: all forms were looked at", parents)
			}
		}
	}
}
