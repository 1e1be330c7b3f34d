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
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/models"
	"tobac/ordering"
	"tobac/score"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// choices are the models of svgd and dibs, each with a few quick steps.
func choices() map[string]tobac.Config {
	c := map[string]tobac.Config{}
	for name, model := range map[string]sem.Model{
		"linear": sem.Linear{}, "linear without intercept": sem.Linear{NoIntercept: true},
		"ffn":            sem.FeedForward{Hidden: []int{2}, Activation: models.Tanh},
		"integrated ffn": sem.FeedForward{Hidden: []int{2}, Output: models.IntegratedOutput},
		"bge":            sem.BGe{}, "raw bge": sem.BGe{Raw: true},
	} {
		short := small
		short.Steps = 8
		for _, e := range []engine.Settings{&short, &stein.DiBS{SVGD: short}} {
			cfg := particles()
			cfg.Model, cfg.Engine = model, e
			if isA[*stein.DiBS](e) {
				cfg.Order = engine.Order{}
			}
			c[name+"/"+e.Engine().Name()] = cfg
		}
	}
	return c
}

// Every model and method gives a posterior that fits together: acyclic graphs
// along the order, or a count of those that are not; equations or parameters where
// the model has them; densities of the training rows that are those of the fit.
func TestEveryModelAndMethod(t *testing.T) {
	sim := chain(t, 40)
	for name, cfg := range choices() {
		t.Run(name, func(t *testing.T) {
			p := fit(t, sim.Train, cfg)
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			dibs, linear, marginal := isA[*stein.DiBS](cfg.Engine),
				strings.HasPrefix(name, "linear"), strings.Contains(name, "bge")
			if (p.Order() == nil) != dibs {
				t.Errorf("order %v", p.Order())
			}
			cyclic := 0
			for m, d := range p.Draws {
				if !d.Graph.Acyclic() {
					cyclic++
				} else if !dibs && !follows(d.Graph, p.Order()) {
					t.Errorf("particle %d: edges %v against the order %v", m, d.Graph.Edges(),
						p.Order())
				}
				if (d.Equations != nil) != linear || (d.Parameters != nil) == (linear || marginal) {
					t.Errorf("particle %d: equations %v, parameters %v", m, d.Equations != nil,
						d.Parameters != nil)
				}
				if linear {
					for i := range 5 {
						for j := range 5 {
							if (d.Equations.Weights.At(i, j) != 0) != d.Graph.Has(i, j) {
								t.Errorf("particle %d: weight of %d → %d is %v, edge %v", m, i, j,
									d.Equations.Weights.At(i, j), d.Graph.Has(i, j))
							}
						}
					}
				}
			}
			if p.Cyclic() != cyclic || cyclic > 0 && !dibs {
				t.Errorf("%d graphs with a cycle, Cyclic says %d", cyclic, p.Cyclic())
			}
			g, w := p.Consensus()
			if !g.Acyclic() || linear && w == nil {
				t.Errorf("consensus %v, weights %v", g.Edges(), w)
			}
			prior, likelihood := must.Two(drawn.LogDensity(p.Posterior, cfg.Model, sim.Train))(t)
			last := len(p.Draws)
			if len(prior) != last+1 || math.IsNaN(likelihood[last]) {
				t.Errorf("the empty graph has log densities %v, %v", prior[last], likelihood[last])
			}
			if name == "linear/svgd" || name == "linear/dibs" {
				// the intercept is integrated out of the fit's densities, and estimated in the
				// equations
				return
			}
			// densities of the fit have no last layer, parameters do
			integrated := strings.HasPrefix(name, "integrated")
			for m, d := range p.Draws {
				if !integrated &&
					(!near(prior[m], d.LogPrior) || !near(likelihood[m], d.LogLikelihood)) {
					t.Errorf("particle %d: %v and %v on the data of the fit, want %v and %v", m,
						prior[m], likelihood[m], d.LogPrior, d.LogLikelihood)
				}
			}
			if _, held, err := drawn.LogDensity(p.Posterior, cfg.Model, sim.Heldout); err != nil ||
				len(held) != last+1 {
				t.Errorf("held-out rows: %d densities, error %v", len(held), err)
			}
		})
	}
}

