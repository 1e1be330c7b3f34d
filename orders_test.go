package tobac_test

import (
	"errors"
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
	"tobac/engine/stein"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/internal/orders"
	"tobac/internal/scoretest"
	"tobac/models"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A single distinct order is the fit under it, bit for bit, whatever the number
// of resamples.
func TestOneDistinctOrderIsTheFitUnderIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	last := 0.0
	// a → b → c → d → e
	data := table(200, 5, []string{"a", "b", "c", "d", "e"}, func(_, j int) float64 {
		if j == 0 {
			last = 0
		}
		last = 2*last + rng.NormFloat64()
		return last
	})
	for _, change := range []func(*tobac.Config){
		func(*tobac.Config) {},
		func(c *tobac.Config) {
			sampler(c).Marginals, c.Model = stein.FrequencyMarginals, sem.Linear{NoiseVariance: 0.3}
		},
		func(c *tobac.Config) { c.Order.Weights = engine.EvidenceWeights },
	} {
		cfg := several()
		cfg.Order.Count = 6
		change(&cfg)
		got := fit(t, data, cfg)
		if n := len(got.Orders.Orders); n != 1 {
			t.Fatalf("%d distinct orders of a strong chain, want 1", n)
		}
		cfg.Order = engine.Order{Known: got.Orders.Orders[0].Order}
		want := fit(t, data, cfg)
		sameDraws(t, got.Posterior, want.Posterior)
		c := got.Components[0]
		if c.NoiseVariance != want.Components[0].NoiseVariance || c.Weight != 1 ||
			c.LogWeight != 0 || c.Count != 6 || !slices.Equal(got.Order(), cfg.Order.Known) {
			t.Errorf("component %+v, want one of the order %v, found 6 times, with the noise "+
				"variance %v", c, cfg.Order.Known, want.Components[0].NoiseVariance)
		}
	}
}

// One resample has one order, which is used though that of the data differs.
func TestOneResample(t *testing.T) {
	data := noisy(t)
	plain := must.Get(ordering.MethodEqVar.Order(t.Context(), data.X, nil, 1))(t)
	for seed := range uint64(50) {
		cfg := several()
		cfg.Order.Count, cfg.Seed = 1, seed
		if resampled := resampledOrders(t, data, cfg).Orders[0].Order; !slices.Equal(resampled,
			plain.Order) {
			if p := fit(t, data, cfg); !slices.Equal(p.Order(), resampled) {
				t.Errorf("order %v, want that of the resample, %v", p.Order(), resampled)
			}
			return
		}
	}
	t.Fatal("every resample has the order of the data")
}

// The posterior under each order is that of a fit under it; the order that
// appeared first has the seed of the run, the others have seeds of their own.
func TestUnderAnOrderIsTheFitUnderIt(t *testing.T) {
	data := noisy(t)
	p := fit(t, data, several())
	if len(p.Components) < 3 || p.Order() != nil ||
		len(p.Draws) != len(p.Components)*small.Particles {
		t.Fatalf("%d orders, order %v, %d particles", len(p.Components), p.Order(), len(p.Draws))
	}
	same := 0
	for k, c := range p.Components {
		want := p.Orders.Orders[k]
		if !slices.Equal(c.Order, want.Order) || c.Count != want.Count ||
			math.Abs(c.Weight-want.Weight) > 1e-15 || c.Draws != small.Particles ||
			!(c.NoiseVariance > 0) {
			t.Errorf("order %d is %+v, want %+v", k, c, want)
		}
		cfg := particles()
		cfg.Order = engine.Order{Known: c.Order}
		under := fit(t, data, cfg)
		if under.Components[0].NoiseVariance != c.NoiseVariance {
			t.Errorf("noise variance of order %d is %v, want %v", k, c.NoiseVariance,
				under.Components[0].NoiseVariance)
		}
		if want.First == 0 {
			sameDraws(t, p.Under(k), under.Posterior)
			same++
		} else if slices.EqualFunc(p.Under(k).Draws, under.Draws, func(a, b posterior.Draw) bool {
			return a.LogLikelihood == b.LogLikelihood
		}) {
			t.Errorf("order %d has the draws of the order that appeared first", k)
		}
	}
	if same != 1 {
		t.Errorf("%d orders appeared first, want 1", same)
	}
}

