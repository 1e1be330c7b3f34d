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
	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/scoretest"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A model with a bound of its own on the number of parents, and an engine with one, say so.
func TestTooManyRequiredParents(t *testing.T) {
	var edges []dag.Edge
	for i := range 25 {
		edges = append(edges, dag.Edge{From: i, To: 25})
	}
	wide := table(40, 26, nil, generic)
	for j := range 26 {
		wide.Names = append(wide.Names, fmt.Sprint("v", j))
	}
	for _, row := range []struct {
		data *dataset.Table
		cfg  tobac.Config
		want string
	}{
		{noisy(t), tobac.Config{Model: sem.GaussianProcess{MaxParents: 1},
			Prior: background.Prior{Required: []dag.Edge{{From: 0, To: 2}, {From: 1, To: 2}}}},
			"tobac: a variable has 2 required parents, more than the 1 of the model gp " +
				"max-parents=1"},
		{wide, tobac.Config{Model: sem.BGe{}, Prior: background.Prior{Required: edges}},
			"tobac: a variable has 25 required parents, and the engine mcmc takes at most 24 of " +
				"each; allowed: fewer, or a known order"},
		{wide, tobac.Config{Model: sem.FeedForward{}, Prior: background.Prior{Required: edges}},
			"tobac: a variable has 25 required parents, and the engine mcmc takes at most 24 of " +
				"each; allowed: fewer, or a known order"},
	} {
		if _, err := tobac.NewRun(context.Background(), row.data, row.cfg); err == nil ||
			err.Error() != row.want {
			t.Errorf("got error %v\nwant      %s", err, row.want)
		}
	}
	three := []dag.Edge{{From: 0, To: 4}, {From: 1, To: 4}, {From: 3, To: 4}}
	res := fit(t, noisy(t), tobac.Config{Model: sem.GaussianProcess{}, Engine: &sums.Exact{},
		Prior: background.Prior{Required: three}})
	fulfilled(t, "gp", res, &background.Prior{Required: three})
}

// Requiring an edge is conditioning on it: the posterior is that of the graphs that have it,
// in their proportions without the statement, and those with and without it, by its
// probability, make up the whole.
func TestRequiringIsConditioning(t *testing.T) {
	data, model := weak(25, 4, 9), sem.BGe{AlphaLambda: 8}
	fitted := func(p background.Prior) *mat.Dense {
		p.EdgesPerNode = 0.6
		return fit(t, data,
			tobac.Config{Model: model, Prior: p, Engine: &sums.Exact{}}).Probabilities
	}
	all := fitted(background.Prior{})
	for i := range 4 {
		for j := range 4 {
			if i == j {
				continue
			}
			e := []dag.Edge{{From: i, To: j}}
			with, without, p := fitted(background.Prior{Required: e}),
				fitted(background.Prior{Forbidden: e}), all.At(i, j)
			with.Scale(p, with)
			without.Scale(1-p, without)
			with.Add(with, without)
			if diff := largest(with, all); !(diff <= 1e-10) {
				t.Errorf("%d → %d: the parts make up the whole to %v", i, j, diff)
			}
		}
	}
}

// Knowledge that is true helps. Given the data and a true statement s, other pairs are
// distributed as p(·|D, s), so that the gain of their log score, log p(x|D, s) − log p(x|D), has
// the expectation KL(p(·|D, s) ‖ p(·|D)) ≥ 0 whatever the data: it never worsens the expected
// score. Here the statement is a random edge, the graph comes from the prior given that
// edge, the data from the model, and the gain is summed over all other pairs.
func TestOneTrueEdgeHelps(t *testing.T) {
	if testing.Short() {
		t.Skip("300 fits")
	}
	const d, rows, tables = 4, 8, 150
	var gains []float64
	better, worse, expected := 0, 0, 0.0
	cfg := tobac.Config{Model: sem.Linear{NoiseVariance: 1, EdgeVariance: 1},
		Prior: background.Prior{EdgesPerNode: 0.75}, Engine: &sums.Exact{}}
	for seed := range uint64(tables) {
		rng := rand.New(rand.NewPCG(seed, 6))
		i, j := twoOf(rng, d)
		g := sparseGraph(rng, d, cfg.Prior.EdgesPerNode)
		for !g.Has(i, j) {
			g = sparseGraph(rng, d, cfg.Prior.EdgesPerNode)
		}
		data, edge := gaussianTable(rng, g, rows), dag.Edge{From: i, To: j}
		cfg.Prior.Required = nil
		before := fit(t, data, cfg).Probabilities
		cfg.Prior.Required = []dag.Edge{edge}
		gain, mean := gainOfOthers(before, fit(t, data, cfg).Probabilities, g, edge)
		if mean < 0 {
			t.Errorf("table %d, %d → %d required: the posterior expects the gain %v", seed, i, j,
				mean)
		}
		switch {
		case gain > 0:
			better++
		case gain < 0:
			worse++
		}
		expected += mean / tables
		gains = append(gains, gain)
		t.Logf("table %d, %d → %d required: log score of the other pairs %+.3f, expected %+.3f",
			seed, i, j, gain, mean)
	}
	mean, sd := stat.MeanStdDev(gains, nil)
	se := sd / math.Sqrt(tables)
	t.Logf("mean gain %.3f ± %.3f nats for each table, where the posteriors expect %.3f; better "+
		"in %d tables, worse in %d", mean, se, expected, better, worse)
	if !(mean > 3*se) { // three standard errors above nothing
		t.Errorf("mean gain %v ± %v", mean, se)
	}
	if !(math.Abs(mean-expected) < 4*se) { // the scores are those that the posteriors expect
		t.Errorf("mean gain %v ± %v, the posteriors expect %v", mean, se, expected)
	}
}

