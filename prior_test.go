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
	"tobac/autograd"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/models"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// constant is a matrix of one number off the diagonal.
func constant(d int, v float64) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	m.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0
		}
		return v
	}, m)
	return m
}

// statements are ways to say that 3 → 4 is certain and 0 → 1, 2 → 1 and 4 → 1 are
// impossible.
func statements() map[string]background.Prior {
	p := constant(5, 0.4)
	p.Set(3, 4, 1)
	p.Set(0, 1, 0)
	p.Set(2, 1, 0)
	p.Set(4, 1, 0)
	required := []dag.Edge{{From: 3, To: 4}}
	forbidden := []dag.Edge{{From: 0, To: 1}, {From: 2, To: 1}, {From: 4, To: 1}}
	return map[string]background.Prior{
		"probabilities of 0 and 1": {Probabilities: p},
		"lists":                    {Required: required, Forbidden: forbidden},
		"lists beside a family": {Kind: background.ScaleFree, Required: required,
			Forbidden: forbidden},
		"lists beside a table": {Probabilities: constant(5, 0.4), Required: required,
			Forbidden: forbidden},
		"tiers": {Tiers: []int{1, 0, 1, -1, 1}, Required: required},
	}
}

// An edge that the prior makes certain is in every draw, one that it rules out in none,
// and so say the probabilities, with every engine.
func TestCertainEdges(t *testing.T) {
	data := noisy(t)
	all := enginesTried()
	known := particles()
	known.Order = engine.Order{Known: []int{1, 0, 3, 2, 4}}
	all["svgd, known order"] = known
	given := known
	given.Engine = &sums.Exact{}
	all["exact, known order"] = given
	for statement, prior := range statements() {
		for name, cfg := range all {
			if cfg.Prior = prior; name == "bcd" {
				continue // takes no knowledge: see TestBCDRefuses
			}
			if statement != "tiers" &&
				!slices.Contains([]string{"exact", "mcmc", "svgd", "svgd over drawn orders",
					"gflownet, exact"}, name) {
				continue // what statements amount to is the same for all
			}
			res := fit(t, data, cfg)
			for m, d := range res.Draws {
				if d.Graph.Acyclic() && (!d.Graph.Has(3, 4) || d.Graph.Has(0, 1) ||
					d.Graph.Has(2, 1) || d.Graph.Has(4, 1)) {
					t.Errorf("%s, %s, draw %d: edges %v", name, statement, m, d.Graph.Edges())
				}
			}
			p := res.Probabilities
			// Impossible sets of parents may keep what rounds off in sums of all others.
			if res.Cyclic() < len(res.Draws) && !(p.At(3, 4) >= 1-1e-9) ||
				!(p.At(0, 1)+p.At(2, 1)+p.At(4, 1) <= 1e-9) {
				t.Errorf("%s, %s: probabilities %v of the certain edge, %v, %v and %v of those "+
					"ruled out", name, statement, p.At(3, 4), p.At(0, 1), p.At(2, 1), p.At(4, 1))
			}
		}
	}
}

