package impute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/impute"
)

// A column of 0 and 1 is completed with 0 and 1, about as often as the truth given the other
// column, where the rows observed would mislead.
func TestMatchingOfABinaryColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	const n = 4000
	x, truth := mat.NewDense(n, 2, nil), 0.0
	gaps := 0.0
	for i := range n {
		a, b := rng.NormFloat64(), 0.0
		if a+0.5*rng.NormFloat64() > 0 {
			b = 1
		}
		x.SetRow(i, []float64{a, b})
		if rng.Float64() < 1/(1+math.Exp(-2*a)) {
			x.Set(i, 1, math.NaN())
			truth += b
			gaps++
		}
	}
	c := complete(t, x, impute.Settings{Count: 3, Seed: 1})
	if m := c.Diagnostics.Columns[1].Method; m != impute.Matching {
		t.Fatalf("method %v, want matching", m)
	}
	for k := range 3 {
		ones, table := 0.0, c.Table(k)
		for i := range n {
			v := table.At(i, 1)
			if v != 0 && v != 1 {
				t.Fatalf("row %d has the value %v, want 0 or 1", i, v)
			}
			if math.IsNaN(x.At(i, 1)) {
				ones += v
			}
		}
		if !(math.Abs(ones/gaps-truth/gaps) <= 0.04) { // standard error about .01
			t.Errorf("table %d: %.3f of the gaps are 1, want %.3f", k, ones/gaps, truth/gaps)
		}
	}
}

// Equal predictions share donors: without other columns that tell anything, matched values follow
// the frequencies of those observed, however many rows have the same prediction.
func TestMatchingAmongTies(t *testing.T) {
	const n = 3000
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i % 2), float64(i / 2 % 3)})
		if i%4 < 2 && i > n/2 {
			x.Set(i, 1, math.NaN())
		}
	}
	c := complete(t, x, impute.Settings{Count: 1, Seed: 1})
	counts, gaps := map[float64]float64{}, 0.0
	for i := range n {
		if math.IsNaN(x.At(i, 1)) {
			counts[c.Table(0).At(i, 1)]++
			gaps++
		}
	}
	for v := range 3 {
		if got := counts[float64(v)] / gaps; !(math.Abs(got-1.0/3) <= 0.06) { // standard error .017
			t.Errorf("the value %d has the frequency %.3f, want 1/3", v, got)
		}
	}
}

// Columns whose values repeat are matched; few rows, or many values, are not.
func TestAutomaticMethod(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, row := range []struct {
		rows, levels int
		want         impute.Method
	}{{30, 2, impute.Matching}, {30, 10, impute.Matching}, {29, 10, impute.Normal},
		{300, 11, impute.Normal}, {5, 5, impute.Normal}} {
		x := mat.NewDense(row.rows+1, 2, nil)
		for i := range row.rows + 1 {
			x.SetRow(i, []float64{rng.NormFloat64(), float64(i % row.levels)})
		}
		x.Set(row.rows, 1, math.NaN())
		if got := complete(t, x, impute.Settings{Count: 2,
			Iterations: 1}).Diagnostics.Columns[1].Method; got != row.want {
			t.Errorf("%d values of %d levels: got %v, want %v", row.rows, row.levels, got, row.want)
		}
	}
}

