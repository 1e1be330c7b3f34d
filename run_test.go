package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/posterior"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
)

// An ending is what the run of one of engines, on one worker and the table noisy, has at its end.
type ending struct {
	config tobac.Config
	steps  int
	state  string
	result *tobac.Result
}

var endings = map[string]ending{}

// ended is the ending of the engine of a name. It is the same in all tests, which only read it.
func ended(t testing.TB, name string) ending {
	t.Helper()
	if _, done := endings[name]; !done {
		cfg := enginesTried()[name]
		cfg.Workers = 1
		r, res := finished(t, noisy(t), cfg)
		if r.Step() != r.Steps() {
			t.Errorf("%s: at step %d of %d", name, r.Step(), r.Steps())
		}
		endings[name] = ending{r.Config(), r.Steps(), state(t, r), res}
	}
	return endings[name]
}

// Fit is NewRun, Advance to the end, Result, with every engine. What it returns is valid,
// says what was chosen, and counts its time. The number of workers changes nothing but that.
func TestFitIsARunToTheEnd(t *testing.T) {
	data := noisy(t)
	for name, cfg := range enginesTried() {
		t.Run(name, func(t *testing.T) {
			end := ended(t, name)
			want := end.result
			cfg.Workers = 8
			got := fit(t, data, cfg)
			sameBits(t, "fit with 8 workers", got, want)
			if diff := cmp.Diff(want.Evidence, got.Evidence, cmpopts.EquateNaNs()); diff != "" ||
				want.EdgesPerNode != got.EdgesPerNode {
				t.Errorf("evidence (-1 worker +8 workers):\n%s", diff)
			}
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if e := cfg.Engine; e != nil &&
				got.Config.Engine.Engine().Name() != e.Engine().Name() ||
				(got.EngineReason == "") != (e != nil) {
				t.Errorf("engine %v of the result because %q, asked for %v", got.Config.Engine,
					got.EngineReason, e)
			}
			if got.Engine != got.Config.Engine.Engine().Name() || got.Config.Model == nil ||
				!slices.Equal(got.Names, data.Names) {
				t.Errorf("posterior of engine %s, model %v, names %v", got.Engine, got.Config.Model,
					got.Names)
			}
			if end.config.Workers = 8; cmp.Diff(end.config, got.Config) != "" {
				diff := cmp.Diff(end.config, got.Config)
				t.Errorf("configuration (-run +result):\n%s", diff)
			}
			s := got.Seconds
			if s.Total <= 0 || s.Total != s.Infer+s.Order+s.Compile+s.Sample {
				t.Errorf("seconds: got %+v, want their sum", s)
			}
			if (end.steps == 0) != (cfg.Engine == nil || isA[*sums.Exact](cfg.Engine)) {
				t.Errorf("%d steps", end.steps)
			}
		})
	}
}

// compare takes a result and its comparison with particles to the end.
func compare(t *testing.T, data *dataset.Table, cfg tobac.Config,
	svgd *stein.SVGD) (of, particles *tobac.Result, run *tobac.Run) {
	t.Helper()
	of = fit(t, data, cfg)
	run = must.Get(tobac.NewComparison(t.Context(), data, of, svgd))(t)
	t.Cleanup(run.Close)
	advance(t, run, run.Steps())
	return of, result(t, run), run
}

