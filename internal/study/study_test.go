package study_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/stein"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/internal/study"
	_ "tobac/internal/unwritten"
	"tobac/metrics"
	"tobac/posterior"
)

// all are all studies that need no folder.
func all(t *testing.T, o study.Options) (studies []study.Study) {
	t.Helper()
	for _, name := range study.OfPaper() {
		studies = append(studies, one(t, name, o))
	}
	return studies
}

func one(t *testing.T, name string, o study.Options) study.Study {
	t.Helper()
	return must.Get(study.New(name, o))(t)
}

// The splits of Table I: 767 and 86 rows of the table standardised as a whole,
// every row once, a different choice in every run and the same for the same
// seed.
func TestSachsSplits(t *testing.T) {
	split := func(run int) *study.Problem {
		return must.Get(study.Data{Source: study.Sachs, Seed: 1, Run: run}.Problem())(t)
	}
	problems := []*study.Problem{split(0), split(1)}
	again := []*study.Problem{split(0), split(1)}
	for r, p := range problems {
		n, d := p.Train.X.Dims()
		m, _ := p.Heldout.X.Dims()
		if n != 767 || m != 86 || d != 11 || p.Truth.Size() != 17 {
			t.Errorf("%s: got %d and %d rows, %d columns, %d edges, want 767, 86, 11, 17", p.Name,
				n, m, d, p.Truth.Size())
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
			if !(math.Abs(sum) <= 1e-9) || !(math.Abs(squares-853) <= 1e-9) {
				t.Errorf("%s, column %d: sum %v, squares %v over both parts, want 0 and 853",
					p.Name, j, sum, squares)
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

// Sizes of one run share the graph and the rows that they can.
func TestSimulatedDataShare(t *testing.T) {
	problem := func(source study.Source, rows, run int) *study.Problem {
		return must.Get(study.SimulatedData(source, 8, 1, rows, 2, 5)[run].Problem())(t)
	}
	few, many, nonlinear, other := problem(study.Linear, 20, 0), problem(study.Linear, 50, 0),
		problem(study.Nonlinear, 20, 0), problem(study.Linear, 20, 1)
	if !mat.Equal(few.Train.X, many.Train.X.Slice(0, 20, 0, 8)) || !few.Truth.Equal(many.Truth) ||
		!few.Truth.Equal(nonlinear.Truth) {
		t.Error("more rows, or another model, changed the graph or the first rows")
	}
	if few.Truth.Equal(other.Truth) || mat.Equal(few.Train.X, nonlinear.Train.X) {
		t.Error("two runs share the graph, or two models the rows")
	}
}

// writeTables writes a small problem as tobac simulate does.
func writeTables(t *testing.T, dir string, seed uint64) {
	t.Helper()
	g := must.Get(dag.FromEdges(3, []dag.Edge{{From: 1, To: 0}, {From: 0, To: 2}}))(t)
	sim := must.Get(dataset.SimulateLinear(g,
		dataset.LinearConfig{Rows: 30, HeldoutRows: 10, Seed: seed}))(t)
	must.Do(t, os.MkdirAll(dir, 0o755))
	for name, f := range map[string]func(*bytes.Buffer) error{
		"train.csv":   func(b *bytes.Buffer) error { return dataset.WriteCSV(b, sim.Train) },
		"heldout.csv": func(b *bytes.Buffer) error { return dataset.WriteCSV(b, sim.Heldout) },
		"graph.csv": func(b *bytes.Buffer) error {
			return dag.WriteEdges(b, g, sim.Train.Names, nil)
		},
	} {
		var text bytes.Buffer
		must.Do(t, f(&text))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644))
	}
}

func TestReadTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	writeTables(t, dir, 1)
	data := must.Get(study.ReadTables(dir))(t)
	p := must.Get(data.Problem())(t)
	if n, d := p.Train.X.Dims(); p.Name != "tiny" || n != 30 || d != 3 || p.Truth.Size() != 2 {
		t.Errorf("got %s, %d×%d, edges %v, want the problem that was written", p.Name, n, d,
			p.Truth.Edges())
	}
	must.Do(t, os.Remove(filepath.Join(dir, "heldout.csv")))
	if _, err := study.ReadTables(dir); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "heldout.csv") {
		t.Errorf("without held-out rows: got error %v, want a missing heldout.csv", err)
	}
}

