package tobac_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// changedTable is a table of normal columns a, b = a + noise and c = b + noise, with something done
// to its values.
func changedTable(rows int, change func(i, j int, v float64) float64) *dataset.Table {
	rng := rand.New(rand.NewPCG(14, 1))
	x := mat.NewDense(rows, 3, nil)
	for i := range rows {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		x.SetRow(i, []float64{a, b, b + rng.NormFloat64()})
	}
	x.Apply(change, x)
	return &dataset.Table{Names: []string{"a", "b", "c"}, X: x}
}

// Tables that suit no model, or not the one asked for, are named in a warning, which is the same in
// other units; normal ones are not.
func TestTableWarnings(t *testing.T) {
	unchanged := func(_, _ int, v float64) float64 { return v }
	scaled := func(s float64) func(i, j int, v float64) float64 {
		return func(_, j int, v float64) float64 {
			if j == 1 {
				return s * v
			}
			return v
		}
	}
	third := func(to float64) func(i, j int, v float64) float64 {
		return func(i, j int, v float64) float64 {
			if i == 3 && j == 0 {
				return to
			}
			return v
		}
	}
	outlier := third(40)
	linear := func(variance float64) sem.Model { return sem.Linear{NoiseVariance: variance} }
	sum := changedTable(60, unchanged)
	for i := range 60 {
		sum.X.Set(i, 2, 2*sum.X.At(i, 0)-sum.X.At(i, 1)+5)
	}
	for _, row := range []struct {
		name  string
		data  *dataset.Table
		model sem.Model
		want  string // begins the only warning; "" means there is none
	}{
		{"normal", changedTable(60, unchanged), sem.BGe{}, ""},
		{"normal, equal noise", changedTable(60, unchanged), sem.Linear{}, ""},
		{"few rows", changedTable(4, unchanged), sem.BGe{}, "4 rows of 3 columns: an equation " +
			"with all other columns as parents fits any numbers exactly"},
		{"just enough rows", changedTable(5, unchanged), sem.BGe{}, ""},
		{"a sum", sum, sem.BGe{},
			`column "c" is a linear combination of "a", "b": its causal role`},
		{"an outlier", changedTable(60, outlier), sem.BGe{},
			`normal noise does not fit the tails of "a"`},
		{"an outlier, noise of any shape", changedTable(60, outlier), sem.NonGaussian{}, ""},
		{"an outlier, curves with noise of any shape", changedTable(60, outlier), sem.Additive{},
			""},
		{"an outlier, other shapes compared", changedTable(60, outlier), nil, ""},
		{"an outlier in few rows", changedTable(19, outlier), sem.BGe{}, ""},
		{"a large value of twenty", changedTable(20, third(4)), sem.BGe{}, ""},
		{"a large value of sixty", changedTable(60, third(6)), sem.BGe{},
			`normal noise does not fit the tails of "a"`},
		{"scales apart, equal noise", changedTable(60, scaled(1e5)), sem.Linear{},
			`the standard deviations of "a" and "b" differ by a factor of 1e+05`},
		{"scales apart, unequal noise", changedTable(60, scaled(1e5)), sem.BGe{}, ""},
		{"scales apart, equal noise asked for as unequal", changedTable(60, scaled(1e5)),
			sem.Linear{Unequal: true}, ""},
		{"too much noise", changedTable(60, unchanged), linear(10),
			`a noise variance of 10 is more than the whole variance of column "a"`},
		{"hardly any noise", changedTable(60, unchanged), linear(1e-4),
			`a noise variance of 0.0001 is a small part of the variance of every column`},
		{"the right noise", changedTable(60, unchanged), linear(1), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			warnings := func(data *dataset.Table) []string {
				return fit(t, data, tobac.Config{Model: row.model, Engine: &sums.Exact{}}).Warnings
			}
			got := warnings(row.data)
			if row.want == "" && len(got) != 0 || row.want != "" &&
				(len(got) != 1 || !strings.HasPrefix(got[0], row.want)) {
				t.Errorf("got %q, want one that begins with %q", got, row.want)
			}
			if _, units := row.model.(sem.Linear); units {
				return
			}
			other := &dataset.Table{Names: row.data.Names, X: mat.DenseCopyOf(row.data.X)}
			other.X.Apply(func(_, j int, v float64) float64 { return math.Ldexp(v, 10*j-7) },
				other.X)
			if again := warnings(other); !slices.Equal(again, got) {
				t.Errorf("in other units %q, want %q", again, got)
			}
		})
	}
}

