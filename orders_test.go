package tobac_test

import (
	"context"
	"encoding/json"
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
	"tobac/models"
	"tobac/ordering"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// noisy are few rows of the chain, whose resamples have several orders.
func noisy(t testing.TB) *dataset.Table { return chain(t, 18).Train }

// several is a short run over the orders of resamples of noisy data.
func several() tobac.Config {
	cfg := small
	cfg.Orders = 9
	return cfg
}

// finished runs to the last step.
func finished(t testing.TB, data *dataset.Table, cfg tobac.Config) (*tobac.Run, *tobac.Posterior) {
	t.Helper()
	r := newRun(t, data, cfg)
	advance(t, r, r.Steps())
	return r, posterior(t, r)
}

// A single distinct order is the fit under it, bit for bit, whatever the number
// of resamples.
func TestOneDistinctOrderIsTheFitUnderIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	last := 0.0
	data := table(200, 5, []string{"a", "b", "c", "d", "e"}, func(_, j int) float64 { // a → b → c → d → e
		if j == 0 {
			last = 0
		}
		last = 2*last + rng.NormFloat64()
		return last
	})
	for _, change := range []func(*tobac.Config){
		func(*tobac.Config) {},
		func(c *tobac.Config) { c.Readout, c.NoiseVariance = tobac.ShareReadout, 0.3 },
		func(c *tobac.Config) { c.OrderWeights = tobac.EvidenceWeights },
	} {
		cfg := small
		change(&cfg)
		plain := cfg
		cfg.Orders = 6
		r, got := finished(t, data, cfg)
		if n := len(r.Orders().Orders); n != 1 {
			t.Fatalf("%d distinct orders of a strong chain, want 1", n)
		}
		plain.OrderWeights, plain.Order = tobac.FrequencyWeights, ordering.Fixed(r.Orders().Orders[0].Order)
		_, want := finished(t, data, plain)
		posteriorBits(t, got, want)
		if got.Config.NoiseVariance != want.Config.NoiseVariance {
			t.Errorf("noise variance %v, want %v", got.Config.NoiseVariance, want.Config.NoiseVariance)
		}
		if len(got.Orders) != 1 || got.Orders[0].Weight != 1 || got.Orders[0].LogWeight != 0 || got.Orders[0].Count != 6 || !slices.Equal(r.Order().Order, got.Order) {
			t.Errorf("orders %+v of the posterior, %v of the run", got.Orders, r.Order().Order)
		}
	}
}

// One resample has one order, which is used though that of the data differs.
func TestOneResample(t *testing.T) {
	data := noisy(t)
	for seed := range uint64(50) {
		cfg := several()
		cfg.Orders, cfg.Seed = 1, seed
		r := newRun(t, data, cfg)
		plain, err := ordering.EqVar(data.X)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(r.Order().Order, plain.Order) {
			continue
		}
		advance(t, r, r.Steps())
		if p := posterior(t, r); !slices.Equal(p.Order, r.Orders().Orders[0].Order) {
			t.Errorf("order %v, want that of the resample, %v", p.Order, r.Orders().Orders[0].Order)
		}
		return
	}
	t.Fatal("every resample has the order of the data")
}

