package sem

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dataset"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Of few rows of columns that were transformed directions are doubtful, and a warning says so; of
// others, and of many rows, it does not.
func TestTransformedFewRows(t *testing.T) {
	table := func(rows int, transform func(float64) float64) *dataset.Table {
		rng := rand.New(rand.NewPCG(3, 7))
		data := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(rows, 2, nil)}
		for i := range rows {
			a := transform(rng.NormFloat64())
			data.X.SetRow(i, []float64{a, transform(0.8*a + 0.5*rng.NormFloat64())})
		}
		return data
	}
	cube := func(v float64) float64 { return v * v * v }
	for _, c := range []struct {
		rows      int
		transform func(float64) float64
		doubtful  bool
	}{{150, cube, true}, {150, math.Tanh, false}, {transformRows, cube, false}} {
		data := table(c.rows, c.transform)
		all := must.Get(additiveModel{}.Hypotheses(context.Background(), data, nil, 1))(t)
		if note := (additiveModel{}).FormNote(data, nil,
			all[0].Scores); (note != "") != c.doubtful {
			t.Errorf("%d rows: the note is %q", c.rows, note)
		}
	}
}
