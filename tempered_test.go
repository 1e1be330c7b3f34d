package tobac_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// The engine tempering gives a posterior that fits together: draws along the order with whole
// networks, effects and held-out densities, the same bits for any number of workers and after a
// resume.
func TestTempering(t *testing.T) {
	sim := chain(t, 40)
	for name, cfg := range map[string]tobac.Config{
		"known order": {Order: engine.Order{Known: []int{0, 1, 2, 3, 4}},
			Model: sem.FeedForward{NoiseVariance: 0.1}},
		"scaled": {Order: engine.Order{Method: ordering.MethodEqVar},
			Model: sem.FeedForward{Hidden: []int{2}, Activation: models.Tanh}},
		"several": {Order: engine.Order{Method: ordering.MethodEqVar, Count: 3},
			Model: sem.FeedForward{Hidden: []int{2}, NoBias: true}},
		"over orders": {Model: sem.FeedForward{NoiseVariance: 0.1},
			Prior: background.Prior{MaxParents: 2}},
		"over orders, scaled": {Model: sem.FeedForward{Hidden: []int{2}, Activation: models.Tanh}},
		"with interventions": {Order: engine.Order{Known: []int{0, 1, 2, 3, 4}},
			Model: sem.FeedForward{Hidden: []int{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			train := *sim.Train
			_, d := train.X.Dims()
			if cfg.Order.Known != nil {
				cfg.Order.Known = cfg.Order.Known[:d:d]
			}
			if name == "with interventions" || name == "over orders, scaled" {
				n, _ := train.X.Dims()
				marks := mat.NewDense(n, d, nil)
				marks.Set(0, 1, 1)
				train.Intervened = marks
			}
			overOrders := cfg.Order.Known == nil && cfg.Order.Method == nil
			tempering := new(neural.Tempering)
			if !overOrders {
				tempering.Iterations, tempering.Rungs = 120, 4
			}
			cfg.Engine, cfg.Seed = tempering, 3
			cfg.Workers = 1
			run := newRun(t, &train, cfg)
			r := result(t, run)
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
			other := cfg
			other.Workers = 3
			if s := fit(t, &train, other); !mat.Equal(s.Probabilities, r.Probabilities) ||
				cmp.Diff(s.Draws[7].Parameters, r.Draws[7].Parameters) != "" {
				t.Error("another posterior with 3 workers")
			}
			// x1 follows x0
			if s := r.Probabilities.At(0, 1) + r.Probabilities.At(1, 0); !(s > 0.9) {
				t.Errorf("probability %v of a strong edge", s)
			}
			_, density := must.Two(drawn.LogDensity(r.Posterior, cfg.Model, &train))(t)
			for m, draw := range r.Draws {
				if r.Order() != nil && !follows(draw.Graph, r.Order()) {
					t.Fatalf("draw %d does not follow the order", m)
				}
				if !near(density[m], draw.LogLikelihood) || math.IsNaN(draw.LogPrior) {
					t.Fatalf("draw %d: log densities %v and %v, want %v", m, draw.LogPrior,
						draw.LogLikelihood, density[m])
				}
			}
			if _, _, err := drawn.LogDensity(r.Posterior, cfg.Model, sim.Heldout); err != nil {
				t.Error(err)
			}
			if _, err := r.Effects(context.Background()); err != nil {
				t.Error(err)
			}
			if run.Steps() != 0 {
				t.Errorf("%d steps, want none", run.Steps())
			}
			snapshot := must.Get(run.Snapshot())(t)
			if err := run.Restore(context.Background(), snapshot); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTemperingErrors(t *testing.T) {
	order := engine.Order{Known: []int{0, 1, 2}}
	data := table(9, 3, []string{"a", "b", "c"}, generic)
	for _, c := range []struct {
		cfg  tobac.Config
		want string
	}{
		{tobac.Config{Order: order}, "tobac: the engine tempering is for networks, and no model " +
			"is named; allowed: the model ffn"},
		{tobac.Config{Order: order, Model: sem.BGe{}}, "tobac: the engine tempering is for " +
			"networks, got the model bge; allowed: the model ffn"},
		{tobac.Config{Order: order, Model: sem.FeedForward{Hidden: []int{2, 2}}},
			"tobac: the engine tempering takes networks with one hidden layer, got 2; allowed: " +
				"the engine svgd"},
		{tobac.Config{Order: order, Model: sem.FeedForward{Output: models.IntegratedOutput}},
			"tobac: the engine tempering always integrates the output layer out; leave its " +
				"setting to the engine svgd"},
		{tobac.Config{Order: engine.Order{Count: 3}, Model: sem.FeedForward{}},
			"tobac: the engine tempering sums over all orders, got a number of orders to draw; " +
				"allowed: a method that finds orders, or the engine svgd"},
		{tobac.Config{Order: order, Model: sem.FeedForward{},
			Engine: &neural.Tempering{Iterations: 3}},
			"tobac: the engine tempering needs at least 40 iterations, got 3"},
		{tobac.Config{Order: order, Model: sem.FeedForward{}, Engine: &neural.Tempering{Rungs: 1}},
			"tobac: the engine tempering needs at least 2 rungs, got 1"},
	} {
		if c.cfg.Engine == nil {
			c.cfg.Engine = &neural.Tempering{}
		}
		if _, err := tobac.Fit(context.Background(), data, c.cfg); err == nil ||
			err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A constant added to all columns and another unit for all change nothing over all orders, also
// where one noise variance is in their units.
func TestNetworksDoNotMindUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(80, 3, nil)}
	data.X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, data.X)
	cfg := tobac.Config{Model: sem.FeedForward{Hidden: []int{3}}, Seed: 3}
	want := fit(t, data, cfg)
	if want.Config.Model.(sem.FeedForward).NoiseVariance == 0 {
		t.Fatal("each equation has a noise variance of its own")
	}
	for _, to := range []func(float64) float64{
		func(v float64) float64 { return v + 1000 },
		func(v float64) float64 { return 1e-6 * v },
		func(v float64) float64 { return 1e6 * (v - 3) },
	} {
		x := mat.DenseCopyOf(data.X)
		x.Apply(func(_, _ int, v float64) float64 { return to(v) }, x)
		got := fit(t, &dataset.Table{Names: data.Names, X: x}, cfg)
		if !mat.EqualApprox(got.Probabilities, want.Probabilities, 1e-3) {
			t.Errorf("1 becomes %v: probabilities\n%v, want\n%v", to(1),
				mat.Formatted(got.Probabilities), mat.Formatted(want.Probabilities))
		}
		if v, w := got.Config.Model.String(), want.Config.Model.String(); v != w {
			t.Errorf("1 becomes %v: model %s, want %s", to(1), v, w)
		}
	}
}

// Where the two halves of the particles do not agree on an edge, more particles and sweeps make
// them.
func TestHalvesAgree(t *testing.T) {
	refined := 0
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 5, EdgesPerNode: 1.8, Seed: 19}))(t)
	s := must.Get(dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 100, Seed: 19}))(t)
	r := fit(t, s.Train,
		tobac.Config{Model: sem.FeedForward{}, Seed: 5, Progress: func(p engine.Progress) {
			if strings.Contains(p.Doing, "more precisely") {
				refined++
			}
		}})
	var mean, most float64
	_, text, _ := strings.Cut(r.Sum, "edge probabilities differ by ")
	if _, err := fmt.Sscanf(text, "%g on average and %g at most", &mean, &most); err != nil {
		t.Fatalf("%q: %v", r.Sum, err)
	}
	k := slices.IndexFunc(r.Checks, func(c diagnostics.Check) bool { return c.Name == "halves" })
	if k < 0 || math.Abs(r.Checks[k].Value-most) > 0.005 || r.Checks[k].Verdict != diagnostics.OK {
		t.Errorf("checks %+v, want one of halves that differ by %v", r.Checks, most)
	}
	if most > 0.15 || mean > most {
		t.Errorf("edge probabilities by either half differ by %v on average and %v at most", mean,
			most)
	}
	if refined == 0 {
		t.Error("no estimate was refined: the data set is too easy for this test")
	}
}