// Runs of every model and method are resumed bitwise, with interventions.
func TestEveryModelResumesBitwise(t *testing.T) {
	data := intervened(chain(t, 40).Train)
	for name, cfg := range choices() {
		t.Run(name, func(t *testing.T) {
			if isA[*stein.SVGD](cfg.Engine) {
				cfg.Order = engine.Order{Known: []int{3, 1, 4, 0, 2}}
			}
			resume(t, data, cfg, 3)
			if strings.Contains(name, "bge") {
				s := snapshot(t, newRun(t, data, cfg))
				changeStage(t, s, func(p *samplingState) { p.Particles.Theta = [][]float64{{1}} })
				if err := newRun(t, data, cfg).Restore(context.Background(), s); err == nil ||
					err.Error() != "tobac: snapshot has parameters, the run's model has none" {
					t.Errorf("parameters for a marginal model: error %v", err)
				}
			}
		})
	}
}

// relabelled is the prior in the columns of a table whose column a is column
// permutation[a].
func relabelled(p background.Prior, permutation []int) background.Prior {
	inverse := dag.Inverse(permutation)
	edges := func(all []dag.Edge) (out []dag.Edge) {
		for _, e := range all {
			out = append(out, dag.Edge{From: inverse[e.From], To: inverse[e.To]})
		}
		return out
	}
	p.Forbidden, p.Required = edges(p.Forbidden), edges(p.Required)
	if p.Tiers != nil {
		var tiers []int
		for _, i := range permutation {
			tiers = append(tiers, p.Tiers[i])
		}
		p.Tiers = tiers
	}
	if p.Probabilities != nil {
		p.Probabilities = permuted(p.Probabilities, permutation)
	}
	return p
}

// permuted is the matrix whose entry (a, b) is (permutation[a], permutation[b]) of m.
func permuted(m mat.Matrix, permutation []int) *mat.Dense {
	d := len(permutation)
	out := mat.NewDense(d, d, nil)
	for a, i := range permutation {
		for b, j := range permutation {
			out.Set(a, b, m.At(i, j))
		}
	}
	return out
}

// Columns are labels, for every model, an edge prior and interventions too: a
// table with permuted columns gives the permuted particles, exactly, since SVGD runs in
// order coordinates, in which the two problems are one.
func TestRelabellingParticles(t *testing.T) {
	data := intervened(chain(t, 40).Train)
	permutation := []int{2, 4, 1, 0, 3} // new column a is old column permutation[a]
	inverse := dag.Inverse(permutation)
	probabilities := mat.NewDense(5, 5, nil)
	probabilities.Apply(func(i, j int, _ float64) float64 { return float64(1+i+2*j) / 16 },
		probabilities)
	for name, cfg := range choices() {
		if isA[*stein.DiBS](cfg.Engine) {
			continue // its latents belong to labels
		}
		t.Run(name, func(t *testing.T) {
			cfg.Order = engine.Order{Known: []int{0, 3, 1, 2, 4}}
			cfg.Prior = background.Prior{Probabilities: probabilities,
				Forbidden: []dag.Edge{{From: 0, To: 2}}}
			want := fit(t, data, cfg)
			var order []int
			for _, v := range cfg.Order.Known {
				order = append(order, inverse[v])
			}
			cfg.Order.Known, cfg.Prior = order, relabelled(cfg.Prior, permutation)
			got := fit(t, data.Relabel(permutation), cfg)
			for m, d := range want.Draws {
				if !got.Draws[m].Graph.Equal(d.Graph.Relabel(permutation)) ||
					got.Draws[m].LogLikelihood != d.LogLikelihood ||
					got.Draws[m].LogPrior != d.LogPrior {
					t.Errorf("particle %d: edges %v, want those of %v relabelled", m,
						got.Draws[m].Graph.Edges(), d.Graph.Edges())
				}
				if d.Equations != nil && !mat.Equal(got.Draws[m].Equations.Weights,
					permuted(d.Equations.Weights, permutation)) {
					t.Errorf("particle %d: other weights", m)
				}
			}
			if diff := largest(got.Probabilities,
				permuted(want.Probabilities, permutation)); !(diff <= 1e-15) {
				t.Errorf("probabilities differ by up to %v", diff)
			}
		})
	}
}

