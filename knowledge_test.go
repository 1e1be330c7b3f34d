package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/ordering"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "tobac/internal/rapidseed"
)

// drawPrior draws statements of every kind about d variables that some graph fulfils: those
// that a hidden graph does.
func drawPrior(rng *rand.Rand, d int) tobac.Prior {
	hidden, order := dag.New(d), rng.Perm(d)
	for a, i := range order {
		for _, j := range order[a+1:] {
			hidden.Set(i, j, rng.IntN(2) == 0)
		}
	}
	p := tobac.Prior{Kind: []tobac.PriorKind{tobac.Uniform, tobac.Fair, tobac.ScaleFree}[rng.IntN(3)]}
	if rng.IntN(3) == 0 {
		p.Tiers = make([]int, d)
		cut := rng.IntN(d)
		for c, j := range order {
			switch {
			case rng.IntN(4) == 0:
				p.Tiers[j] = -1
			case c > cut:
				p.Tiers[j] = 1
			}
		}
	}
	for j := range d {
		if len(hidden.Children(j)) == 0 && rng.IntN(3) == 0 {
			p.Sinks = append(p.Sinks, j)
		}
		if len(hidden.Parents(j)) == 0 && rng.IntN(3) == 0 {
			p.Sources = append(p.Sources, j)
		}
	}
	most := 0
	for i := range d {
		most = max(most, len(hidden.Parents(i)))
		for j := range d {
			if i == j {
				continue
			}
			e, chance := dag.Edge{From: i, To: j}, rng.Float64()
			switch {
			case hidden.Has(i, j) && chance < 0.3:
				p.Required = append(p.Required, e)
			case !hidden.Has(i, j) && chance < 0.3:
				p.Forbidden = append(p.Forbidden, e)
			case chance < 0.6 && allows(&p, e):
				p.Odds = append(p.Odds, tobac.EdgeOdds{From: i, To: j, Odds: min(max(math.Exp(2*rng.NormFloat64()), 0.001), 1000)})
			}
		}
	}
	if rng.IntN(4) == 0 && most > 0 {
		p.MaxParents = most
	}
	if rng.IntN(3) == 0 {
		p.Kind, p.Probabilities = tobac.Sparse, mat.NewDense(d, d, nil)
		p.Probabilities.(*mat.Dense).Apply(func(i, j int, _ float64) float64 {
			if hidden.Has(i, j) == (rng.IntN(2) == 0) && !slices.ContainsFunc(p.Odds, func(o tobac.EdgeOdds) bool { return o.From == i && o.To == j }) && rng.IntN(4) == 0 {
				return map[bool]float64{false: 0, true: 1}[hidden.Has(i, j)]
			}
			return 0.1 + 0.8*rng.Float64()
		}, p.Probabilities)
	}
	return p
}

// allows reports whether the statements leave an edge open, by their definition.
func allows(p *tobac.Prior, e dag.Edge) bool {
	tiers := p.Tiers != nil && p.Tiers[e.From] >= 0 && p.Tiers[e.To] >= 0 && p.Tiers[e.From] > p.Tiers[e.To]
	return !tiers && !slices.Contains(p.Forbidden, e) && !slices.Contains(p.Sinks, e.From) && !slices.Contains(p.Sources, e.To)
}

// logPrior is ln p(G) up to a constant, by the definition of every statement; −Inf where
// the graph contradicts one.
func logPrior(p *tobac.Prior, g *dag.Graph) float64 {
	d, sum := g.Len(), 0.0
	for _, e := range p.Required {
		if !g.Has(e.From, e.To) {
			return math.Inf(-1)
		}
	}
	for _, e := range g.Edges() {
		if !allows(p, e) {
			return math.Inf(-1)
		}
		for _, o := range p.Odds {
			if o.From == e.From && o.To == e.To {
				sum += math.Log(o.Odds)
			}
		}
	}
	for j := range d {
		k := len(g.Parents(j))
		if p.MaxParents > 0 && k > p.MaxParents {
			return math.Inf(-1)
		}
		for i := range d {
			if p.Probabilities != nil && i != j {
				v := p.Probabilities.At(i, j)
				if !g.Has(i, j) {
					v = 1 - v
				}
				sum += math.Log(v)
			}
		}
		switch p.Kind {
		case tobac.Fair:
			for c := range k { // 1/C(d−1, k)
				sum -= math.Log(float64(d-1-c) / float64(c+1))
			}
		case tobac.ScaleFree:
			sum -= 3 * math.Log(float64(1+k))
		}
	}
	return sum
}