// Weights sum to 1, and the probabilities of the mixture are the weighted means of
// those under its orders, for every estimator of the marginals and every source of orders.
func TestMixtureIsTheWeightedMean(t *testing.T) {
	drawn := enginesTried()["svgd over drawn orders"]
	drawn.Order.Count = 4
	evidence, frequency := several(), several()
	evidence.Order.Weights = engine.EvidenceWeights
	sampler(&frequency).Marginals = stein.FrequencyMarginals
	for name, cfg := range map[string]tobac.Config{"resamples": several(), "evidence": evidence,
		"frequencies": frequency, "drawn": drawn} {
		t.Run(name, func(t *testing.T) {
			p := fit(t, noisy(t), cfg)
			total := 0.0
			want, precedes := mat.NewDense(5, 5, nil), mat.NewDense(5, 5, nil)
			var scaled mat.Dense
			for k, c := range p.Components {
				total += c.Weight
				if math.Abs(math.Exp(c.LogWeight)-c.Weight) > 1e-15 {
					t.Errorf("order %d: weight %v, log weight %v", k, c.Weight, c.LogWeight)
				}
				scaled.Scale(c.Weight, p.Under(k).Probabilities)
				want.Add(want, &scaled)
				scaled.Scale(c.Weight, p.Under(k).Precedes())
				precedes.Add(precedes, &scaled)
			}
			if math.Abs(total-1) > 1e-12 ||
				math.Abs(floats.Sum(p.Empirical().Weights())-1) > 1e-12 {
				t.Errorf("weights sum to %v, those of the particles to %v", total,
					floats.Sum(p.Empirical().Weights()))
			}
			if diff := largest(p.Probabilities, want); !(diff <= 1e-12) {
				t.Errorf("edge probabilities differ from the weighted mean by up to %v", diff)
			}
			if diff := largest(p.Precedes(), precedes); !(diff <= 1e-12) {
				t.Errorf("probabilities to precede differ from the weighted mean by up to %v", diff)
			}
			checkMixedMoments(t, p.Posterior)
		})
	}
}

// checkMixedMoments compares means and spreads of weights with the law of total
// variance over the orders.
func checkMixedMoments(t *testing.T, p *posterior.Posterior) {
	t.Helper()
	for i := range 5 {
		for j := range 5 {
			sum, mean, square := 0.0, 0.0, 0.0
			for k, c := range p.Components {
				m := p.Under(k).Marginals
				if w := c.Weight * m.Probabilities.At(i, j); w > 0 {
					mu, sd := m.WeightMean.At(i, j), m.WeightSD.At(i, j)
					sum, mean, square = sum+w, mean+w*mu, square+w*(sd*sd+mu*mu)
				}
			}
			if sum == 0 || math.IsNaN(square) {
				continue // frequencies know no spread
			}
			mean /= sum
			sd := math.Sqrt(math.Max(0, square/sum-mean*mean))
			if g := p.WeightMean.At(i, j); math.Abs(g-mean) > 1e-9 ||
				math.Abs(p.WeightSD.At(i, j)-sd) > 1e-6 {
				t.Errorf("weight of %d → %d is %v ± %v, want %v ± %v", i, j, g, p.WeightSD.At(i, j),
					mean, sd)
			}
		}
	}
}