// The posterior under each order is that of a fit under it; the order that
// appeared first has the seed of the run, the others have seeds of their own.
func TestUnderAnOrderIsTheFitUnderIt(t *testing.T) {
	data := noisy(t)
	r, p := finished(t, data, several())
	if len(p.Orders) < 3 || len(p.Order) != 0 || len(p.Graphs) != len(p.Orders)*small.Particles {
		t.Fatalf("%d orders, order %v, %d graphs", len(p.Orders), p.Order, len(p.Graphs))
	}
	same := 0
	for k, o := range p.Orders {
		want := r.Orders().Orders[k]
		if !slices.Equal(o.Order, want.Order) || o.Count != want.Count || o.Weight != want.Weight || o.Particles != small.Particles || !(o.NoiseVariance > 0) {
			t.Errorf("order %d is %+v, want %+v", k, o, want)
		}
		cfg := small
		cfg.Order = ordering.Fixed(o.Order)
		_, fit := finished(t, data, cfg)
		if fit.Config.NoiseVariance != o.NoiseVariance {
			t.Errorf("noise variance of order %d is %v, want %v", k, o.NoiseVariance, fit.Config.NoiseVariance)
		}
		if want.First == 0 {
			posteriorBits(t, p.Under(k), fit)
			same++
		} else if slices.EqualFunc(p.Under(k).Graphs, fit.Graphs, (*dag.Graph).Equal) && mat.Equal(p.Under(k).Parameters, fit.Parameters) {
			t.Errorf("order %d has the draws of the order that appeared first", k)
		}
	}
	if same != 1 {
		t.Errorf("%d orders appeared first, want 1", same)
	}
	if q := p.Under(0); q.Under(3) != q {
		t.Error("a posterior under one order is not its own")
	}
}

// Weights sum to 1, and the probabilities of the mixture are the weighted means of
// those under its orders: exactly for shares, and for the conditional read-out to
// the threshold below which edges are left out.
func TestMixtureIsTheWeightedMean(t *testing.T) {
	for _, row := range []struct {
		readout   tobac.Readout
		weights   tobac.OrderWeights
		tolerance float64
	}{
		{tobac.ShareReadout, tobac.FrequencyWeights, 1e-12}, {tobac.ConditionalReadout, tobac.FrequencyWeights, 0.005},
		{tobac.ShareReadout, tobac.EvidenceWeights, 1e-12}, {tobac.ConditionalReadout, tobac.EvidenceWeights, 0.005},
	} {
		t.Run(fmt.Sprint(row.readout, " ", row.weights), func(t *testing.T) {
			cfg := several()
			cfg.Readout, cfg.OrderWeights = row.readout, row.weights
			_, p := finished(t, noisy(t), cfg)
			total := 0.0
			want, precedes := mat.NewDense(5, 5, nil), mat.NewDense(5, 5, nil)
			var scaled mat.Dense
			for k, o := range p.Orders {
				total += o.Weight
				if math.Abs(math.Exp(o.LogWeight)-o.Weight) > 1e-15 {
					t.Errorf("order %d: weight %v, log weight %v", k, o.Weight, o.LogWeight)
				}
				scaled.Scale(o.Weight, p.Under(k).EdgeProbabilities())
				want.Add(want, &scaled)
				scaled.Scale(o.Weight, p.Under(k).Precedes())
				precedes.Add(precedes, &scaled)
			}
			if math.Abs(total-1) > 1e-12 || math.Abs(floats.Sum(p.ParticleWeights())-1) > 1e-12 || len(p.ParticleWeights()) != len(p.Graphs) {
				t.Errorf("weights sum to %v, those of the particles to %v", total, floats.Sum(p.ParticleWeights()))
			}
			if got := p.EdgeProbabilities(); !mat.EqualApprox(got, want, row.tolerance) {
				t.Errorf("edge probabilities\n%.3f\nwant\n%.3f", mat.Formatted(got), mat.Formatted(want))
			}
			if !mat.EqualApprox(p.Precedes(), precedes, 1e-12) {
				t.Errorf("precedes\n%.3f\nwant\n%.3f", mat.Formatted(p.Precedes()), mat.Formatted(precedes))
			}
			for i := range 5 {
				for j := range i {
					if s := p.Precedes().At(i, j) + p.Precedes().At(j, i); math.Abs(s-1) > 1e-12 {
						t.Errorf("pair %d, %d precede each other with %v, want 1", i, j, s)
					}
				}
			}
			checkMixedMoments(t, p)
		})
	}
}

