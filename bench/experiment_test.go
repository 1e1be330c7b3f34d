package bench_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/bench"
	"tobac/dag"
	"tobac/dataset"
	"tobac/metrics"
	"tobac/posterior"
)

// oracle is a method that knows the truth of every problem, and adds the graph
// without edges as a second particle of negligible density.
func oracle(seeds *[]uint64) bench.Method {
	return bench.Method{Name: "oracle", Fit: func(_ context.Context, p *bench.Problem, seed uint64) (*bench.Fitted, error) {
		*seeds = append(*seeds, seed)
		q := &posterior.Posterior{Names: p.Train.Names, Draws: []posterior.Draw{
			{Graph: p.Truth, LogPrior: -1, LogLikelihood: -10}, {Graph: dag.New(p.Truth.Len()), LogLikelihood: -1000},
		}}
		q.Probabilities = p.Truth.Matrix() // better than the frequencies of the draws
		return &bench.Fitted{Posterior: q, HeldOut: metrics.NewHeldOut([]float64{-1, 0, 0}, []float64{-5, -50, -50})}, nil
	}}
}

func TestExperiment(t *testing.T) {
	problems, err := bench.SachsSplits(3, 7)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	var recorded []bench.Outcome
	all, err := bench.Experiment(context.Background(), problems, []bench.Method{oracle(&seeds)}, 40, func(o bench.Outcome) {
		recorded = append(recorded, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{40, 41, 42}, seeds); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
	if len(all) != 3 || len(recorded) != 3 {
		t.Fatalf("got %d outcomes and %d records, want 3 each", len(all), len(recorded))
	}
	for i, o := range all {
		if o.Problem != problems[i].Name || o.Method != "oracle" {
			t.Errorf("outcome %d is that of %s on %s", i, o.Method, o.Problem)
		}
		// The empirical posterior is half the truth, half 17 edges away.
		if o.Empirical.ESHD != 8.5 || o.Empirical.AUROCWithDiagonal != 1 || !near(float64(o.Empirical.NegLL), 28, 1e-12) {
			t.Errorf("empirical: got E-SHD %v, AUROC %v, Neg.LL %v, want 8.5, 1, 28", o.Empirical.ESHD, o.Empirical.AUROCWithDiagonal, o.Empirical.NegLL)
		}
		if o.Listed.ESHD != 0 || o.Listed.AUROC != 1 {
			t.Errorf("listed: got E-SHD %v, AUROC %v, want 0, 1", o.Listed.ESHD, o.Listed.AUROC)
		}
		if o.Mixture.ESHD > 1e-12 || !near(float64(o.Mixture.NegLL), 6, 1e-12) {
			t.Errorf("mixture: got E-SHD %v, Neg.LL %v, want 0, 6", o.Mixture.ESHD, o.Mixture.NegLL)
		}
	}
	var table bytes.Buffer
	for i := range all {
		all[i].Seconds = 2
	}
	if err := bench.WriteTable(&table, all); err != nil {
		t.Fatal(err)
	}
	want := `method   problems  E-SHD          AUROC with diagonal  AUROC          AP             edges          Neg.LL       seconds
oracle   3         8.5 ± 0.00     1.000 ± 0.000        1.000 ± 0.000  1.000 ± 0.000  8.5 ± 0.00     28.0 ± 0.00  2.0 ± 0.00
oracle+  3         0.000 ± 0.000  1.000 ± 0.000        1.000 ± 0.000  1.000 ± 0.000  17.0 ± 0.00    6.0 ± 0.00   2.0 ± 0.00
`
	if diff := cmp.Diff(strings.Fields(want), strings.Fields(table.String())); diff != "" {
		t.Errorf("table (-want +got):\n%s\n%s", diff, table.String())
	}
}

// A failure names the method and the problem, and ends the experiment.
func TestExperimentErrors(t *testing.T) {
	problems, err := bench.SachsSplits(2, 7)
	if err != nil {
		t.Fatal(err)
	}
	sentinel := errors.New("no convergence")
	for _, row := range []struct {
		name string
		fit  func(context.Context, *bench.Problem, uint64) (*bench.Fitted, error)
		want string
	}{
		{"fit", func(context.Context, *bench.Problem, uint64) (*bench.Fitted, error) { return nil, sentinel },
			"bench: broken on sachs-split0: no convergence"},
		{"density", func(_ context.Context, p *bench.Problem, _ uint64) (*bench.Fitted, error) {
			return &bench.Fitted{Posterior: &posterior.Posterior{Draws: []posterior.Draw{{Graph: p.Truth, LogLikelihood: math.NaN()}}}}, nil
		}, "bench: broken on sachs-split0: posterior: log density of draw 1 is 0 + NaN, want finite numbers"},
	} {
		t.Run(row.name, func(t *testing.T) {
			all, err := bench.Experiment(context.Background(), problems, []bench.Method{{Name: "broken", Fit: row.fit}}, 1, nil)
			if err == nil || err.Error() != row.want || len(all) != 0 {
				t.Errorf("got %d outcomes, error %v, want error %s", len(all), err, row.want)
			}
			if row.name == "fit" && !errors.Is(err, sentinel) {
				t.Errorf("error %v does not wrap the method's", err)
			}
		})
	}
}

// The splits of Table I: 767 and 86 rows of the table standardised as a whole,
// every row once, a different choice in every run and the same for the same
// seed.
func TestSachsSplits(t *testing.T) {
	problems, err := bench.SachsSplits(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := bench.SachsSplits(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for r, p := range problems {
		n, d := p.Train.X.Dims()
		m, _ := p.Heldout.X.Dims()
		if n != 767 || m != 86 || d != 11 || p.Truth.Size() != 17 {
			t.Errorf("%s: got %d and %d rows, %d columns, %d edges, want 767, 86, 11, 17", p.Name, n, m, d, p.Truth.Size())
		}
		for j := range d {
			sum, squares := 0.0, 0.0
			for _, x := range []*mat.Dense{p.Train.X, p.Heldout.X} {
				rows, _ := x.Dims()
				for i := range rows {
					sum += x.At(i, j)
					squares += x.At(i, j) * x.At(i, j)
				}
			}
			if math.Abs(sum) > 1e-9 || math.Abs(squares-853) > 1e-9 {
				t.Errorf("%s, column %d: sum %v, squares %v over both parts, want 0 and 853", p.Name, j, sum, squares)
			}
		}
		if !mat.Equal(p.Train.X, again[r].Train.X) {
			t.Errorf("%s: the same seed gave two splits", p.Name)
		}
	}
	if mat.Equal(problems[0].Train.X, problems[1].Train.X) {
		t.Error("two runs have the same split")
	}
}

func TestReadProblem(t *testing.T) {
	g, err := dag.FromEdges(2, []dag.Edge{{From: 1, To: 0}})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 3, HeldoutRows: 2})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tiny")
	write := func(name string, f func(*bytes.Buffer) error) {
		t.Helper()
		var text bytes.Buffer
		if err := f(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write("train.csv", func(b *bytes.Buffer) error { return dataset.WriteCSV(b, sim.Train) })
	if _, err := bench.ReadProblem(dir); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "heldout.csv") {
		t.Errorf("without held-out rows: got error %v, want a missing heldout.csv", err)
	}
	write("heldout.csv", func(b *bytes.Buffer) error { return dataset.WriteCSV(b, sim.Heldout) })
	if _, err := bench.ReadProblem(dir); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "graph.csv") {
		t.Errorf("without a graph: got error %v, want a missing graph.csv", err)
	}
	write("graph.csv", func(b *bytes.Buffer) error { return dag.WriteEdges(b, g, sim.Train.Names, nil) })
	p, err := bench.ReadProblem(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "tiny" || !p.Truth.Equal(g) || !mat.Equal(p.Train.X, sim.Train.X) || !mat.Equal(p.Heldout.X, sim.Heldout.X) {
		t.Errorf("got %s, edges %v, want the problem that was written", p.Name, p.Truth.Edges())
	}
}

func TestSpread(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		s    bench.Spread
		want string
	}{
		{bench.Spread{Mean: 15.62, SD: 0.421}, "15.6 ± 0.42"},
		{bench.Spread{Mean: 0.5994, SD: 0.0395}, "0.599 ± 0.040"},
		{bench.Spread{Mean: 1818.4, SD: 12}, "1818 ± 12"},
		{bench.Spread{Mean: 17, SD: nan}, "17.0"},
		{bench.Spread{Mean: nan, SD: nan}, "–"},
	} {
		if got := row.s.String(); got != row.want {
			t.Errorf("%v, %v: got %q, want %q", row.s.Mean, row.s.SD, got, row.want)
		}
	}
	outcomes := []bench.Outcome{{Seconds: 1}, {Seconds: 2}, {Seconds: 6}}
	got := bench.Summarise(outcomes, func(o bench.Outcome) metrics.Number { return metrics.Number(o.Seconds) })
	if got.Mean != 3 || !near(got.SD, math.Sqrt(7), 1e-15) {
		t.Errorf("1, 2, 6: got %v ± %v, want 3 ± √7", got.Mean, got.SD)
	}
	if message := panics(func() { bench.Summarise(nil, nil) }); message != "bench: no outcomes" {
		t.Errorf("no outcomes: got panic %v", message)
	}
}