// listed are the posterior edge probabilities by listing all acyclic graphs that
// keep accepts, with the scores of a model that has one hypothesis.
func listed(t failer, data *dataset.Table, m tobac.Scored, p *tobac.Prior, keep func(*dag.Graph) bool) *mat.Dense {
	t.Helper()
	d := len(data.Names)
	h, err := m.Hypotheses(context.Background(), data, score.Uniform(d), 1)
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
	for _, g := range acyclicGraphs(d) {
		if v := logPrior(p, g); !math.IsInf(v, -1) && keep(g) {
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
func fulfilled(t failer, what string, res *tobac.Result, p *tobac.Prior) {
	t.Helper()
	d := len(res.Names)
	if post := res.Posterior; post.Cyclic() < len(post.Draws) {
		for m, draw := range post.Draws {
			if draw.Graph.Acyclic() && math.IsInf(logPrior(p, draw.Graph), -1) {
				t.Fatalf("%s: draw %d has the edges %v, against %v", what, m, draw.Graph.Edges(), p)
			}
		}
		fixed := p.Fixed(d)
		for i := range d {
			for j := range d {
				got, f := post.Probabilities.At(i, j), fixed.At(i, j)
				if !math.IsNaN(f) && got != f {
					t.Fatalf("%s: probability of %d → %d is %v, but it is fixed at %v by %v", what, i, j, got, f, p)
				}
				if slices.Contains(p.Required, dag.Edge{From: i, To: j}) && got != 1 || i != j && !allows(p, dag.Edge{From: i, To: j}) && got != 0 {
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
var single = []tobac.Scored{tobac.Linear{NoiseVariance: 0.5, EdgeVariance: 1}, tobac.BGe{AlphaLambda: 8}, tobac.BGe{Raw: true}}

// Over all graphs, and over those along a known order, the engine exact gives the
// posterior that listing every graph gives, under random statements of every kind.
func TestExactWithKnowledge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(2, 4).Draw(t, "d")
		data, m := weak(20, d, rng.Uint64()), single[rng.IntN(len(single))]
		p := drawPrior(rng, d)
		cfg := tobac.Config{Model: m, Prior: p, Engine: tobac.Exact, Seed: 1}
		res, err := tobac.Fit(context.Background(), data, cfg)
		if err != nil {
			t.Fatalf("%v under %v", err, &p)
		}
		if want := listed(t, data, m, &p, anyGraph); largest(res.Probabilities, want) > 1e-10 {
			t.Fatalf("under %v:\n got %v\nwant %v", &p, mat.Formatted(res.Probabilities), mat.Formatted(want))
		}
		fulfilled(t, "exact", res, &p)
		known := aKnownOrder(t, &p, d, rng)
		cfg.Order.Known = known
		if res, err = tobac.Fit(context.Background(), data, cfg); err != nil {
			t.Fatalf("%v along %v under %v", err, known, &p)
		}
		want := listed(t, data, m, &p, func(g *dag.Graph) bool { return follows(g, known) })
		if largest(res.Probabilities, want) > 1e-10 {
			t.Fatalf("along %v under %v:\n got %v\nwant %v", known, &p, mat.Formatted(res.Probabilities), mat.Formatted(want))
		}
		fulfilled(t, "along an order", res, &p)
	})
}

// aKnownOrder is a random order that agrees with the statements.
func aKnownOrder(t failer, p *tobac.Prior, d int, rng *rand.Rand) []int {
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
		p := drawPrior(rng, d)
		cfg := tobac.Config{Model: m, Prior: p, Engine: tobac.MCMC, Seed: seed, Chains: tobac.Chains{Chains: 2, Iterations: 1500, WarmUp: 200, Rungs: 2}}
		if seed%3 == 0 {
			cfg.Chains.Candidates = 1 // required parents are candidates all the same
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
	sampler := tobac.Sampler{Particles: 7, Samples: 8, Steps: 6, AlphaRate: 0.5}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		d := 3 + int(seed%2)
		data, p := weak(25, d, seed), drawPrior(rng, d)
		p.MaxParents = 0
		for name, order := range map[string]tobac.Order{
			"drawn": {Count: 2}, "eqvar": {Method: ordering.MethodEqVar}, "npvar": {Method: ordering.MethodNPVar}, "score": {Method: ordering.MethodSCORE},
			"resamples": {Method: ordering.MethodEqVar, Count: 6}, "known": {Known: aKnownOrder(t, &p, d, rng)}, "dibs": {},
		} {
			models := []tobac.Model{tobac.Linear{}, tobac.BGe{}, tobac.FeedForward{Hidden: []int{2}}}
			cfg := tobac.Config{Model: models[seed%3], Prior: p, Engine: tobac.SVGD, Order: order, Sampler: sampler, Seed: seed}
			if name == "dibs" {
				cfg.Sampler.Method = tobac.DiBS
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
	order := tobac.Order{Known: []int{0, 2, 1, 3, 4}}
	dibs := tobac.Config{Engine: tobac.SVGD, Model: tobac.Linear{}, Sampler: small, Seed: 7}
	dibs.Sampler.Method = tobac.DiBS
	for name, cfg := range map[string]tobac.Config{
		"exact": {}, "exact along an order": {Order: order, Engine: tobac.Exact}, "dibs": dibs, "gflownet": {Model: tobac.BGe{}, Sampler: tobac.Sampler{Method: tobac.DAGGFlowNet}},
		"gflownet along an order": {Model: tobac.BGe{}, Order: order, Sampler: tobac.Sampler{Method: tobac.DAGGFlowNet}},
		"svgd":                    {Order: order, Engine: tobac.SVGD, Model: tobac.Linear{}, Sampler: small, Seed: 7},
	} {
		cfg.Prior = tobac.Prior{Probabilities: table}
		want := fit(t, data, cfg)
		cfg.Prior = tobac.Prior{Probabilities: constant(5, p), Odds: []tobac.EdgeOdds{{From: 2, To: 3, Odds: odds}}}
		got := fit(t, data, cfg)
		if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 1e-9) {
			t.Errorf("%s: probabilities differ by up to %v", name, diff)
		}
		cfg.Prior.Odds = nil
		if without := fit(t, data, cfg); name != "dibs" && largest(got.Probabilities, without.Probabilities) < 1e-3 {
			t.Errorf("%s: odds change nothing", name)
		}
	}
}

// Relabelling the columns and the statements relabels the posterior.
func TestKnowledgeIsEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		d := rapid.IntRange(2, 5).Draw(t, "d")
		data, p := weak(20, d, rng.Uint64()), drawPrior(rng, d)
		relabel := rng.Perm(d)
		position := dag.Inverse(relabel)
		q := statementsAt(p, position)
		cfg := tobac.Config{Model: tobac.BGe{AlphaLambda: 9}, Engine: tobac.Exact, Prior: p}
		want, err := tobac.Fit(context.Background(), data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Prior = q
		got, err := tobac.Fit(context.Background(), data.Relabel(relabel), cfg)
		if err != nil {
			t.Fatal(err)
		}
		before, err := p.Precedence(d)
		if err != nil {
			t.Fatal(err)
		}
		after, err := q.Precedence(d)
		if err != nil {
			t.Fatal(err)
		}
		for a, i := range relabel {
			for b, j := range relabel {
				if math.Abs(got.Probabilities.At(a, b)-want.Probabilities.At(i, j)) > 1e-9 {
					t.Fatalf("probability of %d → %d is %v, and %v relabelled, under %v", i, j, want.Probabilities.At(i, j), got.Probabilities.At(a, b), &p)
				}
			}
		}
		for range 20 {
			order := rng.Perm(d)
			moved := make([]int, d)
			for c, j := range order {
				moved[c] = position[j]
			}
			if agrees(before, order) != agrees(after, moved) {
				t.Fatalf("order %v, relabelled %v", order, moved)
			}
		}
	})
}

// agrees reports whether a precedence, nil for none, allows an order.
func agrees(p *ordering.Precedence, order []int) bool { return p == nil || p.Allows(order) }

// statementsAt are the statements about the variables at their new positions.
func statementsAt(p tobac.Prior, position []int) tobac.Prior {
	q := p
	edges := func(all []dag.Edge) (out []dag.Edge) {
		for _, e := range all {
			out = append(out, dag.Edge{From: position[e.From], To: position[e.To]})
		}
		return out
	}
	variables := func(all []int) (out []int) {
		for _, j := range all {
			out = append(out, position[j])
		}
		return out
	}
	q.Required, q.Forbidden, q.Sinks, q.Sources, q.Odds = edges(p.Required), edges(p.Forbidden), variables(p.Sinks), variables(p.Sources), nil
	for _, o := range p.Odds {
		q.Odds = append(q.Odds, tobac.EdgeOdds{From: position[o.From], To: position[o.To], Odds: o.Odds})
	}
	if p.Tiers != nil {
		q.Tiers = make([]int, len(p.Tiers))
		for j, tier := range p.Tiers {
			q.Tiers[position[j]] = tier
		}
	}
	if p.Probabilities != nil {
		d := len(position)
		table := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				table.Set(position[i], position[j], p.Probabilities.At(i, j))
			}
		}
		q.Probabilities = table
	}
	return q
}

// Orders found by a method agree with the statements, for every pair about which they say
// something: required edges point forwards, lower tiers come first, nothing that a sink
// could depend on comes after it, and nothing that could depend on a source before it.
func TestFoundOrdersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		d := rapid.IntRange(2, 6).Draw(t, "d")
		p := drawPrior(rng, d)
		known, err := p.Precedence(d)
		if err != nil {
			t.Fatalf("%v under %v", err, &p)
		}
		x := mat.NewDense(20, d, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		r, err := ordering.MethodEqVar.OrderWithin(context.Background(), x, known, 1)
		if err != nil {
			t.Fatal(err)
		}
		position := dag.Inverse(r.Order)
		fixed := p.Fixed(d)
		complete := !slices.Contains(p.Tiers, -1)
		for i := range d {
			for j := range d {
				if position[i] < position[j] || i == j {
					continue // i comes after j
				}
				tiers := p.Tiers != nil && p.Tiers[i] >= 0 && p.Tiers[i] < p.Tiers[j] && (complete || !slices.Contains(p.Sinks, i) && !slices.Contains(p.Sources, j))
				open := math.IsNaN(fixed.At(i, j))
				switch {
				case fixed.At(i, j) == 1:
					t.Fatalf("order %v against the edge %d → %d of %v", r.Order, i, j, &p)
				case tiers && (complete || fixed.At(i, j) != 0):
					t.Fatalf("order %v against the tiers %v, %d before %d, of %v", r.Order, p.Tiers, i, j, &p)
				case open && slices.Contains(p.Sinks, j) && !slices.Contains(p.Tiers, -1) && !(p.Tiers != nil && p.Tiers[j] < p.Tiers[i]):
					t.Fatalf("order %v has %d after the sink %d of %v", r.Order, i, j, &p)
				case open && slices.Contains(p.Sources, i) && !slices.Contains(p.Tiers, -1) && !(p.Tiers != nil && p.Tiers[j] < p.Tiers[i]):
					t.Fatalf("order %v has %d before the source %d of %v", r.Order, j, i, &p)
				}
			}
		}
	})
}

// Statements that no graph fulfils are all named, in the names of the data, before
// anything is computed.
func TestContradictingPriors(t *testing.T) {
	edge := func(i, j int) []dag.Edge { return []dag.Edge{{From: i, To: j}} }
	table := func(i, j int, v float64) mat.Matrix {
		m := constant(5, 0.5)
		m.Set(i, j, v)
		return m
	}
	const head = "tobac: what is said about the graph contradicts itself: "
	backwards := tobac.Order{Known: []int{4, 3, 2, 1, 0}}
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		want string
	}{
		{"required and forbidden", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Forbidden: edge(1, 3)}}, head + "X1 → X3 is required, but it is forbidden"},
		{"required against the tiers", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Tiers: []int{0, 1, 0, 0, 0}}}, head + "X1 → X3 is required, but the tiers put X3 before X1"},
		{"required from a sink", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Sinks: []int{1}}}, head + "X1 → X3 is required, but X1 is a sink, which no edge leaves"},
		{"required to a source", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Sources: []int{3}}}, head + "X1 → X3 is required, but X3 is a source, which no edge enters"},
		{"required against the table", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Probabilities: table(1, 3, 0)}}, head + "X1 → X3 is required, but the table of edge probabilities gives it 0"},
		{"forbidden against the table", tobac.Config{Prior: tobac.Prior{Forbidden: edge(1, 3), Probabilities: table(1, 3, 1)}}, head + "X1 → X3 is given the probability 1 by the table, but it is forbidden"},
		{"a required cycle", tobac.Config{Prior: tobac.Prior{Required: append(edge(1, 3), edge(3, 1)...)}}, head + "required edges make a cycle: X1 → X3 → X1"},
		{"a cycle with tiers", tobac.Config{Prior: tobac.Prior{Required: append(edge(1, 3), edge(3, 0)...), Tiers: []int{0, 1, 1, -1, 1}}},
			head + "required edges and tiers make a cycle: X1 → X3 → X0 → X1 (by the tiers)"},
		{"more required than allowed", tobac.Config{Prior: tobac.Prior{Required: append(edge(1, 3), edge(2, 3)...), MaxParents: 1}},
			head + "X3 has 2 required parents (X1, X2), more than the 1 allowed"},
		{"against a known order", tobac.Config{Engine: tobac.SVGD, Order: backwards, Prior: tobac.Prior{Required: edge(1, 3)}}, head + "X1 → X3 is required, but the known order puts X3 before X1"},
		{"tiers against a known order", tobac.Config{Order: backwards, Prior: tobac.Prior{Tiers: []int{0, -1, 0, 1, -1}}}, head + "the known order puts X3 before X2, but the tiers put X2 before X3"},
		{"odds of what is forbidden", tobac.Config{Prior: tobac.Prior{Forbidden: edge(1, 3), Odds: []tobac.EdgeOdds{{1, 3, 2}}}}, head + "X1 → X3 has the odds 2, but it is forbidden"},
		{"odds of what is required", tobac.Config{Prior: tobac.Prior{Required: edge(1, 3), Odds: []tobac.EdgeOdds{{1, 3, 2}}}}, head + "X1 → X3 has the odds 2, but is certain"},
		{"two odds", tobac.Config{Prior: tobac.Prior{Odds: []tobac.EdgeOdds{{1, 3, 2}, {1, 3, 3}}}}, head + "X1 → X3 has two odds, 2 and 3"},
		{"several", tobac.Config{Prior: tobac.Prior{Required: append(edge(1, 3), edge(2, 0)...), Sinks: []int{1, 2}}}, strings.TrimSuffix(head, " ") + "\n- X1 → X3 is required, but X1 is a sink, which no edge leaves\n- X2 → X0 is required, but X2 is a sink, which no edge leaves"},
		{"odds of 0", tobac.Config{Prior: tobac.Prior{Odds: []tobac.EdgeOdds{{1, 3, 0}}}}, "tobac: the odds of the edge 1 → 3 are 0, want a number from 0.001 to 1000; what is certain is a forbidden or a required edge"},
		{"no such sink", tobac.Config{Prior: tobac.Prior{Sinks: []int{5}}}, "tobac: the graph prior speaks of the sink or source 5, want a variable from 0 to 4"},
		{"no probability", tobac.Config{Prior: tobac.Prior{Probabilities: constant(5, 1.5)}}, "tobac: score: probability of the edge 0 → 1 is 1.5, want a number from 0 to 1"},
	} {
		_, err := tobac.NewRun(context.Background(), chain(t, 40).Train, row.cfg)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got error %v\nwant      %s", row.name, err, row.want)
		}
		if strings.HasPrefix(row.want, strings.TrimSuffix(head, " ")) && !errors.As(err, new(*tobac.ContradictionError)) {
			t.Errorf("%s: %T", row.name, err)
		}
	}
}

