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
	"tobac/engine/flownets"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/graphfile"
	"tobac/internal/must"
	"tobac/internal/reference"
	"tobac/internal/scoretest"
	"tobac/models"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func referenceOf(t testing.TB, data *dataset.Table, r *tobac.Result) *reference.Posterior {
	t.Helper()
	return must.Get(reference.New(context.Background(), data, r))(t)
}

func compared(t testing.TB, ref *reference.Posterior, p *posterior.Posterior) reference.Comparison {
	t.Helper()
	return must.Get(ref.Compare(context.Background(), p))(t)
}

// Every engine has a reference. That of exact sums has the same probabilities, to the bit, and that
// of exact flows those of other sums; the mean log density of draws is that of the reference within
// four standard errors. Chains come near.
func TestReferenceOfEveryEngine(t *testing.T) {
	data := chain(t, 60).Train
	configs := enginesTried()
	known := tobac.Config{Engine: &sums.Exact{}, Order: engine.Order{Known: []int{0, 1, 2, 3, 4}},
		Seed: 7}
	configs["exact, known order"] = known
	known.Prior = background.Prior{Kind: background.Fair}
	known.Engine, known.Model = &flownets.GFlowNet{}, sem.BGe{}
	configs["exact flows, known order"] = known
	most := map[string]float64{"exact flows, known order": 1e-9, "gflownet, exact": 1e-9,
		"mcmc": 0.03}
	for _, name := range []string{"auto", "exact", "exact, known order"} {
		most[name] = 0
	}
	for name, cfg := range configs {
		if _, networks := cfg.Model.(sem.FeedForward); networks {
			continue // see TestReferenceGivenOrders
		}
		t.Run(name, func(t *testing.T) {
			r := fit(t, data, cfg)
			ref := referenceOf(t, data, r)
			c := compared(t, ref, r.Posterior)
			if ref.Engine != "exact" || ref.StandardError != 0 || len(ref.Notes) == 0 {
				t.Errorf("engine %v, standard error %v, notes %q; want sums", ref.Engine,
					ref.StandardError, ref.Notes)
			}
			limit, near := most[name]
			if !near {
				if !(c.MeanAbsError > 0 && c.MeanAbsError < 0.6) ||
					math.IsNaN(c.LogProbDifference) != (r.Cyclic() == len(r.Draws)) {
					t.Errorf("%+v", c)
				}
				return
			}
			if !(c.MeanAbsError <= limit) || !(math.Abs(c.LogProbDifference) <= 4*c.LogProbError) {
				t.Errorf("%+v, want at most %v and 4 standard errors", c, limit)
			}
			r.Config.Workers = 3
			if again := referenceOf(t, data, r); !mat.Equal(again.Probabilities,
				ref.Probabilities) || compared(t, again, r.Posterior) != c {
				t.Error("another reference with 3 workers")
			}
		})
	}
}

// The mean log joint density is the sum over all graphs: that of a single graph less the
// posterior's mean is known.
func TestReferenceLogProbability(t *testing.T) {
	const d = 4
	data := weak(20, d, 3)
	model := sem.Linear{NoiseVariance: 0.8}
	r := fit(t, data, tobac.Config{Model: model, Prior: background.Prior{EdgesPerNode: 0.5},
		Engine: &sums.Exact{}})
	ref := referenceOf(t, data, r)
	prior := must.Get(score.Sparse(d, 0.5))(t)
	all := must.Get(nodeScores(model).Hypotheses(context.Background(), data, prior, 1))(t)
	graphs := scoretest.Graphs(d)
	logs := make([]float64, len(graphs))
	for k, g := range graphs {
		for j := range d {
			logs[k] += all[0].Scores.LogScore(j, g.Parents(j)) + prior.LogPrior(j, g.Parents(j))
		}
	}
	total, mean := floats.LogSumExp(logs), 0.0
	for _, v := range logs {
		mean += math.Exp(v-total) * v
	}
	for _, k := range []int{0, 17, len(graphs) - 1} {
		p := graphfile.FromGraphs(data.Names, []*dag.Graph{graphs[k]})
		if c := compared(t, ref,
			p); math.Abs(c.LogProbDifference-(logs[k]-mean)) > 4*c.LogProbError {
			t.Errorf("graph %d: %+v, want the difference %v", k, c, logs[k]-mean)
		}
	}
}