// Relabelling the columns relabels the orders and the edges, bit for bit.
func TestOrdersRelabelling(t *testing.T) {
	data := noisy(t)
	permutation := []int{3, 0, 4, 2, 1}
	want, got := fit(t, data, several()), fit(t, data.Relabel(permutation), several())
	for k, c := range got.Components {
		var back []int
		for _, j := range c.Order {
			back = append(back, permutation[j])
		}
		if w := want.Components[k]; !slices.Equal(back, w.Order) || c.Weight != w.Weight ||
			c.Count != w.Count || c.NoiseVariance != w.NoiseVariance {
			t.Errorf("order %d is %v with the weight %v, want %v with %v", k, back, c.Weight,
				w.Order, w.Weight)
		}
	}
	if !mat.Equal(got.Probabilities, permuted(want.Probabilities, permutation)) {
		t.Errorf("probabilities differ by up to %v",
			largest(got.Probabilities, permuted(want.Probabilities, permutation)))
	}
}

// More resamples leave the particles under the orders already seen as they are.
func TestMoreResamplesKeepParticles(t *testing.T) {
	data := noisy(t)
	cfg := several()
	few := fit(t, data, cfg)
	cfg.Order.Count = 15
	many := fit(t, data, cfg)
	for k, c := range few.Components {
		at := slices.IndexFunc(many.Components, func(m posterior.Component) bool {
			return slices.Equal(m.Order, c.Order)
		})
		if at < 0 {
			t.Fatalf("order %v is gone", c.Order)
		}
		sameDraws(t, many.Under(at), few.Under(k))
	}
}

// The orders are those of resamples of the rows without an intervention.
func TestOrdersLeaveInterventionsOut(t *testing.T) {
	data := chain(t, 40).Train
	data.Intervened = mat.NewDense(40, 5, nil)
	var kept []float64
	for i := range 40 {
		if i%3 == 0 {
			data.Intervened.Set(i, i%5, 1)
		} else {
			kept = append(kept, data.X.RawRowView(i)...)
		}
	}
	cfg := several()
	want := must.Get(ordering.Bootstrap(t.Context(), ordering.MethodEqVar,
		mat.NewDense(len(kept)/5, 5, kept), cfg.Order.Count,
		ordering.BootstrapOptions{Seed: cfg.Seed}))(t)
	if diff := cmp.Diff(want, resampledOrders(t, data, cfg)); diff != "" {
		t.Errorf("orders (-of the rows without interventions +got):\n%s", diff)
	}
}

// Two directions show where the data cannot tell, and warnings say that the order is
// a guess.
func TestConsensusOverOrders(t *testing.T) {
	cfg := several()
	cfg.Order.Count, sampler(&cfg).Steps = 20, 40
	p := fit(t, standardised(t, chain(t, 60).Train), cfg)
	both := 0
	for i := range 5 {
		for j := range i {
			a, b := p.Probabilities.At(i, j), p.Probabilities.At(j, i)
			if a > 0.1 && b > 0.1 {
				both++
			}
			if a+b > 1+1e-12 {
				t.Errorf("directions of %d and %d have the probability %v", i, j, a+b)
			}
		}
	}
	if both == 0 {
		t.Errorf("no pair has both directions:\n%.2f", mat.Formatted(p.Probabilities))
	}
	if g, w := p.Consensus(); !g.Acyclic() || w == nil || p.Cyclic() != 0 {
		t.Errorf("consensus %v, weights %v, %d particles with a cycle", g.Edges(), w, p.Cyclic())
	}
	warnings := strings.Join(p.Warnings, "\n")
	for _, want := range []string{"look standardised",
		"the order is a guess: resamples of the rows agree on "} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings lack %q:\n%s", want, warnings)
		}
	}
}

// Densities of the training rows are the posterior's own under every order, for a
// model whose parameters are all sampled.
func TestLogDensityOverOrders(t *testing.T) {
	sim := chain(t, 18)
	cfg := several()
	cfg.Model = sem.Linear{NoIntercept: true}
	p := fit(t, sim.Train, cfg)
	prior, data := must.Two(drawn.LogDensity(p.Posterior, cfg.Model, sim.Train))(t)
	if len(prior) != len(p.Draws)+1 || prior[len(p.Draws)] != 0 {
		t.Errorf("%d densities of %d draws, log prior %v of the empty graph", len(prior),
			len(p.Draws), prior[len(prior)-1])
	}
	for m, d := range p.Draws {
		if !near(prior[m], d.LogPrior) || !near(data[m], d.LogLikelihood) {
			t.Errorf("particle %d: %v and %v, want %v and %v", m, prior[m], data[m], d.LogPrior,
				d.LogLikelihood)
		}
	}
}