// Columns whose scales are a millionfold apart leave models with one noise variance out of the
// comparison, and the rest is compared.
func TestScalesApartAreCompared(t *testing.T) {
	data := changedTable(60, func(_, j int, v float64) float64 {
		return v * math.Pow(1e6, float64(j))
	})
	res := fit(t, data, tobac.Config{})
	if res.Model != "bge" && res.Model != "gp" {
		t.Errorf("model %q", res.Model)
	}
	left := false
	for _, e := range res.Evidence {
		left = left || e.Model == "linear" && math.IsNaN(e.Log) &&
			strings.Contains(e.Note, "differ by a factor of")
	}
	if !left {
		t.Errorf("evidence %+v, want linear left out", res.Evidence)
	}
	for _, pair := range [][2]int{{0, 1}, {1, 2}} {
		if p := res.Probabilities.At(pair[0], pair[1]) +
			res.Probabilities.At(pair[1], pair[0]); p < 0.9 {
			t.Errorf("%v adjacent with the probability %.2f", pair, p)
		}
	}
}

// Particles of networks and of DiBS are certain too soon where there are fewer than ten rows for
// each column; estimated evidences are not.
func TestFewRows(t *testing.T) {
	cfg := tobac.Config{Model: sem.FeedForward{}, Order: engine.Order{Known: []int{0, 1, 2}},
		Engine: &stein.SVGD{Particles: 3, Steps: 3, Samples: 4}}
	reweighted, dibs, tempered := cfg, cfg, cfg
	sampler(&reweighted).Marginals = stein.ReweightedMarginals
	dibs.Model, dibs.Order, dibs.Engine = sem.Linear{}, engine.Order{},
		&stein.DiBS{SVGD: *sampler(&cfg)}
	tempered.Engine = &neural.Tempering{Iterations: 40}
	for _, c := range []struct {
		cfg  tobac.Config
		rows int
		want bool
	}{{cfg, 29, true}, {cfg, 30, false}, {reweighted, 29, false}, {dibs, 29, true},
		{dibs, 30, false}, {tempered, 29, false}} {
		res := fit(t, table(c.rows, 3, []string{"a", "b", "c"}, generic), c.cfg)
		said := slices.ContainsFunc(res.Warnings, func(w string) bool {
			return strings.Contains(w, "are few for")
		})
		if said != c.want {
			t.Errorf("%v, %d rows: warned %t, want %t: %q", c.cfg.Engine, c.rows, said, c.want,
				res.Warnings)
		}
	}
}

// Every engine says that four columns have a hidden common cause, and no more of as many columns
// than exact sums take.
func TestHiddenCauses(t *testing.T) {
	table := func(columns int) *dataset.Table {
		rng := rand.New(rand.NewPCG(49, 3))
		data := &dataset.Table{X: mat.NewDense(800, columns, nil)}
		for j := range columns {
			data.Names = append(data.Names, fmt.Sprintf("V%d", j))
		}
		for i := range 800 {
			row := data.X.RawRowView(i)
			h := rng.NormFloat64()
			for j := range row {
				if row[j] = rng.NormFloat64(); j < 4 {
					row[j] += h
				}
			}
		}
		return data
	}
	few := &markov.MCMC{Chains: 2, Iterations: 400, WarmUp: 200}
	for _, c := range []struct {
		columns int
		engine  tobac.Config
	}{{9, tobac.Config{Engine: &sums.Exact{}}}, {9, tobac.Config{Engine: few}},
		{24, tobac.Config{Engine: few}}} {
		c.engine.Model, c.engine.Seed = sem.BGe{}, 1
		r := fit(t, table(c.columns), c.engine)
		var got []string
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "a hidden common cause explains better") {
				got = append(got, w)
			}
		}
		if len(got) != 1 || !strings.Contains(got[0], `"V0", "V1", "V2", "V3" (by `) {
			t.Errorf("%d columns, %T: warnings %q", c.columns, c.engine.Engine, r.Warnings)
		}
	}
}