// A posterior under orders that a method found is compared given them, and only on pairs that they
// allow; networks are compared with tempered chains.
func TestReferenceGivenOrders(t *testing.T) {
	data := noisy(t)
	r := fit(t, data, several())
	ref := referenceOf(t, data, r)
	if len(r.Components) < 2 || !strings.HasPrefix(ref.Notes[0], "given each of the") {
		t.Fatalf("%d components, notes %q", len(r.Components), ref.Notes)
	}
	want := mat.NewDense(5, 5, nil)
	for _, c := range r.Components {
		one := fit(t, data, tobac.Config{Model: sem.Linear{NoiseVariance: c.NoiseVariance},
			Prior: background.Prior{EdgesPerNode: r.EdgesPerNode}, Engine: &sums.Exact{},
			Order: engine.Order{Known: c.Order}})
		var part mat.Dense
		part.Scale(c.Weight, one.Probabilities)
		want.Add(want, &part)
	}
	if !mat.EqualApprox(ref.Probabilities, want, 1e-12) {
		t.Errorf("got\n%v\nwant\n%v", mat.Formatted(ref.Probabilities), mat.Formatted(want))
	}
	networks := tobac.Config{Engine: &neural.Tempering{Iterations: 200, Rungs: 4},
		Model: sem.FeedForward{Hidden: []int{2}, NoiseVariance: 0.1},
		Order: engine.Order{Known: []int{0, 1, 2, 3, 4}}}
	r = fit(t, data, networks)
	ref = referenceOf(t, data, r)
	if c := compared(t, ref, r.Posterior); ref.Engine != "tempering" ||
		!(c.MeanAbsError > 0 && c.MeanAbsError < 0.1) ||
		!(math.Abs(c.LogProbDifference) < 4*c.LogProbError+0.5) {
		t.Errorf("engine %v: %+v", ref.Engine, c)
	}
	networks.Engine = &small
	networks.Model = sem.FeedForward{Hidden: []int{2}, NoiseVariance: 0.1,
		Output: models.IntegratedOutput}
	networks.Order.Known = []int{2, 1, 0}
	few := weak(18, 3, 1)
	r = fit(t, few, networks)
	if c := compared(t, referenceOf(t, few, r), r.Posterior); !(c.MeanAbsError > 0) {
		t.Errorf("particles of networks: %+v", c)
	}
	networks.Order.Known, networks.Order.Count, networks.Model = nil, 1,
		sem.FeedForward{Hidden: []int{2}, NoiseVariance: 0.1}
	r = fit(t, few, networks)
	if ref = referenceOf(t, few, r); ref.Engine != "tempering" ||
		ref.Notes[0] != "over all orders and graphs" {
		t.Errorf("engine %v, notes %q; want networks over orders", ref.Engine, ref.Notes)
	}
	if c := compared(t, ref, r.Posterior); !(c.MeanAbsError > 0) ||
		math.IsInf(c.LogProbDifference, 0) || math.IsNaN(c.LogProbDifference) {
		t.Errorf("particles of networks over orders: %+v", c)
	}
}

// What has no reference is refused in one line that says why.
func TestReferenceRefuses(t *testing.T) {
	_, err := reference.New(context.Background(), chain(t, 40).Train,
		&tobac.Result{Imputation: &tobac.Imputation{}})
	if want := "no common reference"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("completed tables: got %v, want %q", err, want)
	}
	cfg := tobac.Config{Model: sem.BGe{}, Engine: &stein.SVGD{},
		Order: engine.Order{Method: ordering.MethodEqVar}}
	_, err = reference.New(context.Background(), chain(t, 40).Train,
		&tobac.Result{Config: cfg, Outcome: engine.Outcome{Posterior: &posterior.Posterior{}}})
	if err == nil ||
		!strings.Contains(err.Error(), "no order of those that the method eqvar found") {
		t.Errorf("a posterior without components: %v", err)
	}
}
