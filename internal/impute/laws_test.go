package impute_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/internal/impute"
	"tobac/internal/must"
)

// A table without gaps comes back as it is.
func TestNothingToComplete(t *testing.T) {
	x := correlated(20, 3, rand.New(rand.NewPCG(1, 1)))
	x.Set(3, 1, math.Copysign(0, -1))
	c := complete(t, x, impute.Settings{Count: 3})
	if c.Count() != 3 || c.Gaps() != 0 || len(c.Diagnostics.Models) != 0 {
		t.Fatalf("%d tables, %d gaps, %d models; want 3, 0, 0", c.Count(), c.Gaps(),
			len(c.Diagnostics.Models))
	}
	for k := range c.Count() {
		if !sameBits(c.Table(k), x) {
			t.Errorf("table %d differs from the one without gaps", k)
		}
	}
}

// Whatever the shape, also with more columns than rows, equal and constant columns: every value is
// finite, observed values keep their bits, tables differ from each other, the argument is left
// alone.
func TestCompletesEveryShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		n, d := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "columns")
		x := correlated(n, d, rng)
		if d > 2 && rapid.Bool().Draw(t, "equal columns") {
			x.SetCol(1, mat.Col(nil, 0, x))
		}
		if rapid.Bool().Draw(t, "constant column") {
			for i := range n {
				x.Set(i, d-1, 0.1)
			}
		}
		x = punched(x, rapid.Float64Range(0, 0.9).Draw(t, "part missing"), rng)
		for j := range d {
			if !slices.ContainsFunc(mat.Col(nil, j, x), func(v float64) bool {
				return !math.IsNaN(v)
			}) {
				x.Set(0, j, 1)
			}
		}
		before := mat.DenseCopyOf(x)
		c := must.Get(impute.Complete(context.Background(), x,
			impute.Settings{Count: 3, Iterations: 3, Seed: 5}))(t)
		if !sameBits(x, before) {
			t.Fatal("the argument was changed")
		}
		for k := range c.Count() {
			for i, place := range c.Table(k).RawMatrix().Data {
				was := x.RawMatrix().Data[i]
				if math.IsNaN(place) || math.IsInf(place, 0) || !math.IsNaN(was) &&
					math.Float64bits(was) != math.Float64bits(place) {
					t.Fatalf("table %d, value %d: got %v, was %v", k, i, place, was)
				}
			}
		}
	})
}

// The same bits for any number of workers; another seed gives other values.
func TestWorkersChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := punched(correlated(60, 6, rng), 0.2, rng)
	for i := range 60 {
		x.Set(i, 4, math.Round(x.At(i, 4)/400)) // a column to be matched; NaN stays
	}
	one := complete(t, x, impute.Settings{Count: 5, Seed: 9})
	if one.Diagnostics.Columns[4].Method != impute.Matching {
		t.Fatalf("column 5 has the method %v, want matching", one.Diagnostics.Columns[4].Method)
	}
	for _, workers := range []int{2, 7} {
		many := complete(t, x, impute.Settings{Count: 5, Seed: 9, Workers: workers})
		for k := range 5 {
			if !sameBits(one.Table(k), many.Table(k)) {
				t.Errorf("%d workers: table %d differs", workers, k)
			}
		}
	}
	if other := complete(t, x, impute.Settings{Count: 5, Seed: 10}); sameBits(one.Table(0),
		other.Table(0)) || sameBits(one.Table(0), one.Table(1)) {
		t.Error("two seeds, or two tables of one, have equal values")
	}
}

