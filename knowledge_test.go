package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/priors"
	"tobac/internal/priortest"
	"tobac/internal/scoretest"
	"tobac/ordering"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "tobac/internal/rapidseed"
)

// listed are the posterior edge probabilities by listing all acyclic graphs that
// keep accepts, with the scores of a model that has one hypothesis.
func listed(t failer, data *dataset.Table, m sem.Model, p *background.Prior,
	keep func(*dag.Graph) bool) *mat.Dense {
	t.Helper()
	d := len(data.Names)
	h, err := nodeScores(m).Hypotheses(context.Background(), data, score.Uniform(d), 1)
	if err != nil || len(h) != 1 {
		t.Fatalf("%d hypotheses, %v", len(h), err)
	}
	local := map[[2]int]float64{}
	logScore := func(g *dag.Graph) (sum float64) {
		for j := range d {
			set := 0
			for _, i := range g.Parents(j) {
				set |= 1 << i
			}
			v, ok := local[[2]int{j, set}]
			if !ok {
				v = h[0].Scores.LogScore(j, g.Parents(j))
				local[[2]int{j, set}] = v
			}
			sum += v
		}
		return sum
	}
	var graphs []*dag.Graph
	var logs []float64
	for _, g := range scoretest.Graphs(d) {
		if v := priortest.LogProb(p, g); !math.IsInf(v, -1) && keep(g) {
			graphs, logs = append(graphs, g), append(logs, v+logScore(g))
		}
	}
	most, total := slices.Max(logs), 0.0
	edges := mat.NewDense(d, d, nil)
	for k, g := range graphs {
		w := math.Exp(logs[k] - most)
		total += w
		for _, e := range g.Edges() {
			edges.Set(e.From, e.To, edges.At(e.From, e.To)+w)
		}
	}
	edges.Scale(1/total, edges)
	return edges
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

func anyGraph(*dag.Graph) bool { return true }

// fulfilled asserts that every acyclic draw, and what is listed, agrees with the
// statements, and that fixed edges have the probabilities 0 and 1 to the last bit.
func fulfilled(t failer, what string, res *tobac.Result, p *background.Prior) {
	t.Helper()
	d := len(res.Names)
	if post := res.Posterior; post.Cyclic() < len(post.Draws) {
		for m, draw := range post.Draws {
			if draw.Graph.Acyclic() && math.IsInf(priortest.LogProb(p, draw.Graph), -1) {
				t.Fatalf("%s: draw %d has the edges %v, against %v", what, m, draw.Graph.Edges(), p)
			}
		}
		fixed := p.Fixed(d)
		for i := range d {
			for j := range d {
				got, f := post.Probabilities.At(i, j), fixed.At(i, j)
				if !math.IsNaN(f) && got != f {
					t.Fatalf("%s: probability of %d → %d is %v, but it is fixed at %v by %v", what,
						i, j, got, f, p)
				}
				if slices.Contains(p.Required, dag.Edge{From: i, To: j}) && got != 1 || i != j &&
					!priortest.Allows(p, dag.Edge{From: i, To: j}) && got != 0 {
					t.Fatalf("%s: probability of %d → %d is %v against %v", what, i, j, got, p)
				}
			}
		}
		for _, c := range post.Components {
			if len(c.Order) == 0 {
				continue
			}
			position := dag.Inverse(c.Order)
			for _, e := range p.Required {
				if position[e.From] > position[e.To] {
					t.Fatalf("%s: order %v against %d → %d", what, c.Order, e.From, e.To)
				}
			}
		}
	}
}

// single are models with one hypothesis.
var single = []sem.Model{sem.Linear{NoiseVariance: 0.5, EdgeVariance: 1}, sem.BGe{AlphaLambda: 8},
	sem.BGe{Raw: true}}

// Over all graphs, and over those along a known order, the engine exact gives the
// posterior that listing every graph gives, under random statements of every kind.
func TestExactWithKnowledge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(2, 4).Draw(t, "d")
		data, m := weak(20, d, rng.Uint64()), single[rng.IntN(len(single))]
		p := priortest.Draw(rng, d)
		cfg := tobac.Config{Model: m, Prior: p, Engine: &sums.Exact{}, Seed: 1}
		res, err := tobac.Fit(context.Background(), data, cfg)
		if err != nil {
			t.Fatalf("%v under %v", err, &p)
		}
		if want := listed(t, data, m, &p, anyGraph); largest(res.Probabilities, want) > 1e-10 {
			t.Fatalf("under %v:\n got %v\nwant %v", &p, mat.Formatted(res.Probabilities),
				mat.Formatted(want))
		}
		fulfilled(t, "exact", res, &p)
		known := aKnownOrder(t, &p, d, rng)
		cfg.Order.Known = known
		if res, err = tobac.Fit(context.Background(), data, cfg); err != nil {
			t.Fatalf("%v along %v under %v", err, known, &p)
		}
		want := listed(t, data, m, &p, func(g *dag.Graph) bool { return follows(g, known) })
		if largest(res.Probabilities, want) > 1e-10 {
			t.Fatalf("along %v under %v:\n got %v\nwant %v", known, &p,
				mat.Formatted(res.Probabilities), mat.Formatted(want))
		}
		fulfilled(t, "along an order", res, &p)
	})
}