// Particles are compared with a result of the engines exact and mcmc: under orders that draws of it
// follow, with its model and prior, bit by bit for any number of workers.
func TestComparison(t *testing.T) {
	data := noisy(t)
	for _, name := range []string{"exact", "mcmc"} {
		cfg := enginesTried()[name]
		cfg.Order.Count = 3
		of, got, run := compare(t, data, cfg, &small)
		if run.Steps() != 3*small.Steps || got.Engine != "svgd" || len(got.Components) != 3 ||
			got.EdgesPerNode != of.EdgesPerNode || got.Reason != "as asked for" {
			t.Errorf("%s: %d steps, engine %s, %d orders, %v edges per node, model %s", name,
				run.Steps(), got.Engine, len(got.Components), got.EdgesPerNode, got.Reason)
		}
		for k, c := range got.Components {
			if !slices.ContainsFunc(of.Draws, func(d posterior.Draw) bool {
				return follows(d.Graph, c.Order)
			}) {
				t.Errorf("%s: no draw follows order %d, %v", name, k, c.Order)
			}
		}
		cfg.Workers = 3
		_, again, _ := compare(t, data, cfg, &small)
		sameBits(t, name+", 3 workers", again, got)
	}
	for _, name := range []string{"svgd", "gflownet, exact"} {
		if _, err := tobac.NewComparison(t.Context(), data, fit(t, data, enginesTried()[name]),
			&small); err == nil || !strings.Contains(err.Error(), "of the engine exact or mcmc") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Another seed gives other draws. What is exact does not depend on it.
func TestSeed(t *testing.T) {
	data := noisy(t)
	for name, cfg := range enginesTried() {
		one := ended(t, name).result
		cfg.Seed = 0
		other := fit(t, data, cfg)
		if slices.EqualFunc(one.Graphs(), other.Graphs(), (*dag.Graph).Equal) {
			t.Errorf("%s: seeds 7 and 0 gave the same draws", name)
		}
		if isA[*stein.DiBS](cfg.Engine) {
			continue // all particles can have a cycle, which leaves no edge
		}
		if exact := cfg.Engine == nil || isA[*sums.Exact](cfg.Engine) ||
			name == "gflownet, exact"; exact != mat.Equal(one.Probabilities, other.Probabilities) {
			t.Errorf("%s: probabilities are the same with another seed: %v", name, !exact)
		}
	}
}

// A cancelled run stands at a step boundary, says where, and goes on as if
// nothing had happened; within an order and between two.
func TestCancellation(t *testing.T) {
	data := noisy(t)
	for name, stops := range map[string][]int{
		"svgd": {5}, "dibs": {5}, "svgd over orders of resamples": {5, 12},
		"svgd over drawn orders": {12}, "mcmc": {200}, "bcd": {9}, "gflownet": {11},
	} {
		cfg, want := enginesTried()[name], ended(t, name).result
		for _, stop := range stops {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			cfg.Progress = func(p engine.Progress) {
				if p.Step == stop {
					cancel()
				}
			}
			r := newRun(t, data, cfg)
			err := r.Advance(ctx, r.Steps())
			text := fmt.Sprintf("tobac: stopped after %d of %d steps: context canceled", stop,
				r.Steps())
			if !errors.Is(err, context.Canceled) || err.Error() != text || r.Step() != stop {
				t.Errorf("%s: at step %d: got error %v, want %s", name, r.Step(), err, text)
			}
			if err := r.Advance(ctx, r.Steps()); !errors.Is(err, context.Canceled) ||
				r.Step() != stop {
				t.Errorf("%s: advancing under the dead context: error %v at step %d", name, err,
					r.Step())
			}
			advance(t, r, r.Steps())
			sameBits(t, name+", cancelled and continued", result(t, r), want)
		}
	}
}

// A dead context stops every engine before it has a result.
func TestDeadContext(t *testing.T) {
	dead, stop := context.WithCancel(context.Background())
	stop()
	all := enginesTried()
	evidence := several()
	evidence.Order.Weights = engine.EvidenceWeights
	all["evidence weights"] = evidence
	for name, cfg := range all {
		if res, err := tobac.Fit(dead, noisy(t), cfg); res != nil ||
			!errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, %v, want no result and context.Canceled", name, res, err)
		}
	}
}

// Advance never goes back and never beyond the configured steps.
func TestAdvanceLimits(t *testing.T) {
	r := newRun(t, chain(t, 40).Train, particles())
	for _, row := range []struct{ to, want int }{{-1, 0}, {4, 4}, {2, 4}, {4, 4}, {99, 12},
		{100, 12}} {
		advance(t, r, row.to)
		if r.Step() != row.want {
			t.Errorf("advance to %d: at step %d, want %d", row.to, r.Step(), row.want)
		}
	}
}

// Progress is reported in order, once per step of SVGD, and never changes a run.
func TestProgress(t *testing.T) {
	data := noisy(t)
	for name, cfg := range enginesTried() {
		if isA[*markov.MCMC](cfg.Engine) || isA[*bcdnets.BCDNets](cfg.Engine) ||
			isA[*flownets.GFlowNet](cfg.Engine) {
			continue // see TestChainsReportProgress and TestTrainingReportsProgress
		}
		t.Run(name, func(t *testing.T) {
			var all []engine.Progress
			watched := cfg
			watched.Progress = func(p engine.Progress) {
				if (p.Engine == "svgd" || p.Engine == "dibs") && p.Doing == "" {
					all = append(all, p)
				}
			}
			r, res := finished(t, data, watched)
			sameBits(t, "watched", res, ended(t, name).result)
			if len(all) != r.Steps() {
				t.Fatalf("%d reports of %d steps", len(all), r.Steps())
			}
			steps := sampler(&cfg).Steps
			if steps == 0 {
				steps = small.Steps
			}
			for k, p := range all {
				if p.Step != k+1 || p.Steps != r.Steps() || p.Order != 1+k/steps ||
					p.Orders != r.Steps()/steps ||
					!(p.Driving > 0) || !(p.Repulsive > 0) || p.Neighbours < 1 ||
					p.Neighbours > float64(small.Particles) {
					t.Errorf("report %d of %d: %+v", k, r.Steps(), p)
				}
			}
		})
	}
}

// A result does not change when its run goes on, and shares no name with the data.
func TestResultIsACopy(t *testing.T) {
	for name, cfg := range enginesTried() {
		data := noisy(t)
		r := newRun(t, data, cfg)
		advance(t, r, r.Steps()-6)
		first, err := r.Result(context.Background())
		if err != nil {
			t.Logf("%s has no result at step %d: %v", name, r.Step(), err)
			continue
		}
		before := text(t, first.Posterior)
		advance(t, r, r.Steps())
		if text(t, first.Posterior) != before {
			t.Errorf("%s: a result changed while its run went on", name)
		}
		last := result(t, r)
		last.Names[0] = "changed"
		if data.Names[0] == "changed" {
			t.Errorf("%s: writing to the names of a result changed the data", name)
		}
	}
}

// A table with columns far from mean zero is fitted with a warning where the model
// has no intercept.
func TestMeanWarning(t *testing.T) {
	data := chain(t, 40).Train
	shifted := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range 40 {
		shifted.X.Set(i, 1, shifted.X.At(i, 1)+100)
	}
	for _, row := range []struct {
		data  *dataset.Table
		model sem.Model
		want  []string
	}{
		{data, sem.Linear{NoIntercept: true}, nil},
		{shifted, sem.Linear{}, nil},
		{shifted, sem.Linear{NoIntercept: true},
			[]string{
				`the means of "X1" are far from zero, and the model has no intercept: centre or standardise the columns`}},
	} {
		cfg := particles()
		cfg.Model, cfg.Order = row.model, engine.Order{Known: []int{0, 1, 2, 3, 4}}
		if diff := cmp.Diff(row.want, newRun(t, row.data, cfg).Warnings(),
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	}
}

// Data that look standardised say so where the order comes from equal variances.
func TestStandardisedWarning(t *testing.T) {
	data := standardised(t, chain(t, 60).Train)
	if w := strings.Join(fit(t, data, particles()).Warnings, "\n"); !strings.Contains(w,
		"look standardised") {
		t.Errorf("warnings %q do not say that the data look standardised", w)
	}
}

// Of several hypotheses the chains take the one that the data support: the posterior is
// near the exact average over all of them, where one of them has most of the evidence.
func TestChainsTakeTheBestHypothesis(t *testing.T) {
	data := noisy(t)
	cfg := tobac.Config{Model: sem.BGe{}, Prior: background.Prior{EdgesPerNode: 1}}
	want := fit(t, data, cfg)
	cfg.Engine, cfg.Workers = &markov.MCMC{Iterations: 2000, WarmUp: 500, Rungs: 2}, 2
	got := fit(t, data, cfg)
	t.Logf("probabilities differ by up to %.3f", largest(got.Probabilities, want.Probabilities))
	if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 0.1) {
		t.Errorf("probabilities differ by up to %v", diff)
	}
}

// Progress of the chains counts their iterations, up to the last, then the steps
// of the particles.
func TestChainsReportProgress(t *testing.T) {
	data, cfg := afterChains()
	var all []engine.Progress
	var between []string
	cfg.Progress = func(p engine.Progress) {
		if p.Doing != "" {
			between = append(between, p.Doing)
			return
		}
		all = append(all, p)
	}
	r, _ := finished(t, data, cfg)
	if len(between) < 3 {
		t.Errorf("between steps %q is computed, want short chains, scores and a program", between)
	}
	last, engine := 0, "mcmc"
	for _, p := range all {
		if p.Step <= last || p.Steps != r.Steps() || p.Engine < engine || p.Engine == "mcmc" &&
			(p.Step > 40 || p.Chains == nil) || p.Engine == "svgd" && p.Step != last+1 {
			t.Errorf("report %+v after step %d of %v", p, last, engine)
		}
		last, engine = p.Step, p.Engine
	}
	if last != r.Steps() || engine != "svgd" {
		t.Errorf("the last report is of step %d of %d, engine %s", last, r.Steps(), engine)
	}
}

// A run whose chains have not ended has no posterior, and says how far it is.
func TestNoPosteriorOfUnfinishedChains(t *testing.T) {
	r := newRun(t, noisy(t), enginesTried()["mcmc"])
	if _, err := r.Result(t.Context()); err == nil {
		t.Error("a posterior of chains that have not begun")
	}
	advance(t, r, 50)
	if _, err := r.Result(t.Context()); err == nil || r.Step() < 50 {
		t.Errorf("a posterior of chains at step %d of their warm-up", r.Step())
	}
	advance(t, r, r.Steps())
	result(t, r)
}
