package tobac_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/background"
	"tobac/dataset"
	"tobac/internal/impute"
	"tobac/internal/must"
	"tobac/sem"
)

// With two variables, raw BGe scores and gaps in one of them, the probability of an edge given what
// was observed is that given the rows without a gap: rows with a gap tell of the other variable
// alone, whose parameters are independent of those of the equation. Rounds must find it, from
// completed tables in which every gap is filled with noise that denies the edge.
func TestRoundsFindThePosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	const n, seen, count = 60, 30, 40
	data := table(n, 2, []string{"x", "y"}, func(int, int) float64 { return rng.NormFloat64() })
	var places []int
	for i := range n {
		data.X.Set(i, 1, data.X.At(i, 1)+0.7*data.X.At(i, 0))
		if i >= seen {
			places = append(places, 2*i+1)
		}
	}
	cfg := tobac.Config{Model: sem.BGe{Raw: true, AlphaLambda: 6},
		Prior: background.Prior{EdgesPerNode: 0.25}, Seed: 1, Workers: 2}
	whole := fit(t, &dataset.Table{Names: data.Names,
		X: mat.DenseCopyOf(data.X.Slice(0, seen, 0, 2))}, cfg).Probabilities
	noise := tobac.Imputed{Count: count, Places: places, Rounds: -1,
		Table: func(k int) *dataset.Table {
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			out := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
			for i := seen; i < n; i++ {
				out.X.Set(i, 1, rng.NormFloat64())
			}
			return out
		}}
	adjacent := func(p *mat.Dense) float64 { return p.At(0, 1) + p.At(1, 0) }
	want, before := adjacent(whole), adjacent(fitImputed(t, noise, cfg).Probabilities)
	noise.Rounds = 7
	r := fitImputed(t, noise, cfg)
	mean, squares := adjacent(r.Probabilities), 0.0
	for _, p := range r.Imputation.Probabilities {
		squares += (adjacent(p) - mean) * (adjacent(p) - mean) / (count - 1)
	}
	allowed := 3 * math.Sqrt(squares/count)
	t.Logf("adjacent: want %.3f, before %.3f, after %d rounds %.3f ± %.3f", want, before,
		r.Imputation.Rounds, mean, allowed/3)
	if math.Abs(mean-want) > allowed {
		t.Errorf("adjacent with the probability %.3f, want %.3f within %.3f", mean, want, allowed)
	}
	if math.Abs(before-want) < allowed {
		t.Errorf("already %.3f without rounds: the test shows nothing", before)
	}
}

// Rounds leave kept columns and values set by intervention alone, and do nothing where nothing else
// is left; the same bits for any number of workers; particles beside are those of the first table
// in its last round.
func TestRounds(t *testing.T) {
	data := intervened(noisy(t))
	tables := completedTables(data, 2)
	cfg := tobac.Config{Model: sem.Linear{}, Seed: 2}
	never, kept, set := tables, tables, tables
	never.Rounds = -1
	want := fitImputed(t, never, cfg)
	kept.Rounds, kept.Kept = 2, []bool{false, false, true, false, false}
	sameBits(t, "kept columns", fitImputed(t, kept, cfg), want)
	all := mat.NewDense(18, 5, nil)
	for i := range 18 {
		all.Set(i, 2, 1)
	}
	set.Table = func(k int) *dataset.Table {
		u := *tables.Table(k)
		u.Intervened = all
		return &u
	}
	never.Table = set.Table
	sameBits(t, "values set by intervention", fitImputed(t, set, cfg), fitImputed(t, never, cfg))
	again := tables
	again.Rounds = 2
	got := fitImputed(t, again, cfg)
	if got.Imputation.Rounds != 2 || got.Probabilities.At(2, 4) == want.Probabilities.At(2, 4) {
		t.Errorf("%d rounds, probability %v as without", got.Imputation.Rounds,
			got.Probabilities.At(2, 4))
	}
	cfg.Workers = 3
	sameBits(t, "three workers", fitImputed(t, again, cfg), got)
}

