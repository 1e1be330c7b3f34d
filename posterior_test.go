package tobac_test

import (
	"context"
	"math"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/metrics"
	"tobac/models"
	"tobac/ordering"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// smallPosterior is the posterior after a short run, in which particles differ.
func smallPosterior(t testing.TB, data *dataset.Table, order ordering.Orderer) *tobac.Posterior {
	t.Helper()
	cfg := small
	cfg.Order = order
	p, err := tobac.Fit(context.Background(), data, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every particle is an acyclic graph whose edges run along the order, with a
// weight on every edge and none elsewhere.
func TestPosteriorGraphs(t *testing.T) {
	for _, order := range []ordering.Orderer{nil, ordering.Fixed{3, 1, 4, 0, 2}} {
		p := smallPosterior(t, chain(t, 40).Train, order)
		if err := ordering.Validate(p.Order, 5); err != nil {
			t.Fatal(err)
		}
		position := dag.Inverse(p.Order)
		for m, g := range p.Graphs {
			if !g.Acyclic() {
				t.Errorf("particle %d has a cycle: %v", m, g.Edges())
			}
			for i := range 5 {
				for j := range 5 {
					w := p.Weights[m].At(i, j)
					if g.Has(i, j) && position[i] >= position[j] {
						t.Errorf("particle %d: edge %d → %d runs against the order %v", m, i, j, p.Order)
					}
					if g.Has(i, j) != (w != 0) {
						t.Errorf("particle %d: weight of %d → %d is %v, edge present: %v", m, i, j, w, g.Has(i, j))
					}
				}
			}
		}
	}
}

// With the share read-out edge probabilities are shares of the particles, listed
// from the most probable on; means and spreads are those over the particles that
// have the edge.
func TestPosteriorShares(t *testing.T) {
	cfg := small
	cfg.Readout = tobac.ShareReadout
	p, err := tobac.Fit(context.Background(), chain(t, 40).Train, cfg)
	if err != nil {
		t.Fatal(err)
	}
	probability := p.EdgeProbabilities()
	listed := map[dag.Edge]tobac.Edge{}
	edges := p.Edges()
	for k, e := range edges {
		listed[dag.Edge{From: e.Source, To: e.Target}] = e
		if k > 0 {
			a := edges[k-1]
			if a.Probability < e.Probability ||
				a.Probability == e.Probability && (a.Source > e.Source || a.Source == e.Source && a.Target >= e.Target) {
				t.Errorf("edges %+v and %+v are out of sequence", a, e)
			}
		}
	}
	fractional := false
	for i := range 5 {
		for j := range 5 {
			var ws []float64
			for m, g := range p.Graphs {
				if g.Has(i, j) {
					ws = append(ws, p.Weights[m].At(i, j))
				}
			}
			share := float64(len(ws)) / float64(len(p.Graphs))
			fractional = fractional || share > 0 && share < 1
			if got := probability.At(i, j); got != share {
				t.Errorf("probability of %d → %d: got %v, want the share %v", i, j, got, share)
			}
			e, ok := listed[dag.Edge{From: i, To: j}]
			if ok != (len(ws) > 0) {
				t.Errorf("edge %d → %d of %d particles: listed %v", i, j, len(ws), ok)
			}
			if !ok {
				continue
			}
			var mean, square float64
			for _, w := range ws {
				mean += w / float64(len(ws))
				square += w * w / float64(len(ws))
			}
			// E[w²] − E[w]² cancels: its error is that of the squares.
			sd := math.Sqrt(math.Max(0, square-mean*mean))
			if e.Probability != share || math.Abs(e.WeightMean-mean) > 1e-12 || math.Abs(e.WeightSD-sd) > 1e-7 {
				t.Errorf("edge %d → %d: got %+v, want probability %v, mean %v, spread %v", i, j, e, share, mean, sd)
			}
		}
	}
	if !fractional {
		t.Error("all particles agree: this run shows nothing")
	}
}

// The consensus holds what more than half of the particles hold, and has no
// cycle.
func TestConsensus(t *testing.T) {
	p := smallPosterior(t, chain(t, 40).Train, nil)
	g, w := p.Consensus()
	if !g.Acyclic() {
		t.Errorf("consensus has a cycle: %v", g.Edges())
	}
	for _, e := range p.Edges() {
		want := e.Probability > 0.5
		if g.Has(e.Source, e.Target) != want || want && w.At(e.Source, e.Target) != e.WeightMean {
			t.Errorf("edge %+v: in the consensus %v with weight %v", e, g.Has(e.Source, e.Target), w.At(e.Source, e.Target))
		}
	}
	// Exactly half is not more than half.
	first, second := dag.New(2), dag.New(2)
	first.Set(0, 1, true)
	weight := mat.NewDense(2, 2, []float64{0, 1.5, 0, 0})
	tie := tobac.Posterior{Names: []string{"a", "b"}, Graphs: []*dag.Graph{first, second}, Weights: []*mat.Dense{weight, mat.NewDense(2, 2, nil)}}
	if g, _ := tie.Consensus(); g.Size() != 0 {
		t.Errorf("an edge of half of the particles is in the consensus: %v", g.Edges())
	}
}

// Columns are labels: a table with permuted columns and the correspondingly
// permuted order gives the correspondingly permuted posterior. Everything runs
// in order coordinates, where the two problems are one, so it holds exactly.
func TestRelabelling(t *testing.T) {
	data := chain(t, 40).Train
	order := ordering.Fixed{0, 3, 1, 2, 4}
	permutation := []int{2, 4, 1, 0, 3} // new column a is old column permutation[a]
	inverse := dag.Inverse(permutation)
	var permuted ordering.Fixed
	for _, v := range order {
		permuted = append(permuted, inverse[v])
	}
	want := smallPosterior(t, data, order)
	got := smallPosterior(t, data.Relabel(permutation), permuted)
	for m := range want.Graphs {
		for a := range 5 {
			for b := range 5 {
				i, j := permutation[a], permutation[b]
				if got.Graphs[m].Has(a, b) != want.Graphs[m].Has(i, j) || got.Weights[m].At(a, b) != want.Weights[m].At(i, j) {
					t.Errorf("particle %d: %d → %d has weight %v, want that of %d → %d, %v", m, a, b, got.Weights[m].At(a, b), i, j, want.Weights[m].At(i, j))
				}
			}
		}
	}
	if diff := cmp.Diff(want.LogLikelihood, got.LogLikelihood); diff != "" {
		t.Errorf("log likelihoods (-want +got):\n%s", diff)
	}
}

// naiveLogDensity is the linear model's definition, row by row.
func naiveLogDensity(x *mat.Dense, g *dag.Graph, w *mat.Dense, variance float64) (prior, likelihood float64) {
	lnN := func(x, mean, v float64) float64 {
		return -0.5*math.Log(2*math.Pi*v) - (x-mean)*(x-mean)/(2*v)
	}
	n, d := x.Dims()
	for _, e := range g.Edges() {
		prior += lnN(w.At(e.From, e.To), 0, 1)
	}
	for r := range n {
		for j := range d {
			mean := 0.0
			for _, i := range g.Parents(j) {
				mean += w.At(i, j) * x.At(r, i)
			}
			likelihood += lnN(x.At(r, j), mean, variance)
		}
	}
	return prior, likelihood
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

// Log densities are those of the definition, on the data of the fit and on
// others, more or fewer rows than variables; the empty graph comes last.
func TestLogDensity(t *testing.T) {
	sim := chain(t, 40)
	p := smallPosterior(t, sim.Train, ordering.Fixed{3, 1, 4, 0, 2})
	for m, g := range p.Graphs {
		prior, likelihood := naiveLogDensity(sim.Train.X, g, p.Weights[m], p.Config.NoiseVariance)
		if !near(p.LogPrior[m], prior) || !near(p.LogLikelihood[m], likelihood) {
			t.Errorf("particle %d on the data of the fit: got %v and %v, want %v and %v", m, p.LogPrior[m], p.LogLikelihood[m], prior, likelihood)
		}
	}
	few := &dataset.Table{Names: sim.Heldout.Names, X: mat.DenseCopyOf(sim.Heldout.X.Slice(0, 2, 0, 5))}
	for _, data := range []*dataset.Table{sim.Heldout, few} {
		prior, likelihood, err := p.LogDensity(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(prior) != len(p.Graphs)+1 || len(likelihood) != len(p.Graphs)+1 {
			t.Fatalf("got %d and %d values, want %d particles and the empty graph", len(prior), len(likelihood), len(p.Graphs))
		}
		for m := range prior {
			g, w := dag.New(5), mat.NewDense(5, 5, nil)
			if m < len(p.Graphs) {
				g, w = p.Graphs[m], p.Weights[m]
			}
			wantPrior, wantLikelihood := naiveLogDensity(data.X, g, w, p.Config.NoiseVariance)
			if !near(prior[m], wantPrior) || !near(likelihood[m], wantLikelihood) {
				t.Errorf("particle %d: got %v and %v, want %v and %v", m, prior[m], likelihood[m], wantPrior, wantLikelihood)
			}
		}
	}
}

func TestLogDensityErrors(t *testing.T) {
	sim := chain(t, 40)
	g := dag.New(5)
	g.Set(1, 0, true)
	graphs, weights := []*dag.Graph{g}, []*mat.Dense{mat.NewDense(5, 5, nil)}
	narrow := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(3, 2, nil)}
	for _, row := range []struct {
		name     string
		data     *dataset.Table
		order    []int
		variance float64
		want     string
	}{
		{"columns", narrow, []int{0, 1, 2, 3, 4}, 0.1, "tobac: got data with 2 columns, want 5"},
		{"against the order", sim.Train, []int{0, 1, 2, 3, 4}, 0.1, "tobac: graph 0 has the edge X1 → X0 against the order"},
		{"variance", sim.Train, []int{1, 0, 2, 3, 4}, -1, "models: linear model: noise variance -1, want a finite positive number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := tobac.LogDensity(row.data, row.order, row.variance, graphs, weights)
			if err == nil || err.Error() != row.want {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
		})
	}
}

// A posterior does not change when its run goes on, nor the run when a caller
// writes to the posterior.
func TestPosteriorIsACopy(t *testing.T) {
	r := newRun(t, chain(t, 40).Train, small)
	advance(t, r, 6)
	p, again := posterior(t, r), posterior(t, r)
	advance(t, r, small.Steps)
	posteriorBits(t, p, again)
	after := posterior(t, r)
	before := state(t, r)
	after.Graphs[0].Set(0, 1, !after.Graphs[0].Has(0, 1))
	after.Weights[0].Set(0, 1, 99)
	after.Order[0], after.Names[0] = 77, "changed"
	if state(t, r) != before {
		t.Error("writing to a posterior changed its run")
	}
	if p := posterior(t, r); p.Order[0] == 77 || p.Names[0] == "changed" {
		t.Error("writing to a posterior changed the next one")
	}
}

// Strong edges, no noise to speak of and 400 rows: the most probable particle
// is the true graph, and its weights are those of the model. The standard error
// of a weight is about sqrt(0.1/400)/sd(x) < 0.05; 0.2 is four of it. Particles
// that start on the wrong side of zero lose their edge, so probabilities stay
// far from 0 and 1: over seeds, those of true edges average 0.57 with a spread
// of 0.03 and those of pairs without an edge 0.17 with 0.02. The bounds are at
// least four spreads away.
func TestFindsTheTrueGraph(t *testing.T) {
	sim := chain(t, 400)
	p, err := tobac.Fit(context.Background(), sim.Train, tobac.Config{Steps: 300, StepSize: 0.02, Samples: 32, Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if v := metrics.ViolatedEdges(p.Order, sim.Graph); v != 0 {
		t.Fatalf("the order %v violates %d edges, want none", p.Order, v)
	}
	best := 0
	for m := range p.Graphs {
		if p.LogPrior[m]+p.LogLikelihood[m] > p.LogPrior[best]+p.LogLikelihood[best] {
			best = m
		}
	}
	if diff := cmp.Diff(sim.Graph.Edges(), p.Graphs[best].Edges()); diff != "" {
		t.Errorf("edges of the most probable particle (-true +got):\n%s", diff)
	}
	for _, e := range sim.Graph.Edges() {
		if got, want := p.Weights[best].At(e.From, e.To), sim.Weights.At(e.From, e.To); math.Abs(got-want) > 0.2 {
			t.Errorf("%d → %d: weight %v, want %v ± 0.2", e.From, e.To, got, want)
		}
	}
	var present, absent float64
	probability := p.EdgeProbabilities()
	for a, i := range p.Order {
		for _, j := range p.Order[a+1:] {
			if sim.Graph.Has(i, j) {
				present += probability.At(i, j) / 4
			} else {
				absent += probability.At(i, j) / 6
			}
		}
	}
	if present < 0.45 || absent > 0.3 {
		t.Errorf("mean probability of true edges %.2f and of other pairs %.2f, want at least 0.45 and at most 0.30", present, absent)
	}
}

// exactMarginals enumerates all parent sets of every variable, given the order:
// the exact edge probabilities, and the exact means and standard deviations of
// the weights where the edge is there.
func exactMarginals(t *testing.T, data *dataset.Table, p *tobac.Posterior) (probability, mean, sd *mat.Dense) {
	t.Helper()
	d := len(p.Order)
	lik, err := models.NewLinear(data.Relabel(p.Order).X, nil, models.LinearOptions{NoiseVariance: p.Config.NoiseVariance})
	if err != nil {
		t.Fatal(err)
	}
	edge := 2 * p.Config.EdgesPerNode / float64(d-1)
	odds := math.Log(edge / (1 - edge))
	probability, mean, sd = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for j := range d {
		scores := make([]float64, 1<<j)
		for set := range scores {
			var parents []int
			for i := range j {
				if set>>i&1 == 1 {
					parents = append(parents, i)
				}
			}
			scores[set] = lik.NodeScore(j, parents) + odds*float64(len(parents))
		}
		total := floats.LogSumExp(scores)
		for i := range j {
			var w, m, square float64
			for set, s := range scores {
				if set>>i&1 == 0 {
					continue
				}
				g := dag.New(d)
				for k := range j {
					g.Set(k, j, set>>k&1 == 1)
				}
				c := lik.Conditionals(g, odds)[i*d+j]
				q := math.Exp(s - total)
				w, m, square = w+q, m+q*c.Mean, square+q*(c.SD*c.SD+c.Mean*c.Mean)
			}
			from, to := p.Order[i], p.Order[j]
			probability.Set(from, to, w)
			mean.Set(from, to, m/w)
			sd.Set(from, to, math.Sqrt(square/w-m*m/w/w))
		}
	}
	return probability, mean, sd
}

// The default read-out is close to the exact posterior given the order: on weak
// data, where many edges are open, the mean absolute error of the edge
// probabilities is below 0.1, less than half of that of the shares (seen: 0.039
// and 0.254), and the weights of probable edges have their exact means to half a
// spread, and their spreads to a factor of two: what the other parents leave open
// is missing where all particles have them.
func TestPosteriorAgainstEnumeration(t *testing.T) {
	data := chain(t, 25).Train
	cfg := tobac.Config{Particles: 20, Steps: 400, Samples: 64, StepSize: 0.02, Seed: 2, NoiseVariance: 0.5}
	p, err := tobac.Fit(context.Background(), data, cfg)
	if err != nil {
		t.Fatal(err)
	}
	probability, mean, sd := exactMarginals(t, data, p)
	shares := p.Value().Empirical().EdgeProbabilities()
	got := p.EdgeProbabilities()
	var errConditional, errShare, pairs float64
	for a := range p.Order {
		for b := a + 1; b < len(p.Order); b++ {
			i, j := p.Order[a], p.Order[b]
			pairs++
			errConditional += math.Abs(got.At(i, j) - probability.At(i, j))
			errShare += math.Abs(shares.At(i, j) - probability.At(i, j))
		}
	}
	t.Logf("mean absolute error: read-out %.3f, shares %.3f", errConditional/pairs, errShare/pairs)
	if errConditional/pairs > 0.1 || errConditional > errShare/2 {
		t.Errorf("mean absolute error of edge probabilities %.3f, of shares %.3f", errConditional/pairs, errShare/pairs)
	}
	for _, e := range p.Edges() {
		if e.Probability < 0.9 {
			continue
		}
		m, s := mean.At(e.Source, e.Target), sd.At(e.Source, e.Target)
		if math.Abs(e.WeightMean-m) > s/2 || e.WeightSD > 2*s || e.WeightSD < s/2 {
			t.Errorf("weight of %d → %d: got %.3f ± %.3f, want %.3f ± %.3f", e.Source, e.Target, e.WeightMean, e.WeightSD, m, s)
		}
	}
}