// aKnownOrder is a random order that agrees with the statements.
func aKnownOrder(t failer, p *background.Prior, d int, rng *rand.Rand) []int {
	t.Helper()
	names := []string{"a", "b", "c", "d", "e"}[:d]
	for range 1000 {
		if order := rng.Perm(d); p.CheckTogether(names, order) == nil {
			return order
		}
	}
	t.Fatalf("no order agrees with %v", p)
	return nil
}

// Chains give the same to their standard error: with 2 × 1500 iterations below 0.03 for
// every probability; four of them are allowed, and fixed edges are exact.
func TestChainsWithKnowledge(t *testing.T) {
	worst := 0.0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := 3 + int(seed%2)
		data, m := weak(20, d, seed), single[int(seed)%len(single)]
		p := priortest.Draw(rng, d)
		cfg := tobac.Config{Model: m, Prior: p, Seed: seed,
			Engine: &markov.MCMC{Chains: 2, Iterations: 1500, WarmUp: 200, Rungs: 2}}
		if seed%3 == 0 {
			cfg.Engine.(*markov.MCMC).Candidates = 1 // required parents are candidates all the same
		}
		res := fit(t, data, cfg)
		diff := largest(res.Probabilities, listed(t, data, m, &p, anyGraph))
		worst = math.Max(worst, diff)
		if diff > 0.12 {
			t.Errorf("seed %d: probabilities differ by up to %v under %v", seed, diff, &p)
		}
		fulfilled(t, fmt.Sprint("chains, seed ", seed), res, &p)
	}
	t.Logf("probabilities differ by up to %.3f", worst)
}

// With SVGD the statements hold in every particle, and in what is listed, under orders from the
// posterior, from a method, from resamples and under a known one, and without an order.
func TestParticlesWithKnowledge(t *testing.T) {
	svgd := stein.SVGD{Particles: 7, Samples: 8, Steps: 6, AlphaRate: 0.5}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		d := 3 + int(seed%2)
		data, p := weak(25, d, seed), priortest.Draw(rng, d)
		p.MaxParents = 0
		for name, order := range map[string]engine.Order{
			"drawn": {Count: 2}, "eqvar": {Method: ordering.MethodEqVar},
			"npvar": {Method: ordering.MethodNPVar}, "score": {Method: ordering.MethodSCORE},
			"resamples": {Method: ordering.MethodEqVar, Count: 6},
			"known":     {Known: aKnownOrder(t, &p, d, rng)}, "dibs": {},
		} {
			models := []sem.Model{sem.Linear{}, sem.BGe{}, sem.FeedForward{Hidden: []int{2}}}
			cfg := tobac.Config{Model: models[seed%3], Prior: p, Order: order, Engine: &svgd,
				Seed: seed}
			if name == "dibs" {
				cfg.Engine = &stein.DiBS{SVGD: svgd}
			}
			res, err := tobac.Fit(context.Background(), data, cfg)
			if err != nil {
				t.Fatalf("seed %d, %s, %v: %v", seed, name, cfg.Model, err)
			}
			fulfilled(t, fmt.Sprint("seed ", seed, ", ", name), res, &p)
		}
	}
}

