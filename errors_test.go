package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

func TestDataErrors(t *testing.T) {
	abc := []string{"a", "b", "c"}
	eqvar := tobac.Config{Engine: &stein.SVGD{}, Order: engine.Order{Method: ordering.MethodEqVar}}
	constant := table(9, 3, abc, func(i, j int) float64 {
		if j == 1 {
			return 4.5
		}
		return generic(i, j)
	})
	touched := func(marks *mat.Dense) *dataset.Table {
		data := table(9, 3, abc, generic)
		data.Intervened = marks
		return data
	}
	half, all := mat.NewDense(9, 3, nil), mat.NewDense(9, 3, nil)
	half.Set(7, 2, 0.5)
	for i := range 9 {
		all.Set(i, i%2, 1)
	}
	for _, row := range []struct {
		name string
		data *dataset.Table
		cfg  tobac.Config
		want string
	}{
		{"no table", nil, tobac.Config{}, "dataset: table has no numbers"},
		{"one row", table(1, 3, abc, generic), tobac.Config{}, "tobac: got 1 row, want at least 2"},
		{"one variable", table(9, 1, abc[:1], generic), tobac.Config{},
			"tobac: got 1 variable, want at least 2: a single variable has no edges to infer"},
		{"names", table(9, 3, abc[:2], generic), tobac.Config{},
			"dataset: table has 2 names for 3 columns"},
		{"repeated name", table(9, 3, []string{"a", "b", "a"}, generic), tobac.Config{},
			`dataset: columns 1 and 3 are both named "a"`},
		{"not a number", table(9, 3, abc, func(i, j int) float64 {
			if i == 4 && j == 1 {
				return math.NaN()
			}
			return generic(i, j)
		}), tobac.Config{}, `dataset: row 5, column "b" is NaN, want a finite number`},
		{"constant column", constant, eqvar,
			`tobac: column "b" is constant, want at least two different values; remove it`},
		{"values too large", table(9, 3, abc, func(i, j int) float64 {
			return generic(i, j) * math.Pow(1e60, float64(j))
		}), tobac.Config{}, `tobac: column "b" has values of magnitude `},
		{"values too close", table(9, 3, abc, func(i, j int) float64 {
			return generic(i, j) * math.Pow(1e-60, float64(j))
		}), tobac.Config{}, `tobac: column "b" has values that differ by `},
		{"fewer rows than variables for EqVar", table(3, 3, abc, generic), eqvar,
			"tobac: ordering: too few rows: 3 rows of 3 columns, eqvar top-down needs at least 4"},
		{"interventions of another size", touched(mat.NewDense(9, 2, nil)), tobac.Config{},
			"dataset: "},
		{"interventions of another value", touched(half), tobac.Config{}, "dataset: "},
		{"every row touched", touched(all), eqvar, "tobac: every row has an intervention, which " +
			"leaves none to find an order from; give the order"},
		{"hyperparameters", table(9, 3, abc, generic), tobac.Config{Model: sem.BGe{AlphaLambda: 3}},
			"tobac: score: "},
		{"noise variance", table(9, 3, abc, generic),
			tobac.Config{Model: sem.Linear{NoiseVariance: -0.1}},
			"tobac: the model's noise-variance is -0.1; allowed: finite numbers above 0"},
		{"hidden size 0", table(9, 3, abc, generic),
			tobac.Config{Model: sem.FeedForward{Hidden: []int{0}},
				Order: engine.Order{Known: []int{0, 1, 2}}},
			"tobac: the model's hidden is 0; allowed: whole numbers from 1 to 10000"},
		{"one sample left out", table(9, 3, abc, generic), tobac.Config{Model: sem.Linear{},
			Engine: &stein.SVGD{Gradient: models.ScoreFunctionLOO, Samples: 1}},
			"tobac: models: TOBAC: the leave-one-out gradient needs at least 2 samples, got 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			res, err := tobac.Fit(context.Background(), row.data, row.cfg)
			if res != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got %v and error %v\nwant error %s", res, err, row.want)
			}
			if err != nil && strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("the error has several lines: %v", err)
			}
		})
	}
}

// A column that never varies is refused by every engine, by name: nothing can be said about it.
func TestConstantColumn(t *testing.T) {
	data := chain(t, 40).Train
	for i := range 40 {
		data.X.Set(i, 2, 4.5)
	}
	for name, cfg := range enginesTried() {
		_, err := tobac.Fit(context.Background(), data, cfg)
		if err == nil || !strings.Contains(err.Error(), "\"X2\" is constant") {
			t.Errorf("%s: the error does not name the column X2: %v", name, err)
		}
	}
}

// Errors of the order carry their reason.
func TestOrderErrorsAreTyped(t *testing.T) {
	data := table(9, 2, []string{"a", "b"}, func(i, j int) float64 {
		return float64((j + 1) * i * i)
	})
	_, err := tobac.Fit(context.Background(), data,
		tobac.Config{Engine: &stein.SVGD{}, Order: engine.Order{Method: ordering.MethodEqVar}})
	var column *ordering.ColumnError
	if !errors.As(err, &column) || column.Name == "" {
		t.Errorf("got error %v, want an ordering.ColumnError with a name", err)
	}
}

// wide is a table of two rows with many columns.
func wide(rows, cols int) *dataset.Table {
	names := make([]string, cols)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	return table(rows, cols, names, generic)
}

