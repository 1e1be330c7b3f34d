package tobac_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"
)

// completedTables are tables that differ in the values of column 2 in every fifth row.
func completedTables(data *dataset.Table, count int) tobac.Imputed {
	n, d := data.X.Dims()
	var places []int
	for i := 0; i < n; i += 5 {
		places = append(places, i*d+2)
	}
	return tobac.Imputed{Count: count, Places: places, Table: func(k int) *dataset.Table {
		rng := rand.New(rand.NewPCG(uint64(k), 8))
		t := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X),
			Intervened: data.Intervened}
		for i := 0; i < n; i += 5 {
			t.X.Set(i, 2, t.X.At(i, 2)+2*rng.NormFloat64())
		}
		return t
	}}
}

func fitImputed(t testing.TB, data tobac.Imputed, cfg tobac.Config) *tobac.Result {
	t.Helper()
	return must.Get(tobac.FitImputed(context.Background(), data, cfg))(t)
}

// Of one completed table it is Fit, with every engine, but for a warning.
func TestOneCompletedTable(t *testing.T) {
	data := noisy(t)
	for name, cfg := range enginesTried() {
		if name == "gflownet" {
			continue // trained like bcd
		}
		t.Run(name, func(t *testing.T) {
			want := ended(t, name).result
			got := fitImputed(t, tobac.Imputed{Count: 1, Table: func(int) *dataset.Table {
				return data
			}}, cfg)
			if got.Imputation.Tables != 1 || len(got.Warnings) != len(want.Warnings)+1 ||
				!strings.Contains(got.Warnings[0], "one completed table") {
				t.Errorf("warnings %q, want one more than %q", got.Warnings, want.Warnings)
			}
			got.Imputation, got.Warnings = nil, want.Warnings
			sameBits(t, "one completed table", got, want)
		})
	}
}

// With several, probabilities are the means of those of the tables, weights follow the moments of
// the mixture, draws and components come from all, whatever the number of workers.
func TestCompletedTablesAreMixed(t *testing.T) {
	data := noisy(t)
	const count = 3
	for name, cfg := range enginesTried() {
		t.Run(name, func(t *testing.T) {
			if name == "auto" {
				t.Skip("is exact")
			}
			if strings.Contains(name, "gflownet") || strings.HasPrefix(name, "svgd o") ||
				name == "dibs" {
				t.Skip("tables are worked on by the same code as with bcd and svgd")
			}
			if cfg.Model == nil {
				cfg.Model = sem.Linear{}
			}
			if name == "mcmc" {
				cfg.Seed = 3 // with which the worst chains are not those of the first table
			}
			tables := completedTables(data, count)
			tables.Rounds = -1
			got := fitImputed(t, tables, cfg)
			must.Do(t, got.Validate())
			workers := cfg
			workers.Workers = 3
			sameBits(t, "three workers", fitImputed(t, tables, workers), got)
			var parts []posterior.Marginals
			var probabilities []*mat.Dense
			for k := range count {
				c := cfg
				if k > 0 {
					c.Seed = stream.Seed(cfg.Seed, stream.ImputedTable, k)
				}
				r := fit(t, tables.Table(k), c)
				parts, probabilities = append(parts, r.Marginals),
					append(probabilities, r.Probabilities)
			}
			if isA[*stein.SVGD](cfg.Engine) && cfg.Order.Method == nil {
				return // the orders are drawn under one model for all tables
			}
			want := posterior.MixMarginals(parts, []float64{1, 1, 1})
			near := cmp.Comparer(func(a, b *mat.Dense) bool {
				return a == b || a != nil && b != nil && close0(a, b)
			})
			if diff := cmp.Diff(want, got.Marginals, near); diff != "" {
				t.Errorf("marginals (-want +got):\n%s", diff)
			}
			for k, p := range probabilities {
				if !close0(p, got.Imputation.Probabilities[k]) {
					t.Errorf("probabilities of table %d: got %v, want %v", k,
						mat.Formatted(got.Imputation.Probabilities[k]), mat.Formatted(p))
				}
			}
			for i := range 5 {
				for j := range 5 {
					mean, squares := 0.0, 0.0
					for _, p := range probabilities {
						mean += p.At(i, j) / count
					}
					for _, p := range probabilities {
						squares += (p.At(i, j) - mean) * (p.At(i, j) - mean) / (count - 1)
					}
					if sd := got.Imputation.SD.At(i, j); math.Abs(sd-math.Sqrt(squares)) > 1e-9 {
						t.Errorf("standard deviation of %d -> %d: got %v, want %v", i, j, sd,
							math.Sqrt(squares))
					}
				}
			}
			if len(got.Components)%count != 0 && cfg.Order.Count == 0 || len(got.Draws) > 1500 ||
				len(got.Draws) < min(30, count*max(1, sampler(&cfg).Particles)) {
				t.Errorf("%d components, %d draws", len(got.Components), len(got.Draws))
			}
			if isA[*sums.Exact](cfg.Engine) { // as for draws of one table
				drawn := got.Frequencies().Probabilities
				for i := range 5 {
					for j := range 5 {
						v := got.Probabilities.At(i, j)
						if ess := got.Empirical().EffectiveSampleSize(); ess < 500 ||
							math.Abs(drawn.At(i, j)-v) > 3*math.Sqrt(v*(1-v)/ess)+0.02 {
							t.Errorf("edge %d -> %d: frequency %v among draws worth %v, "+
								"probability %v", i, j, drawn.At(i, j), ess, v)
						}
					}
				}
			}
		})
	}
}