// Soft odds are those of a table of edge probabilities, to SVGD as to the others: a table
// of p with the odds o for an edge is one with op/(1−p+op) there.
func TestOddsAreThoseOfATable(t *testing.T) {
	data := noisy(t)
	const p, odds = 0.4, 5.0
	table := constant(5, p)
	table.Set(2, 3, odds*p/(1-p+odds*p))
	order := engine.Order{Known: []int{0, 2, 1, 3, 4}}
	dibs := tobac.Config{Model: sem.Linear{}, Engine: &stein.DiBS{SVGD: small}, Seed: 7}
	for name, cfg := range map[string]tobac.Config{
		"exact": {}, "exact along an order": {Order: order, Engine: &sums.Exact{}}, "dibs": dibs,
		"gflownet":                {Model: sem.BGe{}, Engine: &flownets.GFlowNet{}},
		"gflownet along an order": {Model: sem.BGe{}, Order: order, Engine: &flownets.GFlowNet{}},
		"svgd":                    {Order: order, Model: sem.Linear{}, Engine: &small, Seed: 7},
	} {
		cfg.Prior = background.Prior{Probabilities: table}
		want := fit(t, data, cfg)
		cfg.Prior = background.Prior{Probabilities: constant(5, p),
			Odds: []background.EdgeOdds{{From: 2, To: 3, Odds: odds}}}
		got := fit(t, data, cfg)
		if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 1e-9) {
			t.Errorf("%s: probabilities differ by up to %v", name, diff)
		}
		cfg.Prior.Odds = nil
		if without := fit(t, data, cfg); name != "dibs" &&
			largest(got.Probabilities, without.Probabilities) < 1e-3 {
			t.Errorf("%s: odds change nothing", name)
		}
	}
}

// Relabelling the columns and the statements relabels the posterior.
func TestKnowledgeIsEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		d := rapid.IntRange(2, 4).Draw(t, "d")
		data, p := weak(20, d, rng.Uint64()), priortest.Draw(rng, d)
		relabel := rng.Perm(d)
		position := dag.Inverse(relabel)
		q := priortest.At(p, position)
		cfg := tobac.Config{Model: sem.BGe{AlphaLambda: 9}, Engine: &sums.Exact{}, Prior: p}
		want := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
		cfg.Prior = q
		got := must.Get(tobac.Fit(context.Background(), data.Relabel(relabel), cfg))(t)
		before := must.Get(priors.Precedence(&p, d))(t)
		after := must.Get(priors.Precedence(&q, d))(t)
		for a, i := range relabel {
			for b, j := range relabel {
				if math.Abs(got.Probabilities.At(a, b)-want.Probabilities.At(i, j)) > 1e-9 {
					t.Fatalf("probability of %d → %d is %v, and %v relabelled, under %v", i, j,
						want.Probabilities.At(i, j), got.Probabilities.At(a, b), &p)
				}
			}
		}
		for range 20 {
			order := rng.Perm(d)
			moved := make([]int, d)
			for c, j := range order {
				moved[c] = position[j]
			}
			if allows := func(p *ordering.Precedence, order []int) bool {
				return p == nil || p.Allows(order)
			}; allows(before, order) != allows(after, moved) {
				t.Fatalf("order %v, relabelled %v", order, moved)
			}
		}
	})
}