// checkMixedMoments compares means and spreads of weights with the law of total
// variance over the orders.
func checkMixedMoments(t *testing.T, p *tobac.Posterior) {
	t.Helper()
	for _, e := range p.Edges() {
		sum, mean, square := 0.0, 0.0, 0.0
		for k, o := range p.Orders {
			for _, f := range p.Under(k).Edges() {
				if f.Source == e.Source && f.Target == e.Target {
					w := o.Weight * f.Probability
					sum, mean, square = sum+w, mean+w*f.WeightMean, square+w*(f.WeightSD*f.WeightSD+f.WeightMean*f.WeightMean)
				}
			}
		}
		// What the parts leave out is at most 0.005 of the probability of an edge.
		if e.Probability < 0.3 {
			continue
		}
		mean /= sum
		sd := math.Sqrt(math.Max(0, square/sum-mean*mean))
		if math.Abs(e.WeightMean-mean) > 0.05 || math.Abs(e.WeightSD-sd) > 0.05 {
			t.Errorf("weight of %d → %d is %.3f ± %.3f, want %.3f ± %.3f", e.Source, e.Target, e.WeightMean, e.WeightSD, mean, sd)
		}
	}
}

// The number of workers changes nothing.
func TestOrdersDoNotDependOnWorkers(t *testing.T) {
	for _, weights := range []tobac.OrderWeights{tobac.FrequencyWeights, tobac.EvidenceWeights} {
		cfg := several()
		cfg.OrderWeights = weights
		cfg.Workers = 1
		r, want := finished(t, noisy(t), cfg)
		before := state(t, r)
		for _, workers := range []int{2, 8} {
			cfg.Workers = workers
			r, got := finished(t, noisy(t), cfg)
			posteriorBits(t, got, want)
			if diff := cmp.Diff(want.Orders, got.Orders); diff != "" {
				t.Errorf("%v, %d workers: orders (-1 worker +got):\n%s", weights, workers, diff)
			}
			if state(t, r) != before {
				t.Errorf("%v, %d workers: particles differ from those of 1 worker", weights, workers)
			}
		}
	}
}

// Relabelling the columns relabels the orders and the edges, bit for bit.
func TestOrdersRelabelling(t *testing.T) {
	data := noisy(t)
	relabel := []int{3, 0, 4, 2, 1} // column j of the relabelled table is column relabel[j]
	names := []string{}
	x := mat.NewDense(18, 5, nil)
	for j, i := range relabel {
		names = append(names, data.Names[i])
		x.SetCol(j, mat.Col(nil, i, data.X))
	}
	_, want := finished(t, data, several())
	_, got := finished(t, &dataset.Table{Names: names, X: x}, several())
	for k, o := range got.Orders {
		back := make([]int, 5)
		for c, j := range o.Order {
			back[c] = relabel[j]
		}
		o.Order = back
		if diff := cmp.Diff(want.Orders[k], o); diff != "" {
			t.Errorf("order %d (-want +relabelled):\n%s", k, diff)
		}
	}
	p, q := want.EdgeProbabilities(), got.EdgeProbabilities()
	for i := range 5 {
		for j := range 5 {
			if q.At(i, j) != p.At(relabel[i], relabel[j]) {
				t.Errorf("probability of %d → %d is %v, want %v", i, j, q.At(i, j), p.At(relabel[i], relabel[j]))
			}
		}
	}
}

// More resamples leave the particles under the orders already seen as they are.
func TestMoreResamplesKeepParticles(t *testing.T) {
	data := noisy(t)
	cfg := several()
	_, few := finished(t, data, cfg)
	cfg.Orders = 15
	_, many := finished(t, data, cfg)
	for k, o := range few.Orders {
		at := slices.IndexFunc(many.Orders, func(m tobac.OrderShare) bool { return slices.Equal(m.Order, o.Order) })
		if at < 0 {
			t.Fatalf("order %v is gone", o.Order)
		}
		posteriorBits(t, many.Under(at), few.Under(k))
	}
}