// A certain edge that some order of the resamples contradicts binds them all.
func TestCertainEdgeBindsEveryOrder(t *testing.T) {
	data := noisy(t)
	precedes := newRun(t, data, several()).Orders().Precedes()
	for i := range 5 {
		for j := range 5 {
			if p := precedes.At(i, j); p == 0 || p == 1 {
				continue
			}
			cfg := several()
			cfg.Prior.Required = []dag.Edge{{From: i, To: j}}
			if p := newRun(t, data, cfg).Orders().Precedes().At(i, j); p != 1 {
				t.Errorf("certain edge %d → %d: precedes with the frequency %v", i, j, p)
			}
			return
		}
	}
	t.Fatal("all orders agree")
}

// byIndex is an orderer of one's own that knows of no precedence.
type byIndex struct{}

func (byIndex) Order(_ context.Context, x mat.Matrix, _ int) (*ordering.Result, error) {
	_, d := x.Dims()
	order := make([]int, d)
	for j := range order {
		order[j] = j
	}
	return ordering.Known(order, d)
}

// An orderer of one's own that cannot be bound is used where what it finds agrees, and
// refused by name where it does not.
func TestUnboundOrderer(t *testing.T) {
	cfg := particles()
	cfg.Order.Method = byIndex{}
	cfg.Prior.Required = []dag.Edge{{From: 1, To: 3}}
	fulfilled(t, "agrees", fit(t, noisy(t), cfg), &cfg.Prior)
	cfg.Prior.Required = []dag.Edge{{From: 3, To: 1}}
	_, err := tobac.NewRun(context.Background(), noisy(t), cfg)
	if want := "tobac: the graph prior makes the edge X3 → X1 certain, but the causal order puts X1 first; give an order that agrees"; err == nil || err.Error() != want {
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
	p := tobac.Prior{Tiers: slices.Repeat([]int{0, 1}, 11), Sinks: []int{21}, Sources: []int{4}, Forbidden: []dag.Edge{{From: 0, To: 1}},
		Odds: []tobac.EdgeOdds{{From: 2, To: 3, Odds: 1000}, {From: 6, To: 5, Odds: 0.001}}}
	for i := range 6 {
		p.Required = append(p.Required, dag.Edge{From: 2 * i, To: 13})
	}
	cfg := tobac.Config{Model: tobac.BGe{AlphaLambda: 26}, Engine: tobac.MCMC, Prior: p, Chains: tobac.Chains{Chains: 1, Iterations: 60, WarmUp: 40, Candidates: 4, Rungs: 2}}
	res := fit(t, wide, cfg)
	fulfilled(t, "chains", res, &p)
	if res.Probabilities.At(2, 3) < 0.5 || res.Probabilities.At(6, 5) > 0.05 {
		t.Errorf("odds of 1000 and 1/1000 give %v and %v", res.Probabilities.At(2, 3), res.Probabilities.At(6, 5))
	}
	drawn := tobac.Config{Model: tobac.Linear{}, Engine: tobac.SVGD, Prior: p, Chains: cfg.Chains, Order: tobac.Order{Count: 1}, Sampler: tobac.Sampler{Particles: 2, Samples: 2, Steps: 2, Rank: 2}}
	fulfilled(t, "orders from chains", fit(t, wide, drawn), &p)
}