// A run refuses statements that no graph fulfils, in the names of the data.
func TestContradictingPriors(t *testing.T) {
	_, err := tobac.NewRun(context.Background(), chain(t, 40).Train, tobac.Config{
		Order: engine.Order{Known: []int{4, 3, 2, 1, 0}},
		Prior: background.Prior{Required: []dag.Edge{{From: 1, To: 3}}}})
	const want = "tobac: conflicting background knowledge: X1 → X3 is required, but the known " +
		"order puts X3 before X1"
	if err == nil || err.Error() != want || !errors.As(err, new(*background.ContradictionError)) {
		t.Errorf("got error %v\nwant      %s", err, want)
	}
}

// A certain edge that some order of the resamples contradicts binds them all.
func TestCertainEdgeBindsEveryOrder(t *testing.T) {
	data := noisy(t)
	precedes := resampledOrders(t, data, several()).Precedes()
	for i := range 5 {
		for j := range 5 {
			if p := precedes.At(i, j); p == 0 || p == 1 {
				continue
			}
			cfg := several()
			cfg.Prior.Required = []dag.Edge{{From: i, To: j}}
			if p := resampledOrders(t, data, cfg).Precedes().At(i, j); p != 1 {
				t.Errorf("certain edge %d → %d: precedes with the frequency %v", i, j, p)
			}
			return
		}
	}
	t.Fatal("all orders agree")
}

// byIndex is an orderer of one's own that knows of no precedence.
type byIndex struct{}

func (byIndex) Order(ctx context.Context, x mat.Matrix, _ *ordering.Precedence,
	workers int) (*ordering.Result, error) {
	_, d := x.Dims()
	order := make([]int, d)
	for j := range order {
		order[j] = j
	}
	return ordering.Fixed(order).Order(ctx, x, nil, workers)
}

// A custom orderer that ignores the precedence is used where what it finds agrees, and
// refused by name where it does not.
func TestUnboundOrderer(t *testing.T) {
	cfg := particles()
	cfg.Order.Method = byIndex{}
	cfg.Prior.Required = []dag.Edge{{From: 1, To: 3}}
	fulfilled(t, "agrees", fit(t, noisy(t), cfg), &cfg.Prior)
	cfg.Prior.Required = []dag.Edge{{From: 3, To: 1}}
	_, err := tobac.NewRun(context.Background(), noisy(t), cfg)
	if want := "tobac: the graph prior makes the edge X3 → X1 certain, but the causal order puts " +
		"X1 first; give an order that agrees"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// Chains with fewer candidates than variables, which then come from short chains, keep what
// is required, and what SVGD samples beside them agrees too.
func TestManyVariablesWithKnowledge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	wide := table(60, 22, nil, func(int, int) float64 { return rng.NormFloat64() })
	for j := range 22 {
		wide.Names = append(wide.Names, fmt.Sprint("v", j))
	}
	p := background.Prior{Tiers: slices.Repeat([]int{0, 1}, 11), Sinks: []int{21},
		Sources: []int{4}, Forbidden: []dag.Edge{{From: 0, To: 1}},
		Odds: []background.EdgeOdds{{From: 2, To: 3, Odds: 1000}, {From: 6, To: 5, Odds: 0.001}}}
	for i := range 6 {
		p.Required = append(p.Required, dag.Edge{From: 2 * i, To: 13})
	}
	cfg := tobac.Config{Model: sem.BGe{AlphaLambda: 26}, Prior: p,
		Engine: &markov.MCMC{Chains: 1, Iterations: 60, WarmUp: 40, Candidates: 4, Rungs: 2}}
	res := fit(t, wide, cfg)
	fulfilled(t, "chains", res, &p)
	if res.Probabilities.At(2, 3) < 0.5 || res.Probabilities.At(6, 5) > 0.05 {
		t.Errorf("odds of 1000 and 1/1000 give %v and %v", res.Probabilities.At(2, 3),
			res.Probabilities.At(6, 5))
	}
	drawn := tobac.Config{Model: sem.Linear{}, Prior: p, Order: engine.Order{Count: 1},
		Engine: &stein.SVGD{OrderEngine: cfg.Engine, Particles: 2, Samples: 2, Steps: 2, Rank: 2}}
	fulfilled(t, "orders from chains", fit(t, wide, drawn), &p)
}