// twoOf are two different numbers below d.
func twoOf(rng *rand.Rand, d int) (i, j int) {
	order := rng.Perm(d)
	return order[0], order[1]
}

// gainOfOthers is the gain of the log score of all pairs but that of an edge, under the
// true graph, and as the second probabilities expect it.
func gainOfOthers(before, after *mat.Dense, g *dag.Graph, e dag.Edge) (gain, expected float64) {
	for i := range g.Len() {
		for j := range i {
			if min(e.From, e.To) == j && max(e.From, e.To) == i {
				continue
			}
			p, q, truth := pair(before, i, j), pair(after, i, j), 0
			for state, v := range q {
				expected += v * math.Log(v/p[state])
			}
			switch {
			case g.Has(i, j):
				truth = 1
			case g.Has(j, i):
				truth = 2
			}
			gain += math.Log(q[truth] / p[truth])
		}
	}
	return gain, expected
}

// pair are the probabilities of no edge, i → j and j → i, none of them 0.
func pair(p *mat.Dense, i, j int) [3]float64 {
	forth, back := math.Max(p.At(i, j), 1e-300), math.Max(p.At(j, i), 1e-300)
	return [3]float64{math.Max(1-forth-back, 1e-300), forth, back}
}

// sparseGraph draws a graph from the Erdős–Rényi prior over acyclic graphs, by rejection.
func sparseGraph(rng *rand.Rand, d int, edgesPerNode float64) *dag.Graph {
	prior, err := score.Sparse(d, edgesPerNode)
	if err != nil {
		panic(err)
	}
	odds := math.Exp(prior.LogPrior(0, []int{1}))
	for {
		g := dag.New(d)
		for i := range d {
			for j := range d {
				if i != j && rng.Float64() < odds/(1+odds) {
					g.Set(i, j, true)
				}
			}
		}
		if g.Acyclic() {
			return g
		}
	}
}

// gaussianTable draws rows of the linear model with standard normal weights and noise.
func gaussianTable(rng *rand.Rand, g *dag.Graph, rows int) *dataset.Table {
	d := g.Len()
	order, err := g.TopologicalOrder()
	if err != nil {
		panic(err)
	}
	w := mat.NewDense(d, d, nil)
	for _, e := range g.Edges() {
		w.Set(e.From, e.To, rng.NormFloat64())
	}
	x := make([]float64, d)
	out := &dataset.Table{Names: []string{"a", "b", "c", "d", "e"}[:d],
		X: mat.NewDense(rows, d, nil)}
	for r := range rows {
		for _, j := range order {
			x[j] = rng.NormFloat64()
			for _, i := range g.Parents(j) {
				x[j] += w.At(i, j) * x[i]
			}
		}
		out.X.SetRow(r, x)
	}
	return out
}

// What is known changes the evidence by how the data change its odds, ln P(K|D)/P(K), here
// from the edge probabilities without it and from counting graphs; and where that is below
// −ln 20 there is a warning that names the edges at odds, with every engine that knows.
func TestDataAgainstKnowledge(t *testing.T) {
	data, d := weak(60, 4, 3), 4
	cfg := tobac.Config{Model: sem.BGe{AlphaLambda: 8},
		Prior: background.Prior{Kind: background.Uniform}, Engine: &sums.Exact{}}
	free := fit(t, data, cfg)
	graphs, warned := scoretest.Graphs(d), 0
	for i := range d {
		for j := range d {
			if i == j {
				continue
			}
			with := cfg
			with.Prior.Forbidden = []dag.Edge{{From: i, To: j}}
			res, share := fit(t, data, with), 0.0
			for _, g := range graphs {
				if !g.Has(i, j) {
					share += 1 / float64(len(graphs))
				}
			}
			change, want := res.Evidence[0].Log-free.Evidence[0].Log,
				math.Log(1-free.Probabilities.At(i, j))-math.Log(share)
			if math.Abs(change-want) > 1e-8 {
				t.Errorf("%d → %d forbidden: evidence changes by %v, want %v", i, j, change, want)
			}
			said := slices.ContainsFunc(res.Warnings, func(w string) bool {
				return strings.HasPrefix(w,
					fmt.Sprintf("the data speak against the background knowledge, by %.1f nats",
						-change))
			})
			if said != (change < -math.Log(20)) {
				t.Errorf("%d → %d forbidden, %v nats: warnings %q", i, j, change, res.Warnings)
			}
			if said {
				warned++
			}
		}
	}
	with := cfg
	with.Prior.Forbidden = []dag.Edge{{From: 0, To: 1}, {From: 1, To: 0}}
	for name, c := range map[string]tobac.Config{"exact": with,
		"svgd": {Prior: with.Prior, Engine: &small, Order: engine.Order{Count: 1}}} {
		res := fit(t, data, c)
		if !slices.ContainsFunc(res.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "the data speak against the background knowledge, by ")
		}) {
			t.Errorf("%s: no dependence of what depends, but warnings %q", name, res.Warnings)
		}
	}
	t.Logf("%d single statements are warned of", warned)
}