// In rows in which y was set by intervention, y says nothing about its cause x: gaps of x there
// have the distribution of x, not the one given y. Regimes that are too small share a model of all
// rows.
func TestInterventions(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	const n = 3000
	x, marks := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		cause := rng.NormFloat64()
		effect := 3*cause + 0.1*rng.NormFloat64()
		if i%2 == 0 {
			effect = 3 * rng.NormFloat64()
			marks.Set(i, 1, 1)
		}
		x.SetRow(i, []float64{cause, effect})
		if i%10 < 2 {
			x.Set(i, 0, math.NaN())
		}
	}
	slope := func(s impute.Settings, regime int) float64 {
		table := complete(t, x, s).Table(0)
		xy, yy := 0.0, 0.0
		for i := range n {
			if i%10 < 2 && i%2 == regime {
				xy += table.At(i, 0) * table.At(i, 1)
				yy += table.At(i, 1) * table.At(i, 1)
			}
		}
		return xy / yy
	}
	s := impute.Settings{Count: 1, Seed: 1, Intervened: marks}
	if got := slope(s, 0); !(math.Abs(got) <= 0.06) { // standard error 1/(3√300) = .02
		t.Errorf("slope of the cause on the effect set: got %.3f, want 0", got)
	}
	if got := slope(s, 1); !(math.Abs(got-1.0/3) <= 0.01) {
		t.Errorf("slope of the cause on the effect: got %.3f, want 1/3", got)
	}
	if got := slope(impute.Settings{Count: 1, Seed: 1}, 0); math.Abs(got) < 0.1 {
		t.Errorf("without marks: slope %.3f, the test shows nothing", got)
	}
	few := mat.NewDense(n, 2, nil)
	few.Set(0, 1, 1)
	c := complete(t, x, impute.Settings{Count: 1, Seed: 1, Intervened: few})
	if len(c.Diagnostics.Models) != 2 || c.Diagnostics.Models[0].Rows != n ||
		c.Diagnostics.Models[1].Rows != n-1 {
		t.Errorf("models %+v, want one of all rows for the single row, and one of the others",
			c.Diagnostics.Models)
	}
}

// Indicators of a category are completed together: no row has two levels, and the frequencies
// follow those of the truth given the other column, where the rows observed would mislead. Matched
// one by one, rows get two levels.
func TestMatchingOfACategory(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	const n = 2500
	x := mat.NewDense(n, 4, nil)
	var truth [3]float64
	gaps := 0.0
	for i := range n {
		a := rng.NormFloat64()
		level := int(math.Max(0, math.Min(2, math.Round(1+a+0.4*rng.NormFloat64()))))
		row := []float64{a, 0, 0, rng.NormFloat64()}
		if level > 0 {
			row[level] = 1
		}
		x.SetRow(i, row)
		if rng.Float64() < 1/(1+math.Exp(-2*a)) {
			truth[level]++
			gaps++
			x.Set(i, 1, math.NaN())
			x.Set(i, 2, math.NaN())
		}
	}
	levels := func(s impute.Settings) (counts [3]float64, double int) {
		table := complete(t, x, s).Table(0)
		for i := range n {
			if math.IsNaN(x.At(i, 1)) {
				switch one, two := table.At(i, 1), table.At(i, 2); {
				case one == 1 && two == 1:
					double++
				case one == 1:
					counts[1]++
				case two == 1:
					counts[2]++
				default:
					counts[0]++
				}
			}
		}
		return counts, double
	}
	counts, double := levels(impute.Settings{Count: 1, Seed: 1, Together: [][]int{{2, 1}}})
	if double != 0 {
		t.Errorf("%d rows have two levels", double)
	}
	for k := range counts {
		// standard error about .015; the linear predictor adds some
		if math.Abs(counts[k]-truth[k])/gaps > 0.06 {
			t.Errorf("level %d: %.3f of the gaps, want %.3f", k, counts[k]/gaps, truth[k]/gaps)
		}
	}
	if _, double := levels(impute.Settings{Count: 1, Seed: 1}); double == 0 {
		t.Error("matched one by one no row has two levels: the test shows nothing")
	}
	x.Set(7, 1, 0)
	x.Set(7, 2, math.NaN())
	if _, err := impute.Complete(t.Context(), x,
		impute.Settings{Together: [][]int{{1, 2}}}); err == nil ||
		err.Error() != "impute: missing in only some of the columns that are missing "+
			"together: row 8, columns of 2" {
		t.Errorf("got %v", err)
	}
}
