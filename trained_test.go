package tobac_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/sums"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/internal/must"
	"tobac/internal/recipes"
	"tobac/ordering"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// Exact flows are the sums over all graphs of the engine exact: the same probabilities under the
// same score and prior, with knowledge, interventions and discrete columns as well.
func TestFlowsAreExact(t *testing.T) {
	data := noisy(t)
	n, d := data.X.Dims()
	levels := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range n {
		levels.X.Set(i, 2, math.Round(levels.X.At(i, 2)))
	}
	base := tobac.Config{Model: sem.BGe{Raw: true}, Prior: background.Prior{EdgesPerNode: 0.5},
		Seed: 3}
	for name, row := range map[string]struct {
		data   *dataset.Table
		change func(c *tobac.Config)
	}{
		"plain": {data, func(*tobac.Config) {}},
		"fair": {data, func(c *tobac.Config) {
			c.Prior = background.Prior{Kind: background.Fair}
		}},
		"linear":        {data, func(c *tobac.Config) { c.Model = sem.Linear{NoiseVariance: 0.1} }},
		"interventions": {intervened(data), func(*tobac.Config) {}},
		"levels":        {levels, func(*tobac.Config) {}},
		"known order":   {data, func(c *tobac.Config) { c.Order.Known = []int{1, 0, 3, 2, 4} }},
		"knowledge": {data, func(c *tobac.Config) {
			c.Prior.Required, c.Prior.Forbidden = []dag.Edge{{From: 3, To: 4}},
				[]dag.Edge{{From: 0, To: 1}}
			c.Prior.Tiers, c.Prior.MaxParents = []int{0, 1, -1, 0, 1}, 2
			c.Prior.Odds = []background.EdgeOdds{{From: 2, To: 1, Odds: 5}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			exact, flows := base, base
			row.change(&exact)
			row.change(&flows)
			exact.Engine, flows.Engine = &sums.Exact{}, &flownets.GFlowNet{}
			want, got := fit(t, row.data, exact), fit(t, row.data, flows)
			if diff := largest(got.Probabilities, want.Probabilities); !(diff < 1e-9) {
				t.Errorf("probabilities differ by up to %v", diff)
			}
			if got.Engine != "gflownet" || !got.Training.Exact || got.Training.Distance > 1e-9 ||
				len(got.Draws) != 1000 {
				t.Errorf("engine %s, training %+v, %d draws", got.Engine, got.Training,
					len(got.Draws))
			}
			// Four standard errors of a frequency among a thousand draws.
			if diff := largest(got.Frequencies().Probabilities, want.Probabilities); diff > 0.064 {
				t.Errorf("frequencies among draws differ by up to %v", diff)
			}
		})
	}
	if d > gflownet.MaxExact {
		t.Errorf("%d variables are more than exact flows take", d)
	}
}

// Both methods learn: the ELBO rises and probabilities come nearer to the graph that the data have;
// the loss of a policy falls, and its distance from the exact posterior with it.
func TestTrainingLearns(t *testing.T) {
	data := chain(t, 100).Train
	truth := fit(t, data, tobac.Config{Model: sem.Linear{}, Engine: &sums.Exact{}})
	cfg := tobac.Config{Engine: &bcdnets.BCDNets{Training: bcd.Settings{Steps: 800,
		LearningRate: 0.004, Batch: 16}}, Seed: 1, Workers: 2}
	got := fit(t, data, cfg)
	trace := got.Training.Trace
	if first, last := trace[0], trace[len(trace)-1]; first.Quantity != "ELBO" ||
		!(last.Value > first.Value+100) {
		t.Errorf("ELBO %+v, then %+v", first, last)
	}
	if got.Config.Model.String() != "linear" || got.Draws[0].Equations == nil ||
		got.Components[0].Empty == nil {
		t.Errorf("model %v, draw %+v", got.Config.Model, got.Draws[0])
	}
	far := 0.0
	for i := range 5 {
		for j := range 5 {
			far += math.Abs(got.Probabilities.At(i, j)-truth.Probabilities.At(i, j)) / 20
		}
	}
	if far > 0.1 {
		t.Errorf("mean distance of edge probabilities from the exact ones %v:\n%v\n%v", far,
			mat.Formatted(got.Probabilities), mat.Formatted(truth.Probabilities))
	}
	flow := tobac.Config{Model: sem.BGe{},
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Iterations: 400,
			Policy: gflownet.Graph, Width: 16}}, Seed: 1, Workers: 2}
	long := fit(t, data, flow)
	if tr := long.Training; len(tr.Trace) != 4 || tr.Trace[0].Quantity != "loss" || tr.Exact ||
		!(tr.Distance < 0.5) {
		t.Errorf("training %+v", tr)
	}
}