// Shifting a column and multiplying it by a positive number changes its completed values by the
// same map. Powers of two change no bit of the standardised values, so that multiplying by them is
// exact; other maps hold to rounding, which the chain's 20 iterations amplify by its condition, of
// about 1e4.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		const n, d = 25, 4
		x := punched(correlated(n, d, rng), 0.25, rng)
		factor, shift := make([]float64, d), make([]float64, d)
		exact := rapid.Bool().Draw(t, "powers of two")
		for j := range d {
			if factor[j] = math.Exp(6 * rng.NormFloat64()); exact {
				factor[j] = math.Ldexp(1, rng.IntN(60)-30)
				continue
			}
			shift[j] = factor[j] * 300 * rng.NormFloat64()
		}
		y := mat.NewDense(n, d, nil)
		y.Apply(func(_, j int, v float64) float64 { return factor[j]*v + shift[j] }, x)
		s := impute.Settings{Count: 2, Iterations: 20, Seed: 1}
		a := must.Get(impute.Complete(context.Background(), x, s))(t)
		b := must.Get(impute.Complete(context.Background(), y, s))(t)
		for k := range 2 {
			for i := range n {
				for j := range d {
					got, want := b.Table(k).At(i, j), factor[j]*a.Table(k).At(i, j)+shift[j]
					scale := factor[j] * (math.Abs(a.Table(k).At(i, j)) + 300)
					if exact && got != want || !(math.Abs(got-want) <= 1e-7*scale) {
						t.Fatalf("table %d, entry [%d,%d]: got %v, want %v", k, i, j, got, want)
					}
				}
			}
		}
	})
}

// Errors name rows and columns, all of them at once.
func TestErrors(t *testing.T) {
	nan := math.NaN()
	full := func() *mat.Dense { return correlated(8, 3, rand.New(rand.NewPCG(1, 1))) }
	for _, row := range []struct {
		name string
		edit func(x *mat.Dense) impute.Settings
		want string
	}{
		{"an empty column", func(x *mat.Dense) impute.Settings {
			for i := range 8 {
				x.Set(i, 1, nan)
			}
			return impute.Settings{Names: []string{"age", "sex", "wage"}}
		}, `impute: without any observed value, leave out the column: 2 ("sex")`},
		{"empty rows", func(x *mat.Dense) impute.Settings {
			for _, i := range []int{1, 2, 3, 4, 5, 6} {
				x.SetRow(i, []float64{nan, nan, nan})
			}
			return impute.Settings{}
		}, "impute: without any observed value, leave out the row: 2, 3, 4, 5, 6 and 1 more"},
		{"two problems", func(x *mat.Dense) impute.Settings {
			x.Set(0, 2, math.Inf(1))
			x.SetRow(7, []float64{nan, nan, nan})
			return impute.Settings{}
		}, "impute: infinite values cannot be imputed from: row 1, column 3; without any " +
			"observed value, leave out the row: 8"},
		{"a gap in what was set", func(x *mat.Dense) impute.Settings {
			x.Set(4, 0, nan)
			marks := mat.NewDense(8, 3, nil)
			marks.Set(4, 0, 1)
			return impute.Settings{Intervened: marks}
		}, "impute: missing although set by intervention, want the value that was set: row 5, " +
			"column 1"},
		{"values too far apart", func(x *mat.Dense) impute.Settings {
			x.Set(0, 0, 1.7e308)
			x.Set(1, 0, -1.7e308)
			x.Set(2, 0, nan)
			return impute.Settings{}
		}, "impute: column 1 cannot be standardised: its values lie too far apart for float64"},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := full()
			s := row.edit(x)
			_, err := impute.Complete(context.Background(), x, s)
			if err == nil || err.Error() != row.want {
				t.Errorf("got %v\nwant %s", err, row.want)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rng := rand.New(rand.NewPCG(3, 1))
	if _, err := impute.Complete(ctx, punched(correlated(20, 3, rng), 0.2, rng),
		impute.Settings{}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestPanics(t *testing.T) {
	x := correlated(4, 2, rand.New(rand.NewPCG(1, 1)))
	for name, do := range map[string]func(){
		"no table": func() { complete(t, nil, impute.Settings{}) },
		"count":    func() { complete(t, x, impute.Settings{Count: -1}) },
		"methods": func() {
			complete(t, x, impute.Settings{Methods: []impute.Method{impute.Normal}})
		},
		"a method": func() { complete(t, x, impute.Settings{Methods: []impute.Method{0, 7}}) },
		"names":    func() { complete(t, x, impute.Settings{Names: []string{"a"}}) },
		"interventions": func() {
			complete(t, x, impute.Settings{Intervened: mat.NewDense(3, 2, nil)})
		},
		"table 10":     func() { complete(t, x, impute.Settings{}).Table(10) },
		"one estimate": func() { impute.Pool([]float64{1}, []float64{1}, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "impute: ") {
					t.Errorf("panic %q, want one that begins with the package", text)
				}
			}()
			do()
		})
	}
}