// The weights by evidence are the marginal likelihoods of the orders, by
// enumeration of the graphs that follow each, weighed by the prior, which is normalised
// over them.
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
	bge := must.Get(models.NewBGe(x, nil, models.BGeOptions{}))(t)
	all := scoretest.Graphs(3)
	_, byBGe := must.Two(models.LogJoint(bge, all, nil))(t)
	for _, prior := range []struct {
		name string
		p    background.Prior
		logp func(g *dag.Graph, order []int) float64
	}{
		// ½ edge per node: p = ½
		{"default", background.Prior{}, func(*dag.Graph, []int) float64 { return 0 }},
		{"er", background.Prior{EdgesPerNode: 0.3}, func(g *dag.Graph, _ []int) float64 {
			return float64(g.Size()) * (math.Log(0.3) - math.Log(0.7))
		}},
		{"uniform", background.Prior{Kind: background.Uniform}, func(*dag.Graph, []int) float64 {
			return 0
		}},
		{"sf", background.Prior{Kind: background.ScaleFree}, func(g *dag.Graph, _ []int) float64 {
			return -3 * (math.Log1p(float64(len(g.Parents(0)))) +
				math.Log1p(float64(len(g.Parents(1)))) + math.Log1p(float64(len(g.Parents(2)))))
		}},
		{"edges", background.Prior{Probabilities: odds}, func(g *dag.Graph, order []int) float64 {
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
		for _, model := range []sem.Model{sem.Linear{NoIntercept: true}, sem.BGe{Raw: true}} {
			t.Run(fmt.Sprintf("%s/%v", prior.name, model), func(t *testing.T) {
				p := fit(t, data, tobac.Config{Model: model, Prior: prior.p,
					Engine: &stein.SVGD{Particles: 2, Samples: 4, Steps: 1}, Seed: 2, Workers: 3,
					Order: engine.Order{Method: ordering.MethodEqVar, Count: 12,
						Weights: engine.EvidenceWeights}})
				if len(p.Components) < 2 {
					t.Fatalf("%d orders, want at least 2", len(p.Components))
				}
				want := make([]float64, len(p.Components))
				for k, c := range p.Components {
					var logp, normal []float64
					for m, g := range all {
						if !follows(g, c.Order) {
							continue
						}
						likelihood := byBGe[m]
						if c.NoiseVariance > 0 {
							likelihood = naiveMarginal(x, g, c.NoiseVariance)
						}
						normal = append(normal, prior.logp(g, c.Order))
						logp = append(logp, likelihood+prior.logp(g, c.Order))
					}
					want[k] = floats.LogSumExp(logp) - floats.LogSumExp(normal)
					if math.Abs(c.LogEvidence-want[k]) > 1e-9 {
						t.Errorf("log evidence of %v is %v, want %v", c.Order, c.LogEvidence,
							want[k])
					}
				}
				total := floats.LogSumExp(want)
				for k, c := range p.Components {
					if math.Abs(c.Weight-math.Exp(want[k]-total)) > 1e-9 {
						t.Errorf("weight of %v is %v, want %v", c.Order, c.Weight,
							math.Exp(want[k]-total))
					}
				}
			})
		}
	}
}

// Orders without evidence are errors that say what is allowed.
func TestNoEvidence(t *testing.T) {
	order := engine.Order{Method: ordering.MethodVariance, Count: 2,
		Weights: engine.EvidenceWeights}
	for _, row := range []struct {
		name string
		data *dataset.Table
		cfg  tobac.Config
		want string
	}{
		{"network", noisy(t), tobac.Config{Order: order, Model: sem.FeedForward{}},
			"tobac: no weights by evidence: the model ffn has no node scores in closed form; " +
				"allowed: a model that has, or weights by frequency"},
		{"many variables", wide(9, 30), tobac.Config{Order: order}, "tobac: no weights by " +
			"evidence: they sum over 2^d sets of parents, and there are 30 variables; allowed: " +
			"at most 24, or weights by frequency"},
		{"own prior", noisy(t),
			tobac.Config{Order: order, Prior: background.Prior{Own: ownPrior{}}},
			"tobac: no weights by evidence: the graph prior is not a product over variables: "},
	} {
		_, err := tobac.NewRun(t.Context(), row.data, row.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) ||
			!errors.Is(err, orders.ErrNoEvidence) {
			t.Errorf("%s: got error %v\nwant      %s", row.name, err, row.want)
		}
	}
}

// A run over orders has a posterior once the last order has begun.
func TestNoPosteriorBeforeTheLastOrder(t *testing.T) {
	r := newRun(t, noisy(t), several())
	advance(t, r, small.Steps+3)
	want := fmt.Sprintf(
		"tobac: no posterior after %d of %d steps: %d of %d orders have no particles yet",
		r.Step(), r.Steps(), r.Steps()/small.Steps-2, r.Steps()/small.Steps)
	if _, err := r.Result(t.Context()); err == nil || err.Error() != want {
		t.Errorf("got error %v\nwant      %s", err, want)
	}
	advance(t, r, r.Steps()-3)
	result(t, r)
}

// Every model and every gradient can mix orders, of resamples and of the posterior.
func TestModelsOverOrders(t *testing.T) {
	data := chain(t, 18)
	for _, cfg := range []tobac.Config{
		{Model: sem.FeedForward{Hidden: []int{2}}}, {Model: sem.BGe{}}, {Model: sem.BGe{Raw: true}},
		{Model: ownModel{}},
		{Model: sem.Linear{NoiseVariance: 0.1, PriorStart: true},
			Engine: &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals}}, {},
	} {
		for _, order := range []engine.Order{{Method: ordering.MethodEqVar, Count: 5}, {Count: 3}} {
			svgd := sampler(&cfg)
			svgd.Particles, svgd.Samples, svgd.Steps = 3, 4, 2
			cfg.Engine, cfg.Order, cfg.Seed = svgd, order, 1
			p := fit(t, data.Train, cfg)
			if len(p.Components) < 2 || p.Cyclic() != 0 {
				t.Fatalf("%v: %d orders, %d cyclic", cfg.Model, len(p.Components), p.Cyclic())
			}
			if _, _, err := drawn.LogDensity(p.Posterior, p.Config.Model,
				data.Heldout); err != nil {
				t.Errorf("%v: %v", cfg.Model, err)
			}
			for k, c := range p.Components {
				for m, d := range p.Under(k).Draws {
					if !follows(d.Graph, c.Order) {
						t.Errorf("%v: particle %d has %v against its order %v", cfg.Model, m,
							d.Graph.Edges(), c.Order)
					}
				}
			}
		}
	}
}