// The orders are those of resamples of the rows without an intervention.
func TestOrdersLeaveInterventionsOut(t *testing.T) {
	data := chain(t, 40).Train
	mask := mat.NewDense(40, 5, nil)
	var kept []float64
	for i := range 40 {
		if i%3 == 0 {
			mask.Set(i, i%5, 1)
		} else {
			kept = append(kept, data.X.RawRowView(i)...)
		}
	}
	cfg := several()
	cfg.Interventions = mask
	r := newRun(t, data, cfg)
	want, err := ordering.Bootstrap(t.Context(), ordering.MethodEqVar, mat.NewDense(len(kept)/5, 5, kept), cfg.Orders, ordering.BootstrapOptions{Seed: cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Orders()); diff != "" {
		t.Errorf("orders (-of the rows without interventions +got):\n%s", diff)
	}
}

// Two directions show where the data cannot tell, and the consensus is acyclic,
// its edges taken in order of probability.
func TestConsensusOverOrders(t *testing.T) {
	table, err := chain(t, 60).Train.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	cfg := several()
	cfg.Orders, cfg.Steps = 20, 40
	_, p := finished(t, table, cfg)
	q := p.EdgeProbabilities()
	both := 0
	for i := range 5 {
		for j := range i {
			if q.At(i, j) > 0.1 && q.At(j, i) > 0.1 {
				both++
			}
			if s := q.At(i, j) + q.At(j, i); s > 1+1e-12 {
				t.Errorf("directions of %d and %d have the probability %v", i, j, s)
			}
		}
	}
	if both == 0 {
		t.Errorf("no pair has both directions:\n%.2f", mat.Formatted(q))
	}
	g, w := p.Consensus()
	if !g.Acyclic() || w == nil {
		t.Errorf("consensus %v, weights %v", g.Edges(), w)
	}
	if p.Cyclic() != 0 {
		t.Errorf("%d particles have a cycle", p.Cyclic())
	}
	warnings := strings.Join(p.Warnings, "\n")
	for _, want := range []string{"look standardised", "the order is a guess: resamples of the rows agree on "} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings lack %q:\n%s", want, warnings)
		}
	}
}

// Three orders can make a cycle of edges that are each more likely than not: the
// least likely is left out.
func TestConsensusBreaksCycles(t *testing.T) {
	edge := func(pairs ...[2]int) *dag.Graph {
		g := dag.New(3)
		for _, p := range pairs {
			g.Set(p[0], p[1], true)
		}
		return g
	}
	p := &tobac.Posterior{
		Names:  []string{"a", "b", "c"},
		Graphs: []*dag.Graph{edge([2]int{0, 1}, [2]int{1, 2}), edge([2]int{1, 2}, [2]int{2, 0}), edge([2]int{2, 0}, [2]int{0, 1})},
		Orders: []tobac.OrderShare{
			{Order: []int{0, 1, 2}, Weight: 0.40, Particles: 1},
			{Order: []int{1, 2, 0}, Weight: 0.35, Particles: 1},
			{Order: []int{2, 0, 1}, Weight: 0.25, Particles: 1},
		},
	}
	want := mat.NewDense(3, 3, []float64{0, 0.65, 0, 0, 0, 0.75, 0.6, 0, 0})
	if got := p.EdgeProbabilities(); !mat.EqualApprox(got, want, 1e-15) {
		t.Errorf("edge probabilities\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
	}
	g, _ := p.Consensus()
	if !g.Equal(edge([2]int{0, 1}, [2]int{1, 2})) {
		t.Errorf("consensus %v, want 0 → 1 → 2 without 2 → 0, the least probable of the cycle", g.Edges())
	}
}

// Densities of other data are those under each particle's own order and noise
// variance; that of the empty graph is the weighted mean.
func TestLogDensityOverOrders(t *testing.T) {
	sim := chain(t, 18)
	_, p := finished(t, sim.Train, several())
	prior, data, err := p.LogDensity(sim.Heldout)
	if err != nil {
		t.Fatal(err)
	}
	m, empty := 0, 0.0
	for k, o := range p.Orders {
		lp, ld, err := p.Under(k).LogDensity(sim.Heldout)
		if err != nil {
			t.Fatal(err)
		}
		n := o.Particles
		if diff := cmp.Diff(lp[:n], prior[m:m+n]) + cmp.Diff(ld[:n], data[m:m+n]); diff != "" {
			t.Errorf("order %d (-under +mixture):\n%s", k, diff)
		}
		m += n
		empty += o.Weight * ld[n]
	}
	if len(prior) != m+1 || prior[m] != 0 || math.Abs(data[m]-empty) > 1e-9*math.Abs(empty) {
		t.Errorf("empty graph: %v and %v, want 0 and %v", prior[m], data[m], empty)
	}
	// On the training rows they are the posterior's own.
	prior, data, err = p.LogDensity(sim.Train)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.LogPrior, prior[:m]) + cmp.Diff(p.LogLikelihood, data[:m]); diff != "" {
		t.Errorf("training rows (-posterior +density):\n%s", diff)
	}
}