// The exact posterior is relabelled too, to the rounding of sums in another
// sequence, for every model and with a prior that speaks of edges.
func TestRelabellingExact(t *testing.T) {
	data := intervened(noisy(t))
	permutation := []int{2, 4, 1, 0, 3}
	probabilities := mat.NewDense(5, 5, nil)
	probabilities.Apply(func(i, j int, _ float64) float64 { return float64(1+i+2*j) / 30 },
		probabilities)
	for _, model := range []sem.Model{nil, sem.Linear{NoiseVariance: 0.5}, sem.Linear{}, sem.BGe{},
		sem.BGe{Raw: true}, sem.GaussianProcess{}} {
		for _, prior := range []background.Prior{{},
			{Kind: background.Fair, Required: []dag.Edge{{From: 3, To: 1}},
				Tiers: []int{0, 1, 1, -1, 1}, MaxParents: 2}, {Probabilities: probabilities}} {
			cfg := tobac.Config{Model: model, Prior: prior, Engine: &sums.Exact{}}
			want := fit(t, data, cfg)
			cfg.Prior = relabelled(prior, permutation)
			got := fit(t, data.Relabel(permutation), cfg)
			tolerance := 1e-12
			if _, ok := model.(sem.Linear); !ok || model == (sem.Linear{}) {
				// of noise variances that iterations find, and of Gaussian processes
				tolerance = 1e-7
			}
			if _, ok := model.(sem.BGe); ok {
				tolerance = 1e-12
			}
			if diff := largest(got.Probabilities,
				permuted(want.Probabilities, permutation)); !(diff <= tolerance) {
				t.Errorf("%v, %v: probabilities differ by up to %v", model, prior, diff)
			}
			if got.Model != want.Model {
				t.Errorf("%v: the model %s, want %s", model, got.Model, want.Model)
			}
		}
	}
}

// A value set by intervention drops out of its own variable's density, and its
// row out of what the order is found from.
func TestInterventions(t *testing.T) {
	sim := chain(t, 40)
	data := intervened(sim.Train)
	cfg := particles()
	cfg.Order, cfg.Model = engine.Order{Known: []int{0, 1, 2, 3, 4}},
		sem.Linear{NoiseVariance: 0.1, NoIntercept: true}
	for m, d := range fit(t, data, cfg).Draws {
		want := 0.0
		for i := range 40 {
			for j := range 5 {
				if data.Intervened.At(i, j) == 1 {
					continue
				}
				mean := 0.0
				for _, k := range d.Graph.Parents(j) {
					mean += data.X.At(i, k) * d.Equations.Weights.At(k, j)
				}
				residual := data.X.At(i, j) - mean
				want -= residual*residual/(2*0.1) + 0.5*math.Log(2*math.Pi*0.1)
			}
		}
		if !near(d.LogLikelihood, want) {
			t.Errorf("particle %d: log likelihood %v, want %v", m, d.LogLikelihood, want)
		}
	}

	some := &dataset.Table{Names: data.Names, X: data.X, Intervened: mat.NewDense(40, 5, nil)}
	for i := range 25 {
		some.Intervened.Set(i, i%5, 1)
	}
	rest := must.Get(ordering.MethodEqVar.Order(t.Context(),
		mat.DenseCopyOf(data.X.Slice(25, 40, 0, 5)), nil, 1))(t)
	if diff := cmp.Diff(rest.Order, fit(t, some, particles()).Order()); diff != "" {
		t.Errorf("order of the untouched rows (-want +got):\n%s", diff)
	}
}

// Interventions tell directions where observations do not: two variables of one
// equivalence class are told apart by the exact engine once one of them is set.
func TestInterventionsTellDirections(t *testing.T) {
	data := weak(60, 2, 3)
	for i := range 60 {
		data.X.Set(i, 1, 2*data.X.At(i, 0)+0.3*data.X.At(i, 1))
	}
	cfg := tobac.Config{Model: sem.BGe{}, Engine: &sums.Exact{}}
	p := fit(t, data, cfg).Probabilities
	if math.Abs(p.At(0, 1)-p.At(1, 0)) > 1e-9 {
		t.Errorf("observations give %v and %v, want the same", p.At(0, 1), p.At(1, 0))
	}
	data.Intervened = mat.NewDense(60, 2, nil)
	for i := range 30 { // b set at will leaves a as it was
		data.Intervened.Set(i, 1, 1)
		data.X.Set(i, 1, 4*generic(i, 1))
	}
	if p = fit(t, data, cfg).Probabilities; p.At(0, 1) < 0.99 {
		t.Errorf("with interventions a → b has the probability %v, want more than 0.99", p.At(0, 1))
	}
}

