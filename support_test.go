package tobac_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// table makes a table from a function of row and column.
func table(rows, cols int, names []string, at func(i, j int) float64) *dataset.Table {
	t := &dataset.Table{Names: names, X: mat.NewDense(rows, cols, nil)}
	for i := range rows {
		for j := range cols {
			t.X.Set(i, j, at(i, j))
		}
	}
	return t
}

// generic is a value without structure.
func generic(i, j int) float64 { return math.Sin(float64(1 + 7*i*i + 13*j + 3*i*j)) }

// chain simulates n rows of five variables with the edges 0 → 1 → 2 → 4 and
// 0 → 3.
func chain(t testing.TB, n int) *dataset.Simulation {
	t.Helper()
	g := must.Get(dag.FromEdges(5,
		[]dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 4}, {From: 0, To: 3}}))(t)
	s := must.Get(dataset.SimulateLinear(g,
		dataset.LinearConfig{Rows: n, HeldoutRows: 30, Seed: 3}))(t)
	return s
}

// noisy are few rows of the chain, whose resamples have several orders.
func noisy(t testing.TB) *dataset.Table { return chain(t, 18).Train }

// weak are n rows of d variables with weak dependences, so that many graphs have a
// probability.
func weak(n, d int, seed uint64) *dataset.Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	names := []string{"a", "b", "c", "d", "e"}[:d]
	row := make([]float64, d)
	return table(n, d, names, func(_, j int) float64 {
		row[j] = rng.NormFloat64()
		if j > 0 {
			row[j] += 0.5 * row[j-1]
		}
		return row[j]
	})
}

// standardised are the columns scaled to variance 1.
func standardised(t testing.TB, data *dataset.Table) *dataset.Table {
	t.Helper()
	return must.Get(data.Standardize())(t)
}

// intervened is a table with values of column 4 set by intervention in all rows,
// and of column 1 in some.
func intervened(data *dataset.Table) *dataset.Table {
	n, d := data.X.Dims()
	marked := *data
	marked.Intervened = mat.NewDense(n, d, nil)
	for i := range n {
		marked.Intervened.Set(i, 4, 1)
		if i%3 == 0 {
			marked.Intervened.Set(i, 1, 1)
		}
	}
	return &marked
}

// small are a few quick steps whose temperature falls fast enough for the latents
// to feel the data. Eleven particles do not divide evenly.
var small = stein.SVGD{Particles: 11, Samples: 16, Steps: 12, AlphaRate: 0.5}

// short are Markov chains for five variables.
var short = markov.MCMC{Chains: 2, Iterations: 300, WarmUp: 100, Rungs: 2}

// afterChains is a short run of SVGD on more columns than are summed over, whose orders are drawn
// by chains, with its data.
func afterChains() (*dataset.Table, tobac.Config) {
	names := make([]string, 21)
	for j := range names {
		names[j] = string(rune('a' + j))
	}
	chains := &markov.MCMC{Chains: 2, Iterations: 30, WarmUp: 10, Rungs: 2, Candidates: 2}
	return table(30, 21, names, generic),
		tobac.Config{Model: sem.Linear{NoiseVariance: 1}, Order: engine.Order{Count: 2},
			Engine: &stein.SVGD{OrderEngine: chains, Particles: 3, Samples: 4, Steps: 12}, Seed: 7}
}

// sampler are the settings of the particles of a configuration, to be changed for it alone; of
// other engines they belong to nothing.
func sampler(c *tobac.Config) *stein.SVGD {
	if dibs, ok := c.Engine.(*stein.DiBS); ok {
		own := *dibs
		c.Engine = &own
		return &own.SVGD
	}
	own := new(stein.SVGD)
	if svgd, ok := c.Engine.(*stein.SVGD); ok {
		*own, c.Engine = *svgd, own
	}
	return own
}

// isA reports whether an engine is of a type.
func isA[E engine.Settings](e engine.Settings) bool {
	_, ok := e.(E)
	return ok
}

// particles is a short run of SVGD with the linear model under EqVar's order.
func particles() tobac.Config {
	return tobac.Config{Model: sem.Linear{}, Order: engine.Order{Method: ordering.MethodEqVar},
		Engine: &small, Seed: 7}
}

// several is a short run over the orders of resamples.
func several() tobac.Config {
	c := particles()
	c.Order.Count = 9
	return c
}