// Particles of a model that was chosen and that SVGD samples in the form of another one come with a
// warning, and those of one without a likelihood have no parameters.
func TestFormsOfParticles(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	data := table(150, 3, []string{"a", "b", "c"}, func(int, int) float64 {
		return rng.ExpFloat64()
	})
	levels := table(60, 3, []string{"a", "b", "c"}, func(int, int) float64 {
		return float64(rng.IntN(3))
	})
	levels.Variables = slices.Repeat([]dataset.Variable{{Kind: dataset.Categorical,
		Levels: []string{"p", "q", "r"}}}, 3)
	quick := &stein.SVGD{Particles: 4, Steps: 8, Samples: 8}
	for _, c := range []struct {
		data *dataset.Table
		cfg  tobac.Config
		want bool
	}{
		{data, tobac.Config{Engine: quick}, true},
		{data, tobac.Config{Engine: quick, Model: sem.NonGaussian{}}, false},
		{data, tobac.Config{Engine: quick, Model: sem.BGe{}}, false},
		{levels, tobac.Config{Engine: quick, Model: sem.Mixed{}}, false},
		{levels, tobac.Config{Engine: quick}, false},
	} {
		r := newRun(t, c.data, c.cfg)
		must.Do(t, r.Advance(t.Context(), r.Steps()))
		warnings := strings.Join(r.Warnings(), "\n")
		if strings.Contains(warnings, "svgd has no form of the model of the data, linear with "+
			"noise of any shape: its particles are those of linear with unequal noise "+
			"variances") != c.want {
			t.Errorf("model %v, warnings:\n%s", c.cfg.Model, warnings)
		}
	}
	// Columns of variance 1 are no other model.
	r := newRun(t, data, tobac.Config{Engine: &stein.DiBS{SVGD: *quick}, Model: sem.BGe{}})
	must.Do(t, r.Advance(t.Context(), r.Steps()))
	if all := strings.Join(r.Warnings(), "\n"); strings.Contains(all, "no form of the model") {
		t.Errorf("DiBS under BGe, warnings:\n%s", all)
	}
}