// A problem that would not fit into memory is refused before anything is
// computed, and the error says what it needs, what there is, and what would fit.
func TestMemoryIsChecked(t *testing.T) {
	for _, row := range []struct {
		name string
		data *dataset.Table
		cfg  tobac.Config
		want []string
	}{
		{"particles of many variables", wide(2, 3000), tobac.Config{Engine: &stein.SVGD{}},
			[]string{"for the compiled program", "17.2 GB are available (asked for)",
				"would fit: variables up to "}},
		{"many orders", wide(9, 100), tobac.Config{Engine: &stein.SVGD{},
			Order: engine.Order{Method: ordering.MethodVariance, Count: 10_000}},
			[]string{"for the particles of 10000 orders", "would fit: ", "orders up to "}},
		{"networks of many rows", wide(2000, 200), tobac.Config{Model: sem.FeedForward{},
			Order: engine.Order{Method: ordering.MethodVariance}},
			[]string{"for the compiled program", "units of each hidden layer up to 2",
				"rows up to "}},
		{"kernel of particles", wide(9, 5), tobac.Config{Engine: &stein.SVGD{Particles: 100000}},
			[]string{"160 GB for the kernel of 100000 x 100000 particles",
				"would fit: particles up to 32"}},
		{"units of a second layer", wide(9, 5),
			tobac.Config{Model: sem.FeedForward{Hidden: []int{5, 9999, 9999}}},
			[]string{"parameters each", "units of each hidden layer up to "}},
		{"chains of many variables", wide(9, 8000), tobac.Config{Engine: &markov.MCMC{}},
			[]string{"1000 graphs of 8000 variables", "variables up to "}},
	} {
		row.cfg.Memory = 16 << 30
		_, err := tobac.NewRun(t.Context(), row.data, row.cfg)
		if err == nil || !errors.As(err, new(*engine.MemoryError)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got error %v, want a MemoryError of one line", row.name, err)
			continue
		}
		for _, want := range row.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got  %v\nwant %s", row.name, err, want)
			}
		}
	}
	if _, err := tobac.NewRun(t.Context(), wide(9, 30),
		tobac.Config{Engine: &sums.Exact{}}); err == nil ||
		!strings.HasPrefix(err.Error(), "tobac: the engine exact needs memory for 2^30 sets of "+
			"variables, and takes at most 20 variables") {
		t.Errorf("sets of variables: %v", err)
	}
	// Three variables have only six orders.
	newRun(t, wide(9, 3), tobac.Config{Engine: &stein.SVGD{},
		Order: engine.Order{Method: ordering.MethodVariance, Count: 1 << 12}})
}

// A value that is said to fit does, and the next does not.
func TestWhatFits(t *testing.T) {
	cfg := tobac.Config{Memory: 1 << 30, Order: engine.Order{Method: ordering.MethodVariance},
		Engine: &stein.SVGD{Particles: 100_000, Samples: 1, Steps: 1}}
	_, err := tobac.NewRun(t.Context(), wide(9, 4), cfg)
	var most int
	if err == nil {
		t.Fatal("100,000 particles fit")
	}
	_, after, _ := strings.Cut(err.Error(), "particles up to ")
	if _, scanErr := fmt.Sscan(strings.TrimSuffix(after, ","), &most); scanErr != nil {
		t.Fatalf("no number of particles in %q", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is to be computed: the check comes first
	sampler(&cfg).Particles = most
	if _, err := tobac.NewRun(ctx, wide(9, 4), cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("%d particles: %v", most, err)
	}
	sampler(&cfg).Particles++
	if _, err := tobac.NewRun(ctx, wide(9, 4), cfg); !errors.As(err, new(*engine.MemoryError)) {
		t.Errorf("%d particles: %v, want a MemoryError", most+1, err)
	}
	cfg = tobac.Config{Memory: 4 << 30, Model: sem.FeedForward{}, Engine: &stein.SVGD{},
		Order: engine.Order{Method: ordering.MethodVariance}}
	if _, err = tobac.NewRun(ctx, wide(1000, 200), cfg); err == nil {
		t.Fatal("200 variables fit")
	}
	_, after, _ = strings.Cut(err.Error(), "variables up to ")
	if _, scanErr := fmt.Sscan(after, &most); scanErr != nil {
		t.Fatalf("no number of variables in %q", err)
	}
	if _, err := tobac.NewRun(ctx, wide(1000, most), cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("%d variables: %v", most, err)
	}
}

// The smallest problem, with every engine: two variables, one possible edge, three rows.
func TestTwoVariables(t *testing.T) {
	data := table(3, 2, []string{"a", "b"}, generic)
	for name, cfg := range enginesTried() {
		svgd := sampler(&cfg)
		svgd.Particles, svgd.Samples, svgd.Steps = 1, 1, 5
		switch e := cfg.Engine.(type) {
		case *bcdnets.BCDNets:
			e.Training.Steps = 5
		case *flownets.GFlowNet:
			e.Training.Iterations = 5
		}
		res := fit(t, data, cfg)
		if err := res.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(res.Draws) == 0 || name != "dibs" && res.Cyclic() > 0 {
			t.Errorf("%s: %d draws, %d with a cycle", name, len(res.Draws), res.Cyclic())
		}
	}
}

// With a known order nothing needs more rows than variables.
func TestKnownOrderNeedsLittle(t *testing.T) {
	data := table(2, 4, []string{"a", "b", "c", "d"}, generic)
	for _, e := range []engine.Settings{&stein.SVGD{Particles: 3, Samples: 8, Steps: 5},
		&sums.Exact{}} {
		cfg := tobac.Config{Model: sem.Linear{NoiseVariance: 0.1}, Engine: e,
			Order: engine.Order{Known: []int{3, 2, 1, 0}}}
		if err := fit(t, data, cfg).Validate(); err != nil {
			t.Errorf("%v: %v", e, err)
		}
	}
}