// ownModel is a user's model: linear with a given noise variance.
type ownModel struct{}

func (ownModel) String() string { return "own" }

func (ownModel) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return models.NewLinear(data.X, data.Mask(), models.LinearOptions{NoiseVariance: 0.3})
}

// ownScored has node scores too.
type ownScored struct{ ownModel }

func (ownScored) Hypotheses(_ context.Context, data *dataset.Table, _ *score.Prior,
	_ int) ([]sem.Hypothesis, error) {
	s, err := score.NewLinear(data.X, data.Mask(),
		score.LinearOptions{NoiseVariance: 0.3, NoIntercept: true})
	return []sem.Hypothesis{{Scores: s, NoiseVariance: 0.3}}, err
}

// A custom model with a likelihood is sampled by SVGD, under orders that are
// drawn from their posterior; under a known order its particles are those of
// the model of the package that it equals.
func TestOwnModel(t *testing.T) {
	data := noisy(t)
	got := fit(t, data, tobac.Config{Model: ownModel{}, Engine: &small, Seed: 7})
	if got.Config.Engine.Engine().Name() != "svgd" || got.Model != "own" ||
		len(got.Components) != 5 || len(got.Draws) != 5*small.Particles {
		t.Errorf("engine %v, model %s, %d orders, %d particles", got.Config.Engine, got.Model,
			len(got.Components), len(got.Draws))
	}
	built := particles()
	built.Order, built.Model = engine.Order{Known: []int{0, 1, 2, 3, 4}},
		sem.Linear{NoiseVariance: 0.3, NoIntercept: true, PriorStart: true}
	own := built
	own.Model = ownModel{}
	a, b := fit(t, data, own), fit(t, data, built)
	for m := range a.Draws {
		if !a.Draws[m].Graph.Equal(b.Draws[m].Graph) ||
			a.Draws[m].LogLikelihood != b.Draws[m].LogLikelihood {
			t.Errorf("particle %d: edges %v, want %v", m, a.Draws[m].Graph.Edges(),
				b.Draws[m].Graph.Edges())
		}
	}
	if a.WeightMean == nil { // the likelihood is models.Weighted
		t.Error("no means of weights")
	}
}

// With node scores the same model gets the exact engine, and a comparison with particles.
func TestOwnScoredModel(t *testing.T) {
	data := noisy(t)
	got, particles, _ := compare(t, data,
		tobac.Config{Model: ownScored{}, Order: engine.Order{Count: 2}, Seed: 7}, &small)
	want := fit(t, data,
		tobac.Config{Model: sem.Linear{NoiseVariance: 0.3, NoIntercept: true}, Seed: 7})
	if got.Config.Engine.Engine().Name() != "exact" || got.Model != "own" ||
		particles.Model != "own" || len(particles.Components) != 2 {
		t.Errorf("engine %v, model %s, particles of %s", got.Config.Engine, got.Model,
			particles.Model)
	}
	if !mat.Equal(got.Probabilities, want.Probabilities) {
		t.Errorf("probabilities\n%v\nwant\n%v", mat.Formatted(got.Probabilities),
			mat.Formatted(want.Probabilities))
	}
}

// DiBS leaves particles with cycles after a short run. They are counted, and
// dropped by the posterior as by package metrics.
func TestCyclicParticles(t *testing.T) {
	sim := chain(t, 40)
	cfg := enginesTried()["dibs"]
	cfg.Model = sem.Linear{NoIntercept: true}
	p := fit(t, sim.Train, cfg)
	if c := p.Cyclic(); c == 0 || c == len(p.Draws) {
		t.Fatalf("%d of %d particles have a cycle: this run shows nothing", c, len(p.Draws))
	}
	kept, _ := p.Empirical().Acyclic()
	if !mat.Equal(kept.EdgeProbabilities(), p.Probabilities) {
		t.Error("edge probabilities differ from those of the acyclic particles")
	}
	report := must.Get(metrics.Evaluate(p.Empirical(), sim.Graph, nil))(t)
	if report.Cyclic != p.Cyclic() || !near(float64(report.ESHD), metrics.ESHD(kept, sim.Graph)) {
		t.Errorf("report has %d cyclic particles and E-SHD %v, want %d and %v", report.Cyclic,
			report.ESHD, p.Cyclic(), metrics.ESHD(kept, sim.Graph))
	}
}