// Resamples that cannot be ordered are counted in a warning.
func TestFailedResamplesAreWarnedOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(104, 104))
	data := table(7, 5, []string{"a", "b", "c", "d", "e"}, func(int, int) float64 {
		return rng.NormFloat64()
	})
	cfg := several()
	cfg.Order.Count, cfg.Seed = 60, 3
	r := newRun(t, data, cfg)
	failed := len(resampledOrders(t, data, cfg).Failures)
	want := fmt.Sprintf("%d of 60 resamples of the rows could not be ordered and are left out, "+
		"the first because of ", failed)
	if warnings := strings.Join(r.Warnings(), "\n"); failed == 0 ||
		!strings.Contains(warnings, want) {
		t.Errorf("%d failures, warnings:\n%s", failed, warnings)
	}
}

// Orders for SVGD are drawn from the posterior of the model and the prior that were asked for: a
// graph, then one of its orders, each as likely as the others. The shares of n orders with i before
// j agree with the sum over all graphs within 4.5 standard errors: with node scores, with evidences
// of a likelihood that are estimated, and with a prior of one's own that is no product over
// variables.
func TestDrawnOrdersFollowThePosterior(t *testing.T) {
	data := weak(20, 3, 3)
	const n = 160
	hypotheses := must.Get(ownScored{}.Hypotheses(t.Context(), data, nil, 1))(t)
	s := hypotheses[0].Scores
	fair := func(g *dag.Graph) (log float64) {
		for j := range 3 {
			log -= math.Log([]float64{1, 2, 1}[len(g.Parents(j))]) // C(2, size)
		}
		return log
	}
	for _, c := range []struct {
		name     string
		model    sem.Model
		prior    background.Prior
		logPrior func(g *dag.Graph) float64
	}{
		{"node scores", ownScored{}, background.Prior{Kind: background.Fair}, fair},
		{"a likelihood", ownModel{}, background.Prior{Kind: background.Fair}, fair},
		{"a prior", ownScored{}, background.Prior{Own: lastFirst{2, 0}},
			func(g *dag.Graph) float64 {
				if g.Has(2, 0) {
					return 3
				}
				return 0
			}},
	} {
		res := fit(t, data,
			tobac.Config{Model: c.model, Prior: c.prior, Order: engine.Order{Count: n},
				Engine: &stein.SVGD{Particles: 1, Samples: 1, Steps: 1}, Seed: 5})
		if len(res.Components) != n {
			t.Fatalf("%s: %d orders, want %d", c.name, len(res.Components), n)
		}
		graphs := scoretest.Graphs(3)
		var logs []float64
		for _, g := range graphs {
			v := c.logPrior(g)
			for j := range 3 {
				v += s.LogScore(j, g.Parents(j))
			}
			logs = append(logs, v)
		}
		total := floats.LogSumExp(logs)
		want := mat.NewDense(3, 3, nil)
		for m, g := range graphs {
			extensions := slices.DeleteFunc([][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0},
				{2, 0, 1}, {2, 1, 0}}, func(o []int) bool { return !follows(g, o) })
			for _, o := range extensions {
				w := math.Exp(logs[m]-total) / float64(len(extensions))
				for a, i := range o {
					for _, j := range o[a+1:] {
						want.Set(i, j, want.At(i, j)+w)
					}
				}
			}
		}
		got := res.Precedes()
		for i := range 3 {
			for j := range 3 {
				p := want.At(i, j)
				if se := math.Sqrt(p * (1 - p) / n); i != j && math.Abs(got.At(i, j)-p) > 4.5*se {
					t.Errorf("%s: %d comes before %d in a fraction of %.3f, want %.3f ± %.3f",
						c.name, i, j, got.At(i, j), p, se)
				}
			}
		}
	}
}