// enginesTried are configurations of every engine, quick on five variables, for data
// of which nothing is known.
func enginesTried() map[string]tobac.Config {
	drawn := particles()
	drawn.Order = engine.Order{Count: 2}
	dibs := particles()
	dibs.Order, dibs.Engine = engine.Order{}, &stein.DiBS{SVGD: small}
	exact := tobac.Config{Engine: &sums.Exact{}, Seed: 7}
	flows := tobac.Config{Model: sem.BGe{}, Engine: &flownets.GFlowNet{}, Seed: 7}
	policy := flows
	policy.Engine = &flownets.GFlowNet{Training: gflownet.Settings{Iterations: 22,
		Policy: gflownet.Graph, Width: 8, Prefill: 3, Environments: 4, Batch: 8}}
	scores := tobac.Calibrated(sem.Linear{NoiseVariance: 1})
	svgd := sampler(&scores)
	svgd.Particles, svgd.Steps, svgd.Samples, svgd.Marginals, scores.Seed = 4, 13, 5,
		stein.ConditionalMarginals, 7
	networks := tobac.Calibrated(sem.FeedForward{Hidden: []int{2}, NoiseVariance: 1})
	svgd = sampler(&networks)
	svgd.Particles, svgd.Steps, svgd.Samples, svgd.Marginals, networks.Seed = 3, 13, 4,
		stein.ConditionalMarginals, 7
	svgd.FitSteps = 6
	return map[string]tobac.Config{
		"svgd on node scores": scores, "svgd of networks, calibrated": networks,
		"auto": {Seed: 7}, "exact": exact,
		"mcmc": {Engine: &short, Seed: 7},
		"svgd": particles(), "svgd over orders of resamples": several(),
		"svgd over drawn orders": drawn, "dibs": dibs,
		"bcd": {Engine: &bcdnets.BCDNets{Training: bcd.Settings{Steps: 26, Batch: 8}},
			Seed: 7},
		"gflownet": policy, "gflownet, exact": flows,
	}
}

func newRun(t testing.TB, data *dataset.Table, cfg tobac.Config) *tobac.Run {
	t.Helper()
	r := must.Get(tobac.NewRun(context.Background(), data, cfg))(t)
	t.Cleanup(r.Close)
	return r
}

func advance(t testing.TB, r *tobac.Run, to int) {
	t.Helper()
	must.Do(t, r.Advance(context.Background(), to))
}

func result(t testing.TB, r *tobac.Run) *tobac.Result {
	t.Helper()
	return must.Get(r.Result(context.Background()))(t)
}

// finished runs to the last step.
func finished(t testing.TB, data *dataset.Table, cfg tobac.Config) (*tobac.Run, *tobac.Result) {
	t.Helper()
	r := newRun(t, data, cfg)
	advance(t, r, r.Steps())
	return r, result(t, r)
}

// resampledOrders is the distribution of orders of a short run.
func resampledOrders(t testing.TB, data *dataset.Table, cfg tobac.Config) *ordering.Distribution {
	t.Helper()
	sampler(&cfg).Steps = 1
	return fit(t, data, cfg).Orders
}

func fit(t testing.TB, data *dataset.Table, cfg tobac.Config) *tobac.Result {
	t.Helper()
	return must.Get(tobac.Fit(context.Background(), data, cfg))(t)
}

func snapshot(t testing.TB, r *tobac.Run) *tobac.Snapshot {
	t.Helper()
	return must.Get(r.Snapshot())(t)
}

// state is the run's snapshot as text. JSON spells every float64 with as many
// digits as it takes to read back the same bits, so equal texts are equal bits.
func state(t testing.TB, r *tobac.Run) string {
	t.Helper()
	text := must.Get(json.Marshal(snapshot(t, r)))(t)
	return string(text)
}

// parsed is a snapshot read from its text.
func parsed(t testing.TB, text string) *tobac.Snapshot {
	t.Helper()
	s := new(tobac.Snapshot)
	must.Do(t, json.Unmarshal([]byte(text), s))
	return s
}

// text is a posterior in its file form, which keeps every bit.
func text(t testing.TB, p *posterior.Posterior) string {
	t.Helper()
	if p == nil {
		return ""
	}
	var b bytes.Buffer
	must.Do(t, p.Write(&b))
	return b.String()
}

// sameBits compares the posteriors of two results exactly.
func sameBits(t testing.TB, what string, got, want *tobac.Result) {
	t.Helper()
	if g, w := text(t, got.Posterior), text(t, want.Posterior); g != w {
		at := 0
		for at < min(len(g), len(w)) && g[at] == w[at] {
			at++
		}
		t.Errorf("%s: the posterior differs at byte %d:\n got …%.120s\nwant …%.120s", what, at,
			g[max(0, at-40):], w[max(0, at-40):])
	}
}

// sameDraws compares probabilities and draws exactly, not what is said about the
// orders that they follow.
func sameDraws(t testing.TB, got, want *posterior.Posterior) {
	t.Helper()
	bare := func(p *posterior.Posterior) *posterior.Posterior {
		return &posterior.Posterior{Names: p.Names, Standardization: p.Standardization,
			Marginals: p.Marginals, Kind: p.Kind, Draws: p.Draws}
	}
	if g, w := text(t, bare(got)), text(t, bare(want)); g != w {
		t.Errorf("posteriors differ:\n got %.300s…\nwant %.300s…", g, w)
	}
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

// largest is the largest absolute difference of two matrices, NaN against NaN being 0.
func largest(a, b mat.Matrix) float64 {
	worst := 0.0
	rows, cols := a.Dims()
	for i := range rows {
		for j := range cols {
			x, y := a.At(i, j), b.At(i, j)
			if math.IsNaN(x) && math.IsNaN(y) {
				continue
			}
			if d := math.Abs(x - y); !(d <= worst) {
				worst = d
			}
		}
	}
	return worst
}

// follows reports whether every edge of a graph points forwards in an order.
func follows(g *dag.Graph, order []int) bool {
	position := dag.Inverse(order)
	for _, e := range g.Edges() {
		if position[e.From] > position[e.To] {
			return false
		}
	}
	return true
}

// nodeScores is a model with its node scores.
func nodeScores(m sem.Model) sem.Scored {
	s, _ := sem.As[sem.Scored](m)
	return s
}
