package generalised_test

import (
	"math/rand/v2"
	"testing"

	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Equations of counts among numbers take as much longer as there are rows and pairs of parents;
// those of levels alone are fitted in cells, whose number rows do not change.
func TestForecast(t *testing.T) {
	seconds := func(n int, kinds ...dataset.Kind) func(most int) float64 {
		rng := rand.New(rand.NewPCG(1, 2))
		x := mat.NewDense(n, len(kinds), nil)
		variables := make([]generalised.Variable, len(kinds))
		for j, kind := range kinds {
			variables[j].Kind = kind
			if kind.Levelled() {
				variables[j].Levels = 3
			}
			for i := range n {
				v := rng.NormFloat64()
				switch {
				case kind.Levelled():
					v = float64(rng.IntN(3))
				case kind == dataset.Count:
					v = float64(rng.IntN(9))
				}
				x.Set(i, j, v)
			}
		}
		return must.Get(generalised.NewForecast(x, variables))(t).Seconds
	}
	r, c, o := dataset.Real, dataset.Count, dataset.Ordered
	few, many := seconds(800, r, c, r, c), seconds(8000, r, c, r, c)
	for most := range 4 {
		if ratio := many(most) / few(most); ratio < 5 || ratio > 20 {
			t.Errorf("%d parents: ten times as many rows take %.1f times as long", most, ratio)
		}
		if most > 0 && !(many(most) > many(most-1)) {
			t.Errorf("%d parents take %v s, one less %v s", most, many(most), many(most-1))
		}
	}
	more := seconds(800, r, c, r, c, r, c, r, c)
	if ratio := more(2) / few(2); ratio < 4 || ratio > 30 {
		t.Errorf("pairs among twice as many columns take %.1f times as long", ratio)
	}
	if few, many := seconds(2000, o, o, o)(2), seconds(20000, o, o, o)(2); many > 2*few {
		t.Errorf("levels: %v s for 2,000 rows, %v s for 20,000", few, many)
	}
}