// close0 compares matrices with NaN to rounding.
func close0(a, b *mat.Dense) bool {
	d, _ := a.Dims()
	for i := range d {
		for j := range d {
			x, y := a.At(i, j), b.At(i, j)
			if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-9*(1+math.Abs(x)) {
				return false
			}
		}
	}
	return true
}

// One model is taken for all tables, that with the greatest mean evidence, although a table may
// support another: two of the three here are scaled so that they support unequal variances.
func TestOneModelForAllTables(t *testing.T) {
	equal := chain(t, 40).Train
	unequal := &dataset.Table{Names: equal.Names, X: mat.DenseCopyOf(equal.X)}
	unequal.X.Apply(func(_, j int, v float64) float64 { return v * math.Pow(3, float64(j-2)) },
		unequal.X)
	models := []sem.Model{sem.Linear{}, sem.BGe{}}
	tables := []*dataset.Table{unequal, equal, unequal}
	for _, cfg := range []tobac.Config{{Engine: &sums.Exact{}, Seed: 3}, {Engine: &short, Seed: 3},
		{Engine: &small, Order: engine.Order{Count: 2}, Seed: 3}} {
		t.Run(cfg.Engine.Engine().Name(), func(t *testing.T) {
			r := fitImputed(t, tobac.Imputed{Count: 3, Table: func(k int) *dataset.Table {
				return tables[k]
			}}, cfg)
			m := r.Imputation
			best, highest := "", math.Inf(-1)
			for a, model := range models {
				mean := 0.0
				for k := range tables {
					mean += m.Evidence[k][a].Log / 3
				}
				if math.Abs(mean-r.Evidence[a].Log) > 1e-9*math.Abs(mean) ||
					r.Evidence[a].Model != model.String() {
					t.Errorf("evidence %+v, want the mean %v of %v", r.Evidence[a], mean, model)
				}
				if mean > highest {
					best, highest = model.String(), mean
				}
			}
			if m.Supporting(best) != 2 {
				t.Fatalf("%d tables support %s, want 2: the test shows nothing", m.Supporting(best),
					best)
			}
			if !isA[*stein.SVGD](cfg.Engine) &&
				(r.Model != best || r.Config.Model == nil || r.Config.Model.String() != best) {
				t.Errorf("model %q, want %q for all tables", r.Model, best)
			}
			if strings.Contains(r.Model, "+") {
				t.Errorf("several models: %q", r.Model)
			}
			if want := 3 - m.Supporting(best); want > 0 != slices.ContainsFunc(r.Warnings,
				func(w string) bool {
					return strings.Contains(w, "by themselves support another model")
				}) {
				t.Errorf("%d tables support another model, warnings %q", want, r.Warnings)
			}
		})
	}
}