// lastFirst is a prior under which the edge between two variables has the odds e³, as an expression
// alone.
type lastFirst struct{ from, to int }

func (p lastFirst) LogProb(g *autograd.Node) *autograd.Node {
	return g.Index(0, p.from).Index(0, p.to).Scale(3)
}

func (p lastFirst) Relabel(order []int) models.GraphPrior {
	return lastFirst{slices.Index(order, p.from), slices.Index(order, p.to)}
}

// Networks draw their orders from the posterior of networks, which tempering computes; without
// evidences of its own a model has those of others, and says so.
func TestOrdersOfNetworks(t *testing.T) {
	data := table(25, 3, []string{"a", "b", "c"}, func(i, j int) float64 {
		x := 2 * generic(i, 0)
		return [...]float64{x, x*x + 0.1*generic(i, 1), generic(i, 2)}[j] // a → b is a parabola
	})
	model := sem.FeedForward{Hidden: []int{2}, Activation: models.Tanh}
	cfg := tobac.Config{Model: model, Order: engine.Order{Count: 12},
		Engine: &stein.SVGD{Particles: 1, Samples: 1, Steps: 1}, Seed: 5}
	res := fit(t, data, cfg)
	if got := res.Precedes().At(0, 1); !(got > 0.9) || len(res.Evidence) != 1 {
		t.Errorf("a comes before b in a fraction of %.2f, want nearly 1; evidences %v", got,
			res.Evidence)
	}
	cfg.Model, cfg.Order.Count = sem.FeedForward{Hidden: []int{2, 2}}, 1
	if got := fit(t, data, cfg); !strings.Contains(strings.Join(got.Warnings, "; "),
		"but from others, with node scores in closed form (evidences of networks with several "+
			"hidden layers take too long") {
		t.Errorf("warnings %q", got.Warnings)
	}
	cfg.Model = ownModel{} // whose sets of parents are too many to estimate all
	nine := table(30, 9, strings.Split("abcdefghi", ""), generic)
	if got := fit(t, nine, cfg); strings.Contains(strings.Join(got.Warnings, "; "), "orders") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// SVGD under orders from the posterior of a model with a noise variance for each column does not
// depend on their units.
func TestUnitsOfParticles(t *testing.T) {
	data := chain(t, 60).Train
	other := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range 60 {
		other.X.Set(i, 1, 1024*data.X.At(i, 1))
	}
	for _, model := range []sem.Model{sem.Linear{Unequal: true}, sem.BGe{}} {
		cfg := tobac.Config{Model: model, Order: engine.Order{Count: 3}, Engine: &small, Seed: 5}
		a, b := fit(t, data, cfg), fit(t, other, cfg)
		if !mat.EqualApprox(a.Probabilities, b.Probabilities, 1e-9) {
			t.Errorf("%v: probabilities\n%.3v\nwith other units\n%.3v", model,
				mat.Formatted(a.Probabilities), mat.Formatted(b.Probabilities))
		}
	}
}