// walksOf are independent random walks.
func walksOf(n, d int) *dataset.Table {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	data := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		data.Names = append(data.Names, string(rune('a'+j)))
		at := 0.0
		for i := range n {
			at += rng.NormFloat64()
			data.X.Set(i, j, at)
		}
	}
	return data
}

// Of random walks nothing is said, whatever the model and whether sums or chains.
func TestWalksSayNothing(t *testing.T) {
	chains := markov.MCMC{Chains: 2, Iterations: 400, WarmUp: 100}
	for name, c := range map[string]tobac.Config{
		"compared": {Engine: &sums.Exact{}},
		"sums":     {Engine: &sums.Exact{}, Model: sem.BGe{}},
		"chains":   {Model: sem.NonGaussian{}, Engine: &chains},
	} {
		r := fit(t, walksOf(150, 4), c)
		if said, _ := sure(r, nil); said > 0 || !r.Sequence.Counted ||
			!(r.Sequence.Effective < 20) {
			t.Errorf("%s: %d directions are said with .95 or more, and 150 rows count as %v: %v",
				name, said, r.Sequence.Effective, mat.Formatted(r.Probabilities))
		}
	}
}

// Rows copied twice say about as much as they did.
func TestCopiesSayNothing(t *testing.T) {
	once, _ := drawnTable(60, 2, func(rng *rand.Rand, p []float64) float64 {
		return rng.NormFloat64() + 0.4*sum(p, func(v float64) float64 { return v })
	})
	_, d := once.X.Dims()
	thrice := &dataset.Table{Names: once.Names, X: mat.NewDense(180, d, nil)}
	for i := range 180 {
		thrice.X.SetRow(i, once.X.RawRowView(i%60))
	}
	c := tobac.Config{Engine: &sums.Exact{}, Model: sem.BGe{}}
	want, got := fit(t, once, c), fit(t, thrice, c)
	for i := range d {
		for j := range d {
			if p, q := got.Probabilities.At(i, j),
				want.Probabilities.At(i, j); math.Abs(p-q) > 0.1 {
				t.Errorf("%d → %d has the probability %.3f, and %.3f with two copies of every row",
					i, j, q, p)
			}
			if s, v := got.WeightSD.At(i, j), want.WeightSD.At(i, j); want.Probabilities.At(i,
				j) > 0.2 && !(math.Abs(s/v-1) < 0.3) {
				t.Errorf("%d → %d has a weight ± %.3f, and ± %.3f with two copies of every row", i,
					j, v, s)
			}
		}
	}
}

// The posterior that a result is compared with has the same part of the evidence.
func TestReferenceOfDependentRows(t *testing.T) {
	data := walksOf(100, 4)
	for _, c := range []tobac.Config{
		{Engine: &sums.Exact{}, Model: sem.BGe{}},
		{Model: sem.BGe{}, Engine: &markov.MCMC{Chains: 2, Iterations: 4000, WarmUp: 200}},
	} {
		r := fit(t, data, c)
		got := compared(t, referenceOf(t, data, r), r.Posterior)
		if most := map[string]float64{"exact": 1e-9,
			"mcmc": 0.03}[c.Engine.Engine().Name()]; !(got.MeanAbsError < most) {
			t.Errorf("%v: edge probabilities are %.3g off the reference, want at most %v", c.Engine,
				got.MeanAbsError, most)
		}
	}
}

// Rows that count as a few leave out models that read directions off their form, and say so.
func TestFewRowsTellNoForm(t *testing.T) {
	r := fit(t, walksOf(150, 4), tobac.Config{Engine: &sums.Exact{}})
	if !(r.Sequence.Effective < 10) {
		t.Fatalf("150 rows count as %v: the case tests nothing", r.Sequence.Effective)
	}
	for _, e := range r.Evidence {
		left := strings.Contains(e.Note, "too few to tell the form of equations")
		if is := e.Model == (sem.BGe{}).String(); is == (left || math.IsNaN(e.Log)) {
			t.Errorf("%s: log evidence %v, %q", e.Model, e.Log, e.Note)
		}
	}
}