// A job says everything that determines it: its text gives the same cell back, names do not matter,
// and each of the settings that do makes another job.
func TestJobsOfCells(t *testing.T) {
	ids := map[string]string{}
	names := map[string]string{}
	o := study.Options{Runs: 2, Seed: 1}
	for _, c := range study.Cells(append(all(t, o), one(t, study.Networks, o))) {
		id := c.Job().ID()
		if before, ok := ids[id]; ok {
			t.Errorf("%s and %s are one job", before, c.Name())
		}
		ids[id] = c.Name()
		if before, ok := names[c.Name()]; ok && before != id {
			t.Errorf("two jobs are called %s", c.Name())
		}
		names[c.Name()] = id
		var back struct {
			Data   study.Data   `json:"data"`
			Method study.Method `json:"method"`
			Seed   uint64       `json:"seed"`
		}
		must.Do(t, json.Unmarshal(c.Job().Input, &back))
		if again := study.Cell(back); again.Job().ID() != id {
			t.Errorf("%s: its text gives another job", c.Name())
		}
		if _, err := back.Method.Config(); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
	for _, c := range study.Cells(all(t, study.Options{Runs: 1, Seed: 2})) {
		if name, ok := ids[c.Job().ID()]; ok {
			t.Errorf("%s with another seed is the job of %s", c.Name(), name)
		}
	}
	// More runs keep the jobs of fewer.
	more := map[string]bool{}
	for _, c := range study.Cells(append(all(t, study.Options{Runs: 3, Seed: 1}),
		one(t, study.Networks, study.Options{Runs: 3, Seed: 1}))) {
		more[c.Job().ID()] = true
	}
	for id, name := range ids {
		if !more[id] {
			t.Errorf("%s is not among three runs", name)
		}
	}
}

// The text form of a method gives the settings of the published recipe, to the letter.
func TestMethodIsThePublishedRecipe(t *testing.T) {
	s := must.Get(study.New(study.LinearFigure, study.Options{Runs: 1, Seed: 1}))(t)
	p := must.Get(s.Sections[0].Data[0].Problem())(t)
	m := s.Sections[0].Rows[0].Method
	m.Settings["steps"], m.Settings["particles"], m.Settings["samples"] = "3", "4", "8"
	f, order := must.Two(m.Fit(context.Background(), p, 9))(t)
	cfg := tobac.Paper()
	e := cfg.Engine.(*stein.SVGD)
	cfg.Seed, e.Steps, e.Particles, e.Samples = 9, 3, 4, 8
	want := must.Get(tobac.Fit(context.Background(), p.Train, cfg))(t)
	if !slices.Equal(order, want.Order()) ||
		!mat.Equal(f.Posterior.Probabilities, want.Probabilities) {
		t.Error("the method's probabilities are not those of tobac.Paper()")
	}
	for k, d := range f.Posterior.Draws {
		if w := want.Draws[k]; !d.Graph.Equal(w.Graph) || d.LogPrior != w.LogPrior ||
			d.LogLikelihood != w.LogLikelihood ||
			!mat.Equal(d.Equations.Weights, w.Equations.Weights) {
			t.Errorf("particle %d is not that of tobac.Paper()", k+1)
		}
	}
}

// The order of the released NPVar is the column of smallest variance, then the sequence of the
// table.
func TestReleasedNPVar(t *testing.T) {
	p := must.Get(study.SachsData(1, 1)[0].Problem())(t)
	m := study.Method{Kind: study.EmptyKind, Order: "npvar-released", NoiseVariance: 1}
	_, order, err := m.Fit(context.Background(), p, 1)
	if want := []int{5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10}; err != nil || !slices.Equal(order, want) {
		t.Errorf("got %v, %v, want %v", order, err, want)
	}
}

// Names keep what they say; one that names nothing is an error with what there is.
func TestOnly(t *testing.T) {
	studies := all(t, study.Options{Runs: 2, Seed: 1})
	for _, c := range []struct {
		patterns []string
		want     int // cells
		sections int
	}{
		{nil, len(study.Cells(studies)), 12},
		// linear-d20-e40-n100 is in two studies, and the order study lacks the method
		{[]string{"empty"}, 2 * 10, 11},
		{[]string{"sachs"}, 2 * len(studies[0].Sections[0].Rows), 1},
		{[]string{"sachs-split1/dibs"}, 1, 1},
		{[]string{"sachs-split0", "sachs-split1/tobac-*"}, len(studies[0].Sections[0].Rows) + 3, 1},
	} {
		kept := must.Get(study.Only(studies, c.patterns))(t)
		sections := 0
		for _, s := range kept {
			sections += len(s.Sections)
		}
		if got := len(study.Cells(kept)); got != c.want || sections != c.sections {
			t.Errorf("%q: %d cells in %d sections, want %d in %d", c.patterns, got, sections,
				c.want, c.sections)
		}
	}
	if _, err := study.Only(studies, []string{"dibs", "dips"}); err == nil ||
		!strings.Contains(err.Error(), `called "dips"; allowed: the methods tobac-eqvar,`) {
		t.Errorf("got error %v", err)
	}
}

// The five particles of a problem with two variables, judged by hand.
func TestJudge(t *testing.T) {
	truth, err := dag.FromEdges(2, []dag.Edge{{From: 0, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	cycle := dag.New(2)
	cycle.Set(0, 1, true)
	cycle.Set(1, 0, true)
	p := &posterior.Posterior{Names: []string{"a", "b"}, Draws: []posterior.Draw{
		{Graph: truth, LogPrior: -1, LogLikelihood: -10}, {Graph: dag.New(2), LogLikelihood: -1000},
		{Graph: cycle, LogLikelihood: 0},
	}}
	p.Probabilities = mat.NewDense(2, 2, []float64{0, 0.75, 0.25, 0})
	f := &study.Fitted{Posterior: p,
		HeldOut: metrics.NewHeldOut([]float64{-1, 0, 0, 0}, []float64{-5, -50, -7, -50})}
	v := must.Get(f.Judge(truth))(t)
	if v.Listed.Edges.ESHD != 0.25 || v.Empirical.Edges.ESHD != 0.5 ||
		v.Empirical.Draws.Cyclic != 1 || v.Empirical.Draws.NegLL != 28 ||
		v.Mixture.Edges.ESHD > 1e-12 {
		t.Errorf("got %+v, %+v, %+v", v.Listed.Edges, v.Empirical.Draws, v.Mixture.Edges)
	}
	if got, want := v.Empirical.Probabilities, []float64{0, 0.5, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("probabilities %v without the cycle, want %v", got, want)
	}
	want := make([]study.Bin, 10)
	want[7], want[2] = study.Bin{Entries: 1, Edges: 1, Sum: 0.75}, study.Bin{Entries: 1, Sum: 0.25}
	if diff := cmp.Diff(want, v.Listed.Calibration); diff != "" {
		t.Errorf("calibration (-want +got):\n%s", diff)
	}
	// Independent draws have no other weights, and no density that is not known.
	p.Kind, f.HeldOut = posterior.Draws, nil
	p.Draws[0].LogPrior = math.NaN()
	if v, err = f.Judge(truth); err != nil || v.Mixture != nil ||
		!math.IsNaN(float64(v.Listed.Draws.NegLL)) {
		t.Errorf("draws: got %+v, %v", v, err)
	}
}

// done does the cells of studies.
func done(t *testing.T, studies []study.Study) *study.Results {
	t.Helper()
	var list []jobs.Job
	for _, c := range study.Cells(studies) {
		list = append(list, c.Job())
	}
	outputs, err := jobs.Do(context.Background(), jobs.Local{Workers: 2}, nil, study.Functions(),
		list, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := must.Get(study.Collect(studies, outputs, make([]string, len(list)),
		make([]float64, len(list))))(t)
	return r
}

// The baselines and exact posteriors of every study run, on data of their size, and are better than
// nothing where they should be.
func TestCheapCells(t *testing.T) {
	patterns := []string{"linear-d10-e20-n100-run0/exact*", "linear-d10-e20-n100-run0/empty",
		"linear-d10-e20-n100-run0/eqvar-bic", "linear-d50-e100-n100-run0/eqvar-bic",
		"sachs-split0/empty", "nonlinear-d20-e80-n100-run0/empty"}
	studies := must.Get(study.Only(all(t, study.Options{Runs: 1, Seed: 1}), patterns))(t)
	r := done(t, studies)
	if len(r.All) != 8 {
		t.Fatalf("%d cells, want 8", len(r.All))
	}
	for _, res := range r.All {
		e := res.Outcome.Listed.Edges
		if name := res.Cell.Method.Name; (name == "empty") != (e.ESHD == e.ESHDEmptyGraph) ||
			name != "empty" && !(e.ESHD < e.ESHDEmptyGraph/2) {
			t.Errorf("%s: E-SHD %v of %d edges", res.Cell.Name(), e.ESHD, res.Outcome.Edges)
		}
		if nll := res.Outcome.Listed.Draws.NegLLDataOnly; math.IsNaN(float64(nll)) {
			t.Errorf("%s: no density of the held-out rows", res.Cell.Name())
		}
	}
	var again bytes.Buffer
	must.Do(t, r.WriteCSV(&again))
	if lines := bytes.Count(again.Bytes(), []byte("\n")); lines != 1+2*8 {
		t.Errorf("results.csv has %d lines, want a head, and for each cell listed probabilities "+
			"and draws", lines)
	}
}

func TestMeanSD(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		s    study.MeanSD
		want string
	}{
		{study.MeanSD{Mean: 15.62, SD: 0.421}, "15.6 ± 0.42"},
		{study.MeanSD{Mean: 0.5994, SD: 0.0395}, "0.599 ± 0.040"},
		{study.MeanSD{Mean: 1818.4, SD: 12}, "1818 ± 12"},
		{study.MeanSD{Mean: 17, SD: nan}, "17.0"},
		{study.MeanSD{Mean: nan, SD: nan}, "–"},
	} {
		if got := row.s.String(); got != row.want {
			t.Errorf("%v, %v: got %q, want %q", row.s.Mean, row.s.SD, got, row.want)
		}
	}
	got := study.MeanSDOf([]float64{1, 2, 6})
	// Student's quantile of two degrees of freedom is 4.302653.
	if got.Mean != 3 || !(math.Abs(got.SD-math.Sqrt(7)) <= 1e-15) ||
		!(math.Abs(got.Interval()-4.302653*math.Sqrt(7.0/3)) <= 1e-5) {
		t.Errorf("1, 2, 6: got %v ± %v, interval ± %v, want 3 ± √7", got.Mean, got.SD,
			got.Interval())
	}
	if one := study.MeanSDOf([]float64{4}); !math.IsNaN(one.SE()) || !math.IsNaN(one.Interval()) {
		t.Errorf("a single value has a standard error of %v", one.SE())
	}
}