// dags lists all 25 graphs without cycle on three variables.
func dags() []*dag.Graph {
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}
	var all []*dag.Graph
	for set := range 64 {
		g := dag.New(3)
		for b, p := range pairs {
			g.Set(p[0], p[1], set>>b&1 == 1)
		}
		if g.Acyclic() {
			all = append(all, g)
		}
	}
	return all
}

// linearMarginal is log p(D|G) of the linear model by its definition: column j is
// normal with covariance σ²I + X_pa X_paᵀ.
func linearMarginal(x *mat.Dense, g *dag.Graph, variance float64) float64 {
	n, d := x.Dims()
	total := 0.0
	for j := range d {
		c := mat.NewSymDense(n, nil)
		for r := range n {
			for s := r; s < n; s++ {
				v := 0.0
				for _, i := range g.Parents(j) {
					v += x.At(r, i) * x.At(s, i)
				}
				if r == s {
					v += variance
				}
				c.SetSym(r, s, v)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(c) {
			return math.NaN()
		}
		y := mat.NewVecDense(n, mat.Col(nil, j, x))
		var solved mat.VecDense
		if err := chol.SolveVecTo(&solved, y); err != nil {
			return math.NaN()
		}
		total -= 0.5 * (float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(y, &solved))
	}
	return total
}

// The weights by evidence are the marginal likelihoods of the orders, by
// enumeration of all 25 graphs of three variables: those that follow the order,
// weighed by the prior, which is normalised over them.
func TestEvidenceAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 14
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, 0.4*a - 0.3*b + rng.NormFloat64()})
	}
	data := &dataset.Table{Names: []string{"a", "b", "c"}, X: x}
	odds := mat.NewDense(3, 3, []float64{0, 0.2, 0.6, 0.5, 0, 0.3, 0.7, 0.1, 0})
	edges, err := models.NewEdgePrior(odds)
	if err != nil {
		t.Fatal(err)
	}
	bge, err := models.NewBGe(x, nil, models.BGeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := dags()
	if len(all) != 25 {
		t.Fatalf("%d graphs, want 25", len(all))
	}
	_, byBGe, err := models.LogJoint(bge, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, prior := range []struct {
		name string
		p    models.GraphPrior
		logp func(g *dag.Graph, order []int) float64
	}{
		{"default", nil, func(g *dag.Graph, _ []int) float64 { // ½ edge per node: p = ½
			return 0
		}},
		{"er", models.ErdosRenyi{EdgeProbability: 0.3}, func(g *dag.Graph, _ []int) float64 {
			return float64(g.Size()) * (math.Log(0.3) - math.Log(0.7))
		}},
		{"uniform", models.UniformPrior{}, func(*dag.Graph, []int) float64 { return 0 }},
		{"sf", models.ScaleFree{}, func(g *dag.Graph, _ []int) float64 {
			return -3 * (math.Log1p(float64(len(g.Parents(0)))) + math.Log1p(float64(len(g.Parents(1)))) + math.Log1p(float64(len(g.Parents(2)))))
		}},
		{"edges", edges, func(g *dag.Graph, order []int) float64 {
			sum := 0.0
			for c, i := range order {
				for _, j := range order[c+1:] {
					if g.Has(i, j) {
						sum += math.Log(odds.At(i, j))
					} else {
						sum += math.Log(1 - odds.At(i, j))
					}
				}
			}
			return sum
		}},
	} {
		for _, model := range []tobac.Model{tobac.Linear{}, tobac.BGe{}} {
			t.Run(fmt.Sprintf("%s/%T", prior.name, model), func(t *testing.T) {
				cfg := tobac.Config{Model: model, Prior: prior.p, Particles: 2, Samples: 4, Steps: 1, Seed: 2, Orders: 12, OrderWeights: tobac.EvidenceWeights, Workers: 3}
				_, p := finished(t, data, cfg)
				if len(p.Orders) < 2 {
					t.Fatalf("%d orders, want at least 2", len(p.Orders))
				}
				want := make([]float64, len(p.Orders))
				for k, o := range p.Orders {
					position := dag.Inverse(o.Order)
					var logp, normal []float64
					for m, g := range all {
						follows := true
						for _, e := range g.Edges() {
							follows = follows && position[e.From] < position[e.To]
						}
						if !follows {
							continue
						}
						likelihood := byBGe[m]
						if !model.Marginal() {
							likelihood = linearMarginal(x, g, o.NoiseVariance)
						}
						normal = append(normal, prior.logp(g, o.Order))
						logp = append(logp, likelihood+prior.logp(g, o.Order))
					}
					want[k] = floats.LogSumExp(logp) - floats.LogSumExp(normal)
					if math.Abs(o.LogEvidence-want[k]) > 1e-9 {
						t.Errorf("log evidence of %v is %v, want %v", o.Order, o.LogEvidence, want[k])
					}
				}
				total := floats.LogSumExp(want)
				for k, o := range p.Orders {
					if math.Abs(o.Weight-math.Exp(want[k]-total)) > 1e-9 {
						t.Errorf("weight of %v is %v, want %v", o.Order, o.Weight, math.Exp(want[k]-total))
					}
				}
			})
		}
	}
}

// Settings that contradict each other, or have no evidence, are errors that say
// what is allowed.
func TestOrdersConfigErrors(t *testing.T) {
	type ownPrior struct{ models.UniformPrior }
	for _, row := range []struct {
		name     string
		cfg      tobac.Config
		d        int
		want     string
		evidence bool
	}{
		{"negative", tobac.Config{Orders: -1}, 5, "orders is -1, want at least 1 resample, or 0 for the one order of all rows", false},
		{"dibs", tobac.Config{Orders: 2, Method: tobac.DiBS}, 5, "the method dibs takes no causal orders", false},
		{"known order", tobac.Config{Orders: 2, Order: ordering.Fixed{0, 1, 2}}, 3, "the causal order is given, which leaves no distribution over orders", false},
		{"weights of one order", tobac.Config{OrderWeights: tobac.EvidenceWeights}, 5, "orders are weighed by evidence, but there is only one: set the number of resamples", false},
		{"unknown weights", tobac.Config{Orders: 2, OrderWeights: 7}, 5, "unknown weights 7 of the orders", false},
		{"network", tobac.Config{Orders: 2, OrderWeights: tobac.EvidenceWeights, Model: tobac.FeedForward{}}, 5,
			"no weights by evidence: the model tobac.FeedForward has no marginal likelihood in closed form; allowed: the linear model, marginal models, or weights by frequency", true},
		{"many variables", tobac.Config{Orders: 2, OrderWeights: tobac.EvidenceWeights}, 21,
			"no weights by evidence: they sum over 2^d sets of parents, and there are 21 variables; allowed: at most 20 with the linear model, or weights by frequency", true},
		{"many variables, marginal", tobac.Config{Orders: 2, OrderWeights: tobac.EvidenceWeights, Model: tobac.BGe{}}, 13,
			"no weights by evidence: they sum over 2^d sets of parents, and there are 13 variables; allowed: at most 12 with a marginal model, or weights by frequency", true},
		{"own prior", tobac.Config{Orders: 2, OrderWeights: tobac.EvidenceWeights, Prior: ownPrior{}}, 5,
			"no weights by evidence: the prior tobac_test.ownPrior is not one of package models; allowed: those, or weights by frequency", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.cfg.WithDefaults(row.d)
			if err == nil || err.Error() != row.want || errors.Is(err, tobac.ErrNoEvidence) != row.evidence {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
		})
	}
}

// Steps and progress count over all orders, and a run has a posterior once the
// last order has begun.
func TestProgressOverOrders(t *testing.T) {
	cfg := several()
	next := 0
	var r *tobac.Run
	cfg.Progress = func(p tobac.Progress) {
		next++
		if p.Step != next || p.Steps != r.Steps() || p.Order != 1+(next-1)/cfg.Steps || p.Orders != len(r.Orders().Orders) {
			t.Errorf("step %d of %d: %+v", next, r.Steps(), p)
		}
	}
	r = newRun(t, noisy(t), cfg)
	if want := cfg.Steps * len(r.Orders().Orders); r.Steps() != want {
		t.Fatalf("%d steps, want %d", r.Steps(), want)
	}
	advance(t, r, cfg.Steps+3)
	if r.Step() != cfg.Steps+3 {
		t.Errorf("at step %d, want %d", r.Step(), cfg.Steps+3)
	}
	want := fmt.Sprintf("tobac: no posterior after %d of %d steps: there are no particles yet under %d of %d orders",
		r.Step(), r.Steps(), r.Steps()/cfg.Steps-2, r.Steps()/cfg.Steps)
	if _, err := r.Posterior(); err == nil || err.Error() != want {
		t.Errorf("got error %v\nwant      %s", err, want)
	}
	advance(t, r, r.Steps()+100)
	if next != r.Steps() || r.Step() != r.Steps() {
		t.Errorf("%d reports, at step %d, want %d", next, r.Step(), r.Steps())
	}
}

// A run over several orders that is cut within an order or between two, written
// to JSON and resumed, ends in the same bits.
func TestResumeOverOrdersIsBitwise(t *testing.T) {
	data := noisy(t)
	for _, weights := range []tobac.OrderWeights{tobac.FrequencyWeights, tobac.EvidenceWeights} {
		cfg := several()
		cfg.OrderWeights = weights
		whole, want := finished(t, data, cfg)
		end := state(t, whole)
		for _, cut := range []int{0, 5, cfg.Steps, cfg.Steps + 1, 2*cfg.Steps + 7, whole.Steps()} {
			first := newRun(t, data, cfg)
			advance(t, first, cut)
			text := state(t, first)
			var s tobac.Snapshot
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			cfg.Workers = 3
			second := newRun(t, data, cfg)
			advance(t, second, 1) // what it has done is forgotten
			if err := second.Restore(&s); err != nil {
				t.Fatal(err)
			}
			if got := state(t, second); got != text || second.Step() != cut {
				t.Errorf("cut at %d: the restored run differs from the snapshot, at step %d", cut, second.Step())
			}
			advance(t, second, second.Steps())
			if state(t, second) != end {
				t.Errorf("cut at %d: particles differ from the uninterrupted run's", cut)
			}
			got := posterior(t, second)
			posteriorBits(t, got, want)
			if diff := cmp.Diff(want.Orders, got.Orders); diff != "" {
				t.Errorf("cut at %d: orders (-want +got):\n%s", cut, diff)
			}
			// A run that has ended can go back.
			if err := second.Restore(&s); err != nil || state(t, second) != text {
				t.Errorf("cut at %d: restoring a finished run: %v", cut, err)
			}
		}
	}
}

// Cancellation stops within a step, within an order and between two.
func TestCancellationOverOrders(t *testing.T) {
	data := noisy(t)
	_, want := finished(t, data, several())
	for _, stop := range []int{5, small.Steps, small.Steps + 1} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cfg := several()
		cfg.Progress = func(p tobac.Progress) {
			if p.Step == stop {
				cancel()
			}
		}
		r := newRun(t, data, cfg)
		err := r.Advance(ctx, r.Steps())
		text := fmt.Sprintf("tobac: stopped after %d of %d steps: context canceled", stop, r.Steps())
		if !errors.Is(err, context.Canceled) || err.Error() != text || r.Step() != stop {
			t.Errorf("at step %d: got error %v, want %s", r.Step(), err, text)
		}
		advance(t, r, r.Steps())
		posteriorBits(t, posterior(t, r), want)
	}
	dead, stop := context.WithCancel(t.Context())
	stop()
	cfg := several()
	cfg.OrderWeights = tobac.EvidenceWeights
	if p, err := tobac.Fit(dead, data, cfg); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Fit under a dead context: got %v, %v", p, err)
	}
}