// More variables than can be summed over have chains over the graphs of the table: the same bits
// for any number of workers and after a resume.
func TestNetworksOfManyVariables(t *testing.T) {
	const d = 21
	g := dag.New(d)
	for j := range d - 1 {
		g.Set(j, j+1, j%3 > 0)
	}
	s := must.Get(dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 20, Seed: 3}))(t)
	cfg := tobac.Config{Model: sem.FeedForward{Hidden: []int{2}},
		Prior: background.Prior{MaxParents: 1}, Seed: 3,
		Engine: &neural.Tempering{Chains: markov.MCMC{Chains: 2, Iterations: 300, WarmUp: 100,
			Candidates: 8}}}
	for i := range d {
		for j := range d {
			if i-j > 1 || j-i > 2 { // fewer sets to estimate
				cfg.Prior.Forbidden = append(cfg.Prior.Forbidden, dag.Edge{From: i, To: j})
			}
		}
	}
	first := newRun(t, s.Train, cfg)
	if c := first.Config(); !isA[*neural.Tempering](c.Engine) || first.Steps() != 400 {
		t.Fatalf("engine %v with %d steps, want tempering with 400", c.Engine, first.Steps())
	}
	advance(t, first, 200)
	text := state(t, first)
	advance(t, first, first.Steps())
	want := result(t, first)
	cfg.Workers = 3
	second := newRun(t, s.Train, cfg)
	must.Do(t, second.Restore(context.Background(), parsed(t, text)))
	advance(t, second, second.Steps())
	got := result(t, second)
	sameBits(t, "resumed", got, want)

	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"halves", "held", "r_hat"} {
		if !slices.ContainsFunc(got.Checks, func(c diagnostics.Check) bool {
			return c.Name == name
		}) {
			t.Errorf("no check %q among %+v", name, got.Checks)
		}
	}
	for _, draw := range got.Draws {
		if len(draw.Parameters) == 0 || math.IsNaN(draw.LogLikelihood) {
			t.Fatalf("a draw has %d parameters and log likelihood %v", len(draw.Parameters),
				draw.LogLikelihood)
		}
	}
	if auroc, eshd := metrics.AUROC(got.Probabilities, g, metrics.OffDiagonal),
		metrics.ESHDOfEdges(got.Probabilities, g); auroc < 0.9 || eshd > 8 {
		t.Errorf("AUROC %.3f, expected SHD %.1f of a graph with %d edges", auroc, eshd, g.Size())
	}
}
