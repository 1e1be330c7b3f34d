package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// gappy is a table a -> b -> c with values missing at random in b and c, in units that differ.
func gappy(n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(4, 1))
	t := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(n, 3, nil)}
	for i := range n {
		a := rng.NormFloat64()
		b := 2*a + rng.NormFloat64()
		t.X.SetRow(i, []float64{5 + a, 100 + 10*b, 3 + b + rng.NormFloat64()})
		if rng.Float64() < 0.2 {
			t.X.Set(i, 1+i%2, math.NaN())
		}
	}
	return t
}

// gapsJob prepares a job for a table with gaps, as prepare does once a reader hands such tables
// over.
func gapsJob(t *testing.T, table *dataset.Table, args ...string) (*job, error) {
	t.Helper()
	o := newFitOptions()
	must.Do(t, fitCommand(o).ParseFlags(append([]string{"--engine", "exact", "--workers", "2",
		"--set", "imputation.tables=4"}, args...)))
	must.Do(t, o.recall())
	j := &job{input: inputConfig{Data: "data.csv", Variables: len(table.Names), Order: o.order,
		Prior: o.prior}}
	j.fit = must.Get(o.configure(table.Names))(t)
	return j, j.split(*o, table)
}

// A table with gaps is fitted, reported and saved like others, with what was imputed.
func TestMissingValuesAreImputed(t *testing.T) {
	j := must.Get(gapsJob(t, gappy(120), "--holdout", "0.25"))(t)
	var stderr, stdout bytes.Buffer
	r := must.Get(j.infer(context.Background(), &stderr))(t)
	r.summary = newSummary(j, r.Result)
	must.Do(t, r.summary.evaluate(j, r.Result))
	r.summary.Imputation = newImputationSummary(r.Result, r.imputed)
	dir := filepath.Join(t.TempDir(), "run")
	out := must.Get(file.OpenSet(dir, outputNames(fitOutputs), file.Guard{}))(t)
	must.Do(t, r.save(out))
	must.Do(t, r.print(&stdout, dir))
	if text := stdout.String(); !strings.Contains(text, "gaps    ") ||
		!strings.Contains(text, "imputed 4 times") {
		t.Errorf("the report does not say what was imputed:\n%s", text)
	}
	summary := parse(t, readFile(t, dir, "summary.json"))
	part := summary["imputation"].(map[string]any)
	if part["tables"] != 4.0 || len(part["columns"].([]any)) != 2 ||
		summary["config"].(map[string]any)["imputations"] != 4.0 {
		t.Errorf("summary %v", part)
	}
	support := 0.0
	for _, v := range part["support"].(map[string]any) {
		support += v.(float64)
	}
	if support != 4 {
		t.Errorf("models are supported by %v completed tables, want 4 in all", support)
	}
	if ll := r.summary.Metrics.Empirical.NegLLDataOnly; math.IsNaN(float64(ll)) ||
		r.summary.Config.HeldoutRows == 0 || r.summary.Config.HeldoutRows > 30 {
		t.Errorf("negative log density %v of %d held-out rows", ll, r.summary.Config.HeldoutRows)
	}
	if !slices.ContainsFunc(r.summary.Warnings, func(w string) bool {
		return strings.Contains(w, "held-out rows have missing values")
	}) {
		t.Errorf("no warning about held-out rows in %q", r.summary.Warnings)
	}
	lines := strings.Split(strings.TrimSpace(readFile(t, dir, "imputation.csv")), "\n")
	if lines[0] != "source,target,probability,sd_between_tables,table1,table2,table3,table4" ||
		len(lines) != 7 {
		t.Errorf("imputation.csv:\n%s", strings.Join(lines, "\n"))
	}
	if p := saved(t, dir); len(p.Components) != 4 || p.Validate() != nil {
		t.Errorf("saved posterior has %d components, %v", len(p.Components), p.Validate())
	}
	if !strings.Contains(stderr.String(), "step ") {
		t.Errorf("no progress in %q", stderr.String())
	}
}