// Every model and every gradient can mix orders.
func TestModelsOverOrders(t *testing.T) {
	data := chain(t, 18)
	for _, cfg := range []tobac.Config{
		{Model: tobac.FeedForward{Hidden: []int{2}}},
		{Model: tobac.BGe{}, Gradient: models.ScoreFunction},
		tobac.Config{Estimator: models.Joint, NoiseVariance: 0.1, Start: tobac.PriorStart, Readout: tobac.ShareReadout},
	} {
		cfg.Particles, cfg.Samples, cfg.Steps, cfg.Seed, cfg.Orders = 3, 4, 2, 1, 5
		_, p := finished(t, data.Train, cfg)
		if len(p.Orders) < 2 || p.Cyclic() != 0 {
			t.Fatalf("%T: %d orders, %d cyclic", cfg.Model, len(p.Orders), p.Cyclic())
		}
		if _, _, err := p.LogDensity(data.Heldout); err != nil {
			t.Errorf("%T: %v", cfg.Model, err)
		}
		for k, o := range p.Orders {
			position := dag.Inverse(o.Order)
			for m, g := range p.Under(k).Graphs {
				for _, e := range g.Edges() {
					if position[e.From] > position[e.To] {
						t.Errorf("%T: particle %d has %d → %d against its order %v", cfg.Model, m, e.From, e.To, o.Order)
					}
				}
			}
		}
	}
}