// Warnings say how much was imputed, and which edge rests most on it.
func TestImputationWarnings(t *testing.T) {
	data := noisy(t)
	r := fitImputed(t, completedTables(data, 3), tobac.Config{Model: sem.Linear{}, Seed: 1})
	if r.Imputation.Rounds != 3 {
		t.Errorf("%d rounds, want the default of 3", r.Imputation.Rounds)
	}
	want := `4 of 90 values (4.4 %) in 1 of 5 columns were missing and are imputed, most in "` +
		data.Names[2] + `" (22 %), on the assumption that values are missing at random`
	if r.Warnings[0] != want {
		t.Errorf("got  %s\nwant %s", r.Warnings[0], want)
	}
	i, j, sd := r.Imputation.Largest()
	if sd <= 0 || mat.Max(r.Imputation.SD) != sd || r.Imputation.SD.At(i, j) != sd ||
		!strings.Contains(r.Warnings[1], "differ between the 3 completed tables, most that of \""+
			data.Names[i]+"\" -> \""+data.Names[j]+"\"") {
		t.Errorf("largest %d -> %d, %v; warning %q", i, j, sd, r.Warnings[1])
	}
}

// Errors name the completed table; a cancelled fit ends with the context's error; the caller's
// mistakes panic.
func TestImputedErrors(t *testing.T) {
	data := noisy(t)
	other := func(edit func(*dataset.Table)) tobac.Imputed {
		return tobac.Imputed{Count: 2, Table: func(k int) *dataset.Table {
			t := &dataset.Table{Names: slices.Clone(data.Names), X: mat.DenseCopyOf(data.X)}
			if k == 1 {
				edit(t)
			}
			return t
		}}
	}
	for _, row := range []struct {
		name string
		data tobac.Imputed
		want string
	}{
		{"not finite", other(func(t *dataset.Table) { t.X.Set(3, 1, math.NaN()) }),
			`tobac: completed table 2 of 2: dataset: row 4, column "` + data.Names[1] +
				`" is NaN, want a finite number`},
		{"other names", other(func(t *dataset.Table) { t.Names[0] = "z" }),
			"tobac: completed table 2 of 2: got 18 rows of the columns"},
		{"constant", other(func(t *dataset.Table) {
			for i := range 18 {
				t.X.Set(i, 0, 4)
			}
		}), "tobac: completed table 2 of 2: column"},
		{"places", tobac.Imputed{Count: 2, Places: []int{1, 90}, Table: func(int) *dataset.Table {
			return data
		}}, "tobac: got the place 90 of a completed value after 1, want ascending ones below 90"},
		{"rounds without places",
			tobac.Imputed{Count: 2, Rounds: 1, Table: func(int) *dataset.Table { return data }},
			"tobac: completed values are to be drawn again, but their places are unknown"},
		{"marks", tobac.Imputed{Count: 2, Kept: []bool{true}, Table: func(int) *dataset.Table {
			return data
		}}, "tobac: got 1 marks of columns whose completed values are kept, want 5"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := tobac.FitImputed(context.Background(), row.data,
				tobac.Config{Model: sem.BGe{}})
			if err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got %v\nwant %s", err, row.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, cfg := range enginesTried() {
		if _, err := tobac.FitImputed(ctx, completedTables(data, 2), cfg); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no table: want a panic")
		}
	}()
	tobac.FitImputed(context.Background(), tobac.Imputed{Count: 1}, tobac.Config{})
}

// Progress counts the steps of all tables, never falls, and ends with the last.
func TestImputedProgress(t *testing.T) {
	for name, cfg := range enginesTried() {
		t.Run(name, func(t *testing.T) {
			if name == "auto" {
				t.Skip("is exact")
			}
			if strings.Contains(name, "gflownet") || strings.HasPrefix(name, "svgd o") ||
				name == "dibs" {
				t.Skip("tables are worked on by the same code as with bcd and svgd")
			}
			cfg.Model = sem.Linear{}
			tables := completedTables(noisy(t), 3)
			if tables.Rounds = -1; name == "exact" || name == "mcmc" {
				tables.Rounds = 1
			}
			var all []engine.Progress
			cfg.Progress = func(p engine.Progress) {
				if p.Steps > 0 {
					all = append(all, p)
				}
			}
			fitImputed(t, tables, cfg)
			last := 0
			for _, p := range all {
				if p.Step < last || p.Step > p.Steps || p.Steps != all[0].Steps || p.Table < 1 ||
					p.Table > 3 || p.Tables != 3 {
					t.Fatalf("progress %+v after step %d of %d", p, last, all[0].Steps)
				}
				last = p.Step
			}
			if len(all) < 3 || last != all[0].Steps {
				t.Errorf("%d reports, the last of step %d of %d", len(all), last, all[0].Steps)
			}
		})
	}
}