// A model without linear equations keeps the values, and says so; SVGD has no draws.
func TestRoundsWithoutEquations(t *testing.T) {
	data := noisy(t)
	tables := completedTables(data, 2)
	tables.Rounds = 1
	r := fitImputed(t, tables, tobac.Config{Model: sem.GaussianProcess{}})
	if r.Imputation.Rounds != 0 || !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.Contains(w, "no equations to draw imputed values from")
	}) {
		t.Errorf("%d rounds, warnings %q", r.Imputation.Rounds, r.Warnings)
	}
	if _, err := tobac.FitImputed(context.Background(), tables, particles()); err == nil ||
		!strings.Contains(err.Error(), "allowed: the engines exact and mcmc, or no rounds") {
		t.Errorf("svgd: got %v", err)
	}
}

// The whole way in Go: a table with gaps, completed, fitted.
func ExampleFitImputed() {
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(80, 2, nil)
	for i := range 80 {
		cause := rng.NormFloat64()
		x.SetRow(i, []float64{cause, 2*cause + 0.5*rng.NormFloat64()})
		if i%8 == 0 {
			x.Set(i, 1, math.NaN())
		}
	}
	c, err := impute.Complete(context.Background(), x, impute.Settings{Seed: 1})
	if err != nil {
		panic(err)
	}
	names := []string{"dose", "response"}
	r, err := tobac.FitImputed(context.Background(),
		tobac.Imputed{Count: c.Count(), Places: c.Places(), Table: func(k int) *dataset.Table {
			return &dataset.Table{Names: names, X: c.Table(k)}
		}}, tobac.Config{Model: sem.BGe{}, Seed: 1})
	if err != nil {
		panic(err)
	}
	edge := r.Edges()[0]
	fmt.Printf("adjacent: %.2f, completed tables: %d, drawn again: %d times\n", edge.Adjacent,
		r.Imputation.Tables, r.Imputation.Rounds)
	// Output: adjacent: 1.00, completed tables: 10, drawn again: 3 times
}

// Levels and numbers that were completed without looking at the other columns come near those of
// the complete table when they are drawn again, under every model of categories, with the same bits
// for any number of workers.
func TestRoundsOfKinds(t *testing.T) {
	const n, d, count = 160, 3, 3
	rng := rand.New(rand.NewPCG(5, 8))
	whole := &dataset.Table{Names: []string{"c", "x", "b"}, X: mat.NewDense(n, d, nil),
		Variables: []dataset.Variable{
			{Kind: dataset.Categorical, Levels: []string{"p", "q", "r"}}, {},
			{Kind: dataset.Binary}}}
	data := tobac.Imputed{Count: count}
	for i := range n {
		c := float64(rng.IntN(3))
		x := 0.8*(c-1) + rng.NormFloat64()
		b := 0.0
		if 1.2*x+rng.NormFloat64() > 0 {
			b = 1
		}
		whole.X.SetRow(i, []float64{c, x, b})
		if rng.Float64() < 0.4 {
			data.Places = append(data.Places, i*d+i%2)
		}
	}
	data.Table = func(k int) *dataset.Table {
		u := *whole
		u.X = mat.DenseCopyOf(whole.X)
		rng := rand.New(rand.NewPCG(9, uint64(k)))
		for _, place := range data.Places {
			u.X.Set(place/d, place%d, whole.X.At(rng.IntN(n), place%d))
		}
		return &u
	}
	for _, model := range []sem.Model{sem.Mixed{}, sem.Generalised{}} {
		cfg := tobac.Config{Model: model, Seed: 3, Prior: background.Prior{EdgesPerNode: 0.2}}
		complete := must.Get(tobac.Fit(context.Background(), whole, cfg))(t)
		off := func(r *tobac.Result) (sum float64) {
			for i := range d {
				for j := range d {
					sum += math.Abs(r.Probabilities.At(i, j) - complete.Probabilities.At(i, j))
				}
			}
			return sum
		}
		data.Rounds = -1
		before := off(fitImputed(t, data, cfg))
		data.Rounds = 4
		r := fitImputed(t, data, cfg)
		if after := off(r); r.Imputation.Rounds != 4 || !(after < 0.5*before) {
			t.Errorf("%v: off by %.3f after %d rounds, by %.3f before, want less than half", model,
				after, r.Imputation.Rounds, before)
		}
		cfg.Workers = 3
		sameBits(t, "three workers", fitImputed(t, data, cfg), r)
	}
}