// A tolerance ends a training of a policy early; the run is then at its last step, and resumed
// there.
func TestToleranceEndsTraining(t *testing.T) {
	cfg := tobac.Config{Model: sem.BGe{}, Seed: 1,
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Iterations: 1000,
			Policy: gflownet.Graph, Width: 8, Prefill: 3, Batch: 4, Look: 20, Tolerance: 1}}}
	r, want := finished(t, noisy(t), cfg)
	if r.Step() != 20 || r.Steps() != 20 {
		t.Fatalf("at step %d of %d, want 20 of 20", r.Step(), r.Steps())
	}
	again := newRun(t, noisy(t), cfg)
	must.Do(t, again.Restore(context.Background(), snapshot(t, r)))
	sameBits(t, "resumed at the end", result(t, again), want)
}

// Progress is reported once per step, with what the training watches.
func TestTrainingReportsProgress(t *testing.T) {
	for name, by := range map[string]string{"bcd": "bcd", "gflownet": "gflownet",
		"gflownet, exact": "gflownet"} {
		cfg := enginesTried()[name]
		last := 0
		cfg.Progress = func(p engine.Progress) {
			if p.Doing == "" {
				if p.Engine != by || p.Step != last+1 || p.Training == nil ||
					p.Training.Step != p.Step {
					t.Errorf("%s: report %+v after step %d", name, p, last)
				}
				last = p.Step
			}
		}
		r, _ := finished(t, noisy(t), cfg)
		if last != r.Steps() || r.Config().Engine.Engine().Name() != by {
			t.Errorf("%s: the last report is of step %d of %d, engine %v", name, last, r.Steps(),
				r.Config().Engine)
		}
	}
}

// Units and origins of columns: with unequal variances they change no probability of BCD Nets, and
// weights follow them; origins never do.
func TestBCDUnits(t *testing.T) {
	data := noisy(t)
	for _, row := range []struct {
		model sem.Model
		unit  float64
	}{{sem.Linear{Unequal: true}, 8}, {sem.BGe{}, 8}, {sem.Linear{}, 1}} {
		other := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
		other.X.Apply(func(_, j int, v float64) float64 {
			return v*math.Pow(row.unit, float64(j-2)) + 16
		}, other.X)
		cfg := enginesTried()["bcd"]
		cfg.Model = row.model
		a, b := fit(t, data, cfg), fit(t, other, cfg)
		// rounding grows with the steps, and may turn a draw
		if diff := largest(a.Probabilities, b.Probabilities); diff > 0.01 {
			t.Errorf("%v: probabilities differ by %v", row.model, diff)
		}
		ea, eb := a.Draws[0].Equations, b.Draws[0].Equations
		for j := range 5 {
			scale := math.Pow(row.unit, float64(j-2))
			if got, want := eb.NoiseVariances[j],
				ea.NoiseVariances[j]*scale*scale; math.Abs(got-want) > 1e-3*want {
				t.Errorf("%v: noise variance %v, want %v", row.model, got, want)
			}
		}
	}
}