// A bound on the number of parents holds in every draw. SVGD, which has none, says so.
func TestMaxParents(t *testing.T) {
	data := chain(t, 40).Train
	for name, cfg := range enginesTried() {
		if cfg.Prior.MaxParents = 1; name == "bcd" {
			continue
		}
		res, err := tobac.Fit(context.Background(), data, cfg)
		if isA[*stein.SVGD](cfg.Engine) || isA[*stein.DiBS](cfg.Engine) {
			if err == nil || err.Error() != "tobac: a bound on the number of parents is not a "+
				"differentiable prior, which SVGD needs; allowed: an engine that reads "+
				"node scores" {
				t.Errorf("%s: got error %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for m, d := range res.Draws {
			for j := range 5 {
				if len(d.Graph.Parents(j)) > 1 {
					t.Errorf("%s, draw %d: %d has the parents %v", name, m, j, d.Graph.Parents(j))
				}
			}
		}
	}
}

// A table of edge probabilities that are all alike is the Erdős–Rényi prior, given an
// order: it is read the same way, and switches nothing off. Exactly to rounding; the
// latents of SVGD to the rounding of another expression, over a few steps.
func TestTableOfEqualProbabilities(t *testing.T) {
	data := noisy(t)
	const edgesPerNode = 0.8
	p := 2 * edgesPerNode / 4
	order := engine.Order{Known: []int{0, 3, 1, 2, 4}}
	for _, row := range []struct {
		cfg       tobac.Config
		tolerance float64
	}{
		{tobac.Config{Order: order, Engine: &sums.Exact{}}, 1e-9},
		{tobac.Config{Order: order, Model: sem.Linear{}, Engine: &small, Seed: 7}, 1e-6},
		{tobac.Config{Order: order, Model: sem.BGe{}, Engine: &small, Seed: 7}, 1e-6},
	} {
		t.Run(fmt.Sprint(row.cfg.Engine.Engine().Name(), row.cfg.Model), func(t *testing.T) {
			row.cfg.Prior = background.Prior{EdgesPerNode: edgesPerNode}
			want := fit(t, data, row.cfg)
			row.cfg.Prior = background.Prior{Probabilities: constant(5, p)}
			got := fit(t, data, row.cfg)
			for _, m := range []struct {
				name      string
				got, want *mat.Dense
			}{{"probabilities", got.Probabilities, want.Probabilities},
				{"mean weights", got.WeightMean, want.WeightMean},
				{"spreads of weights", got.WeightSD, want.WeightSD}} {
				if (m.got == nil) != (m.want == nil) {
					t.Errorf("%s: with a table %v, without %v", m.name, m.got != nil, m.want != nil)
				} else if m.got != nil && !(largest(m.got, m.want) <= row.tolerance) {
					t.Errorf("%s differ by up to %v", m.name, largest(m.got, m.want))
				}
			}
			known := 0
			for _, e := range got.Edges() {
				if !math.IsNaN(e.WeightSD) && e.WeightSD > 0 {
					known++
				}
			}
			if known == 0 || known != len(got.Edges()) {
				t.Errorf("%d of %d edges have a spread of the weight", known, len(got.Edges()))
			}
			fractional := false
			for _, e := range got.Edges() {
				share := e.Probability * float64(small.Particles)
				fractional = fractional || math.Abs(share-math.Round(share)) > 1e-6
			}
			if !fractional {
				t.Error("probabilities are shares of the particles, want conditional probabilities")
			}
		})
	}
}

// A table of one half is the uniform prior over all graphs.
func TestTableOfHalves(t *testing.T) {
	data := noisy(t)
	want := fit(t, data, tobac.Config{Prior: background.Prior{Kind: background.Uniform}})
	got := fit(t, data, tobac.Config{Prior: background.Prior{Probabilities: constant(5, 0.5)}})
	if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 1e-12) {
		t.Errorf("probabilities differ by up to %v", diff)
	}
}

// ownPrior gives each edge the odds e⁻¹, as an expression.
type ownPrior struct{}

func (ownPrior) LogProb(g *autograd.Node) *autograd.Node { return g.Sum().Scale(-1) }

// ownModular is the same, as a product over variables too.
type ownModular struct{ ownPrior }

func (ownModular) Modular(d int) (*score.Prior, error) {
	p := score.Uniform(d)
	p.AddOdds(-1)
	return p, nil
}

// A custom prior is one for SVGD; as a product over variables it serves every
// engine, and is the built-in one that it equals.
func TestOwnPrior(t *testing.T) {
	data := noisy(t)
	const p = 0.2689414213699951 // 1/(1+e)
	own := fit(t, data, tobac.Config{Prior: background.Prior{Own: ownModular{}}})
	if own.Config.Engine.Engine().Name() != "exact" {
		t.Errorf("engine %v, want exact", own.Config.Engine)
	}
	if diff := largest(own.Probabilities,
		fit(t, data,
			tobac.Config{Prior: background.Prior{Probabilities: constant(5,
				p)}}).Probabilities); !(diff <= 1e-9) {
		t.Errorf("probabilities differ by up to %v", diff)
	}
	cfg := particles()
	cfg.Prior.Own = ownModular{}
	if got := fit(t, data, cfg); math.IsNaN(got.Edges()[0].WeightSD) {
		t.Error("a modular prior has no conditional probabilities")
	}
	cfg.Prior.Own = ownPrior{}
	if got := fit(t, data, cfg); !mat.Equal(got.Probabilities, got.Frequencies().Probabilities) {
		t.Error("without a product over variables the probabilities are no frequencies")
	}
	cfg = tobac.Config{Engine: &sums.Exact{}, Prior: background.Prior{Own: ownPrior{}}}
	if _, err := tobac.Fit(context.Background(), data, cfg); err == nil ||
		!strings.HasPrefix(err.Error(), "tobac: the graph prior is not a product over variables: "+
			"tobac_test.ownPrior; allowed: ") {
		t.Errorf("got error %v", err)
	}
	// Orders follow any prior.
	cfg = particles()
	cfg.Prior.Own, cfg.Order = models.UniformPrior(), engine.Order{Count: 3}
	if got := fit(t, data, cfg); len(got.Components) != 3 {
		t.Errorf("%d orders, want 3", len(got.Components))
	}
}

// Indicators of one variable have no edge between them with any engine, and although they
// depend on each other no warning says that the data speak against it.
func TestExclusivePairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(200, 4, nil)
	for i := range 200 {
		level := rng.IntN(3)
		if level > 0 {
			x.Set(i, level, 1)
		}
		x.Set(i, 0, rng.NormFloat64()+2*float64(level))
		x.Set(i, 3, rng.NormFloat64()+x.At(i, 0))
	}
	data := &dataset.Table{Names: []string{"a", "kind=1", "kind=2", "b"}, X: x}
	prior := background.Prior{Exclusive: []dag.Edge{{From: 1, To: 2}}}
	for name, cfg := range map[string]tobac.Config{
		"exact":  {Prior: prior},
		"chains": {Prior: prior, Engine: &markov.MCMC{Chains: 2, Iterations: 200, WarmUp: 50}},
		"svgd":   {Prior: prior, Engine: &small},
		"DiBS": {Prior: prior,
			Engine: &stein.DiBS{SVGD: stein.SVGD{Particles: 3, Samples: 4, Steps: 5}}},
		"gflownet": {Prior: prior, Engine: &flownets.GFlowNet{}},
	} {
		res := fit(t, data, cfg)
		if p, q := res.Probabilities.At(1, 2), res.Probabilities.At(2, 1); p != 0 || q != 0 {
			t.Errorf("%s: probabilities %v and %v, want 0", name, p, q)
		}
		if slices.ContainsFunc(res.Warnings, func(w string) bool {
			return strings.Contains(w, "speak against")
		}) {
			t.Errorf("%s: warnings %q", name, res.Warnings)
		}
	}
	if free := fit(t, data, tobac.Config{}); free.Probabilities.At(1, 2)+
		free.Probabilities.At(2, 1) < 0.5 {
		t.Error("the indicators do not depend on each other: the test shows nothing")
	}
}