// Standardising and transforming are done to the values that are there: the posterior of logarithms
// of exp(x) is that of x, and one standardised scale is that of all completed tables.
func TestScalesOfGaps(t *testing.T) {
	linear := []string{"--model", "bge", "--set", "imputation.tables=2"}
	plain := gappy(80)
	j := must.Get(gapsJob(t, plain, linear...))(t)
	want := must.Get(j.infer(context.Background(), io.Discard))(t)
	powers := &dataset.Table{Names: plain.Names, X: mat.NewDense(80, 3, nil)}
	powers.X.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, plain.X)
	j = must.Get(gapsJob(t, powers, append(linear, "--set", "data.transform=log")...))(t)
	got := must.Get(j.infer(context.Background(), io.Discard))(t)
	for _, e := range want.Posterior.EdgesFrom(0.01) {
		if p := got.Probabilities.At(e.Source, e.Target); math.Abs(p-e.Probability) > 1e-6 {
			t.Errorf("edge %d -> %d of logarithms: %v, want %v", e.Source, e.Target, p,
				e.Probability)
		}
	}
	j = must.Get(gapsJob(t, plain, append(linear, "--set", "data.standardize=true")...))(t)
	got = must.Get(j.infer(context.Background(), io.Discard))(t)
	s := got.Standardization
	if s == nil || math.Abs(s.Mean[0]-5) > 0.5 || math.Abs(s.SD[1]-22) > 5 {
		t.Fatalf("standardisation %+v, want that of the columns", s)
	}
	j = must.Get(gapsJob(t, plain,
		append(linear, "--set", "data.transform=normal-scores")...))(t)
	got = must.Get(j.infer(context.Background(), io.Discard))(t)
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if got.Imputation.Rounds != 3 {
		t.Errorf("%d rounds, want the default of 3", got.Imputation.Rounds)
	}
	for rounds, want := range []int{0, 1} {
		j = must.Get(gapsJob(t, plain,
			append(linear, "--set", fmt.Sprint("imputation.rounds=", rounds))...))(t)
		got = must.Get(j.infer(context.Background(), io.Discard))(t)
		if got.Imputation.Rounds != want {
			t.Errorf("--set imputation.rounds=%d: %d rounds", rounds, got.Imputation.Rounds)
		}
	}
}

// What cannot be done with gaps is one line, before anything runs.
func TestRefusedGaps(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		name string
		args string
		data func(*dataset.Table)
		want string
	}{
		{"checkpoints", "--checkpoint state", nil,
			"--checkpoint and --resume keep the state of a fit to one table, and missing values " +
				"are imputed several times; allowed: --missing drop, or neither option"},
		{"rounds of particles", "--set imputation.rounds=2 --engine svgd", nil,
			"imputation.rounds contradicts an engine with particles: values are drawn again " +
				"given draws from the posterior; allowed: the engines exact and mcmc"},
		{"tempering", "--engine tempering --model ffn", nil,
			"--engine tempering contradicts --missing impute: it takes complete tables; allowed: " +
				"--missing drop, or another engine"},
		{"an empty row", "", func(t *dataset.Table) { t.X.SetRow(4, []float64{nan, nan, nan}) },
			"data.csv: without any observed value, leave out the row: 5"},
		{"an empty column", "", func(t *dataset.Table) {
			for i := range 20 {
				t.X.Set(i, 2, nan)
			}
		}, `data.csv: without any observed value, leave out the column: 3 ("c")`},
		{"no logarithm", "--set data.transform=log", func(t *dataset.Table) { t.X.Set(7, 0, -1) },
			`data.csv: row 8, column "a" is -1, want a number above 0, which has a logarithm`},
		{"ranks of held-out rows", "--set data.transform=normal-scores --heldout rows.csv", nil,
			"--heldout contradicts data.transform=normal-scores: ranks are computed within one " +
				"table"},
		{"held-out rows with gaps", "--holdout 0.1", func(t *dataset.Table) {
			for i := range 20 {
				t.X.Set(i, 1, nan)
				if i < 2 {
					t.X.SetRow(i, []float64{1, float64(i), 1})
				}
			}
		}, "--holdout: all 2 held-out rows have missing values, which leaves none for the " +
			"predictive density"},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := gappy(20)
			if row.data != nil {
				row.data(table)
			}
			table.X.Set(2, 2, nan)
			_, err := gapsJob(t, table, strings.Fields(row.args)...)
			if err == nil || cli.Message(err) != row.want {
				t.Errorf("got %v\nwant %s", err, row.want)
			}
		})
	}
}

// An interruption ends a fit to completed tables within a step.
func TestInterruptedImputation(t *testing.T) {
	j := must.Get(gapsJob(t, gappy(60)))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := j.infer(ctx, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v, want an interruption", err)
	}
}

// filesWithoutGaps are the files of a fit to a table of numbers without missing values.
func filesWithoutGaps() []string {
	return slices.DeleteFunc(fitFiles(), func(name string) bool {
		return name == "imputation.csv" || name == functionsFile || name == "contrasts.csv"
	})
}