// What the mathematics of a method has no place for is refused in one sentence.
func TestTrainedRefuses(t *testing.T) {
	data := chain(t, 40).Train
	edge := []dag.Edge{{From: 0, To: 1}}
	nets, flows := &bcdnets.BCDNets{}, &flownets.GFlowNet{}
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		want string
	}{
		{"order", tobac.Config{Engine: nets, Order: engine.Order{Known: []int{0, 1, 2, 3, 4}}},
			"the engine bcd learns a distribution over all orders"},
		{"method that finds orders",
			tobac.Config{Engine: flows, Order: engine.Order{Method: ordering.MethodEqVar}},
			"the engine gflownet learns what orders are probable"},
		{"orders", tobac.Config{Engine: nets, Order: engine.Order{Count: 2}},
			"the engine bcd learns what orders are probable"},
		{"networks", tobac.Config{Engine: nets, Model: sem.FeedForward{}},
			"the engine bcd has linear equations, got the model ffn"},
		{"noise", tobac.Config{Engine: nets, Model: sem.Linear{NoiseVariance: 1}},
			"the engine bcd learns the noise variances"},
		{"raw score", tobac.Config{Engine: nets, Model: sem.BGe{Raw: true}},
			"the engine bcd learns the noise variances and has its own prior of the weights"},
		{"prior", tobac.Config{Engine: nets, Prior: background.Prior{Kind: background.Fair}},
			"of the horseshoe prior of the engine bcd, only"},
		{"knowledge", tobac.Config{Engine: nets, Prior: background.Prior{Required: edge}},
			"the engine bcd takes no knowledge about edges"},
		{"levels", tobac.Config{Engine: nets, Prior: background.Prior{Exclusive: edge}},
			"the engine bcd cannot rule out edges between columns that code one variable"},
		{"edges twice",
			tobac.Config{Engine: &bcdnets.BCDNets{Training: bcd.Settings{EdgesPerNode: 3}}},
			"edges per node and unequal variances of BCD Nets are those of the prior and of the " +
				"model"},
		{"batch", tobac.Config{Engine: &bcdnets.BCDNets{Training: bcd.Settings{Batch: -1}}},
			"batch is -1; allowed: whole numbers from 1 to 100000"},
		{"no scores", tobac.Config{Engine: flows, Model: sem.FeedForward{}},
			"the model ffn has no node scores in closed form, which the engine gflownet needs"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := row.cfg.WithDefaults(5); err == nil ||
				!strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
		})
	}
	levels := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range 40 {
		levels.X.Set(i, 3, float64(i%3))
	}
	for want, table := range map[string]*dataset.Table{
		`tobac: the engine bcd needs continuous columns, but column "X3" takes 3 values`:                  levels,
		`tobac: the engine bcd takes only observations, but column "X1" was set by intervention in row 1`: intervened(data),
	} {
		if _, err := tobac.Fit(context.Background(), table,
			tobac.Config{Engine: nets}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v\nwant      %s", err, want)
		}
	}
	for want, set := range map[string]gflownet.Settings{
		"policy exact takes at most 5 variables, got 6; allowed: graph, small, paper": {
			Policy: gflownet.Exact},
		"tolerance needs the exact posterior, of at most 5 variables, got 6": {
			Tolerance: 0.1},
		"width is 6; allowed: multiples of 4": {Width: 6},
		"buffer is 8, less than the batch 32": {Buffer: 8},
	} {
		if _, err := (tobac.Config{Engine: &flownets.GFlowNet{Training: set}}).WithDefaults(
			6); err == nil || err.Error() != want {
			t.Errorf("got error %v\nwant      %s", err, want)
		}
	}
	if _, err := (tobac.Config{Engine: flows}).WithDefaults(65); err == nil ||
		err.Error() != "the engine gflownet takes at most 64 variables, got 65; allowed: the "+
			"engines mcmc and svgd" {
		t.Errorf("65 variables: %v", err)
	}
}

// The presets are those of the papers.
func TestTrainedPresets(t *testing.T) {
	c, err := recipes.PaperBCD().WithDefaults(5)
	nets, ok := c.Engine.(*bcdnets.BCDNets)
	if err != nil || !ok || nets.Training.Steps != 30000 || nets.Training.Batch != 256 ||
		nets.Training.L2 != 1 || c.Model.String() != "linear" {
		t.Errorf("BCD Nets: %+v, error %v", c, err)
	}
	c, err = recipes.PaperGFlowNet().WithDefaults(5)
	flows, ok := c.Engine.(*flownets.GFlowNet)
	if err != nil || !ok || flows.Training.Iterations != 100_000 || flows.Training.Rate != 1e-5 ||
		flows.Training.Policy != gflownet.Paper || c.Prior.Kind != background.Fair ||
		c.Model.String() != "bge raw" {
		t.Errorf("DAG-GFlowNet: %+v, error %v", c, err)
	}
	again, err := c.WithDefaults(5)
	if diff := cmp.Diff(c, again); diff != "" || err != nil {
		t.Errorf("defaults twice (-once +twice): %s, error %v", diff, err)
	}
}