// Resamples that cannot be ordered are counted in a warning.
func TestFailedResamplesAreWarnedOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(104, 104))
	data := table(7, 5, []string{"a", "b", "c", "d", "e"}, func(int, int) float64 { return rng.NormFloat64() })
	cfg := several()
	cfg.Orders, cfg.Seed = 60, 3
	r := newRun(t, data, cfg)
	failed := len(r.Orders().Failures)
	want := fmt.Sprintf("%d of 60 resamples of the rows could not be ordered and are left out, the first because of ", failed)
	if warnings := strings.Join(r.Warnings(), "\n"); failed == 0 || !strings.Contains(warnings, want) {
		t.Errorf("%d failures, warnings:\n%s", failed, warnings)
	}
}

// A certain edge that some order contradicts is found before anything is sampled.
func TestCertainEdgeAgainstSomeOrder(t *testing.T) {
	data := noisy(t)
	r := newRun(t, data, several())
	precedes := r.Orders().Precedes()
	for i := range 5 {
		for j := range 5 {
			if p := precedes.At(i, j); p == 0 || p == 1 {
				continue
			}
			certain := mat.NewDense(5, 5, nil)
			for a := range 25 {
				certain.RawMatrix().Data[a] = 0.5
			}
			certain.Set(i, j, 1)
			certain.Set(j, i, 0)
			prior, err := models.NewEdgePrior(certain)
			if err != nil {
				t.Fatal(err)
			}
			cfg := several()
			cfg.Prior = prior
			if _, err := tobac.NewRun(data, cfg); err == nil || !strings.Contains(err.Error(), "certain, but the causal order puts") {
				t.Errorf("certain edge %d → %d: %v", i, j, err)
			}
			return
		}
	}
	t.Fatal("all orders agree")
}
