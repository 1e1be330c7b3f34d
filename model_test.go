package tobac_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/metrics"
	"tobac/models"
	"tobac/ordering"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// choices are the models and methods, each with a few quick steps.
func choices() map[string]tobac.Config {
	c := map[string]tobac.Config{}
	for name, model := range map[string]tobac.Model{
		"linear": tobac.Linear{}, "ffn": tobac.FeedForward{Hidden: []int{2}, Activation: models.Tanh}, "bge": tobac.BGe{},
	} {
		for _, method := range []tobac.Method{tobac.TOBAC, tobac.DiBS} {
			cfg := small
			cfg.Model, cfg.Method, cfg.Steps = model, method, 8
			cfg.Penalty = models.Penalty{}
			if model.Marginal() {
				cfg.Gradient = models.ScoreFunction
			}
			c[fmt.Sprintf("%s/%v", name, method)] = cfg
		}
	}
	return c
}

// masked sets values by intervention: of column 4 all, of column 1 some.
func masked(n, d int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	for i := range n {
		m.Set(i, 4, 1)
		if i%3 == 0 {
			m.Set(i, 1, 1)
		}
	}
	return m
}

// Every model and method gives a posterior that fits together: acyclic graphs
// along the order, or a count of those that are not; weights where the model
// has them; on the data of the fit, densities that are those of the fit.
func TestEveryModelAndMethod(t *testing.T) {
	sim := chain(t, 40)
	for name, cfg := range choices() {
		t.Run(name, func(t *testing.T) {
			p, err := tobac.Fit(context.Background(), sim.Train, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(p.Order) == 0; got != (cfg.Method == tobac.DiBS) {
				t.Errorf("order %v", p.Order)
			}
			cyclic := 0
			for _, g := range p.Graphs {
				if !g.Acyclic() {
					cyclic++
				}
			}
			if p.Cyclic() != cyclic || cyclic > 0 && cfg.Method == tobac.TOBAC {
				t.Errorf("%d graphs with a cycle, Cyclic says %d", cyclic, p.Cyclic())
			}
			linear := strings.HasPrefix(name, "linear")
			if (p.Weights != nil) != linear || (p.Parameters == nil) != cfg.Model.Marginal() {
				t.Errorf("weights: %t, parameters: %t", p.Weights != nil, p.Parameters != nil)
			}
			g, w := p.Consensus()
			if !g.Acyclic() || (w != nil) != linear {
				t.Errorf("consensus %v, weights %v", g.Edges(), w)
			}
			for _, e := range p.Edges() {
				if e.Probability <= 0 || e.Probability > 1 || !linear && (e.WeightMean != 0 || e.WeightSD != 0) {
					t.Errorf("edge %+v", e)
				}
			}
			prior, likelihood, err := p.LogDensity(sim.Train)
			if err != nil {
				t.Fatal(err)
			}
			last := len(p.Graphs)
			for m := range p.Graphs {
				if !near(prior[m], p.LogPrior[m]) || !near(likelihood[m], p.LogLikelihood[m]) {
					t.Errorf("particle %d: %v and %v on the data of the fit, want %v and %v", m, prior[m], likelihood[m], p.LogPrior[m], p.LogLikelihood[m])
				}
			}
			if len(prior) != last+1 || cfg.Model.Marginal() && prior[last] != 0 || math.IsNaN(likelihood[last]) {
				t.Errorf("the empty graph has log densities %v, %v", prior[last], likelihood[last])
			}
		})
	}
}

// Runs of every model and method are resumed bitwise, from JSON, with another
// number of workers.
func TestEveryModelResumesBitwise(t *testing.T) {
	data := chain(t, 40).Train
	for name, cfg := range choices() {
		t.Run(name, func(t *testing.T) {
			cfg.Interventions, cfg.Order = masked(40, 5), ordering.Fixed{3, 1, 4, 0, 2}
			if cfg.Method == tobac.DiBS {
				cfg.Order = nil
			}
			whole := newRun(t, data, cfg)
			advance(t, whole, cfg.Steps)
			first := newRun(t, data, cfg)
			advance(t, first, 3)
			var s tobac.Snapshot
			if err := json.Unmarshal([]byte(state(t, first)), &s); err != nil {
				t.Fatal(err)
			}
			cfg.Workers = 3
			second := newRun(t, data, cfg)
			if err := second.Restore(&s); err != nil {
				t.Fatal(err)
			}
			advance(t, second, cfg.Steps)
			if state(t, second) != state(t, whole) {
				t.Error("the resumed run's particles differ")
			}
			if cfg.Model.Marginal() {
				s.Theta = [][]float64{{1}}
				if err := second.Restore(&s); err == nil || err.Error() != "tobac: snapshot has parameters, the run's model has none" {
					t.Errorf("parameters for a marginal model: error %v", err)
				}
			}
		})
	}
}

// Columns are labels, for every model, an edge prior and interventions too: a
// table with permuted columns gives the permuted posterior, exactly.
func TestRelabellingEveryModel(t *testing.T) {
	data := chain(t, 40).Train
	order := ordering.Fixed{0, 3, 1, 2, 4}
	permutation := []int{2, 4, 1, 0, 3} // new column a is old column permutation[a]
	inverse := dag.Inverse(permutation)
	var permuted ordering.Fixed
	for _, v := range order {
		permuted = append(permuted, inverse[v])
	}
	probabilities, relabelled := mat.NewDense(5, 5, nil), mat.NewDense(5, 5, nil)
	mask, maskRelabelled := masked(40, 5), mat.NewDense(40, 5, nil)
	for a, i := range permutation {
		maskRelabelled.SetCol(a, mat.Col(nil, i, mask))
		for b, j := range permutation {
			probabilities.Set(i, j, float64(1+i+2*j)/16)
			relabelled.Set(a, b, probabilities.At(i, j))
		}
	}
	prior := func(p *mat.Dense) models.GraphPrior {
		e, err := models.NewEdgePrior(p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, cfg := range choices() {
		if cfg.Method == tobac.DiBS {
			continue // its latents belong to labels
		}
		t.Run(name, func(t *testing.T) {
			cfg.Order, cfg.Prior, cfg.Interventions = order, prior(probabilities), mask
			want, err := tobac.Fit(context.Background(), data, cfg)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Order, cfg.Prior, cfg.Interventions = permuted, prior(relabelled), maskRelabelled
			got, err := tobac.Fit(context.Background(), data.Relabel(permutation), cfg)
			if err != nil {
				t.Fatal(err)
			}
			for m := range want.Graphs {
				if !got.Graphs[m].Equal(want.Graphs[m].Relabel(permutation)) {
					t.Errorf("particle %d: edges %v, want those of %v relabelled", m, got.Graphs[m].Edges(), want.Graphs[m].Edges())
				}
			}
			if diff := cmp.Diff(want.LogLikelihood, got.LogLikelihood); diff != "" {
				t.Errorf("log likelihoods (-want +got):\n%s", diff)
			}
		})
	}
}

// A value set by intervention drops out of its own variable's density, and its
// row out of what the order is found from.
func TestInterventions(t *testing.T) {
	sim := chain(t, 40)
	cfg := small
	cfg.Order, cfg.Interventions, cfg.NoiseVariance = ordering.Fixed{0, 1, 2, 3, 4}, masked(40, 5), 0.1
	p, err := tobac.Fit(context.Background(), sim.Train, cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, again, err := p.LogDensityIntervened(sim.Train, cfg.Interventions)
	if err != nil {
		t.Fatal(err)
	}
	for m, g := range p.Graphs {
		if !near(again[m], p.LogLikelihood[m]) {
			t.Errorf("particle %d: log likelihood %v of the same data again, want %v", m, again[m], p.LogLikelihood[m])
		}
		want := 0.0
		for i := range 40 {
			for j := range 5 {
				if cfg.Interventions.At(i, j) == 1 {
					continue
				}
				mean := 0.0
				for _, k := range g.Parents(j) {
					mean += sim.Train.X.At(i, k) * p.Weights[m].At(k, j)
				}
				residual := sim.Train.X.At(i, j) - mean
				want -= residual*residual/(2*0.1) + 0.5*math.Log(2*math.Pi*0.1)
			}
		}
		if !near(p.LogLikelihood[m], want) {
			t.Errorf("particle %d: log likelihood %v, want %v", m, p.LogLikelihood[m], want)
		}
	}

	some := mat.NewDense(40, 5, nil)
	for i := range 25 {
		some.Set(i, i%5, 1)
	}
	cfg.Order, cfg.Interventions = nil, some
	got := newRun(t, sim.Train, cfg).Order().Order
	rest, err := ordering.EqVar(mat.DenseCopyOf(sim.Train.X.Slice(25, 40, 0, 5)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rest.Order, got); diff != "" {
		t.Errorf("order of the untouched rows (-want +got):\n%s", diff)
	}
}

// ownModel is a user's model: linear, with noise of its own variance.
type ownModel struct{ tobac.Linear }

func (ownModel) Likelihood(x, intervened mat.Matrix, _ tobac.Config) (models.Likelihood, error) {
	return models.NewLinear(x, intervened, models.LinearOptions{NoiseVariance: 0.3})
}

func TestOwnModel(t *testing.T) {
	data := chain(t, 40).Train
	cfg := small
	cfg.Model = ownModel{}
	got := smallFit(t, data, cfg)
	cfg.Model, cfg.NoiseVariance, cfg.Start = nil, 0.3, tobac.PriorStart
	if diff := cmp.Diff(smallFit(t, data, cfg).LogLikelihood, got.LogLikelihood); diff != "" {
		t.Errorf("log likelihoods (-built in +own):\n%s", diff)
	}
}

func smallFit(t *testing.T, data *dataset.Table, cfg tobac.Config) *tobac.Posterior {
	t.Helper()
	p, err := tobac.Fit(context.Background(), data, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// DiBS leaves particles with cycles after a short run. They are counted, and
// dropped by the posterior as by package metrics.
func TestCyclicParticles(t *testing.T) {
	sim := chain(t, 40)
	cfg := small
	cfg.Method = tobac.DiBS
	p := smallFit(t, sim.Train, cfg)
	if c := p.Cyclic(); c == 0 || c == len(p.Graphs) {
		t.Fatalf("%d of %d particles have a cycle: this run shows nothing", c, len(p.Graphs))
	}
	ensemble := p.Value().Empirical()
	kept, _ := ensemble.Acyclic()
	if !mat.Equal(kept.EdgeProbabilities(), p.EdgeProbabilities()) {
		t.Error("edge probabilities differ from those of the acyclic particles in package bench")
	}
	report, err := metrics.Evaluate(ensemble, sim.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Cyclic != p.Cyclic() || !near(float64(report.ESHD), metrics.ESHD(kept, sim.Graph)) {
		t.Errorf("report has %d cyclic particles and E-SHD %v, want %d and %v", report.Cyclic, report.ESHD, p.Cyclic(), metrics.ESHD(kept, sim.Graph))
	}
}

// Each of three acyclic graphs holds two edges of one cycle, so each edge has
// the probability 2/3. The consensus takes the first two and not the third. A
// graph with a cycle counts for nothing; where there are no others, nothing is
// left.
func TestConsensusOfCycle(t *testing.T) {
	graph := func(edges ...dag.Edge) *dag.Graph {
		g, err := dag.FromEdges(3, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	ab, bc, ca := dag.Edge{From: 0, To: 1}, dag.Edge{From: 1, To: 2}, dag.Edge{From: 2, To: 0}
	p := tobac.Posterior{Names: []string{"a", "b", "c"}, Graphs: []*dag.Graph{graph(ab, bc), graph(bc, ca), graph(ca, ab), graph(ab, bc, ca)}}
	for _, e := range p.Edges() {
		if e.Probability != 2./3 {
			t.Errorf("edge %+v, want the probability 2/3", e)
		}
	}
	g, w := p.Consensus()
	if diff := cmp.Diff([]dag.Edge{ab, bc}, g.Edges()); diff != "" || w != nil {
		t.Errorf("consensus (-want +got), weights %v:\n%s", w, diff)
	}
	p.Graphs = p.Graphs[3:]
	if g, _ := p.Consensus(); p.Cyclic() != 1 || len(p.Edges()) != 0 || g.Size() != 0 {
		t.Errorf("cyclic particles alone: %d cyclic, edges %v, consensus %v", p.Cyclic(), p.Edges(), g.Edges())
	}
}

// The published settings of tobac.md, section 11.
func TestMethodDefaults(t *testing.T) {
	dibs := tobac.Paper()
	dibs.Method = tobac.DiBS
	got, err := dibs.WithDefaults(10)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rank != 10 || got.Penalty != (models.Penalty{Rate: 1, Samples: 32}) || got.AlphaRate != 0.05 || got.Gradient != models.Reparameterised {
		t.Errorf("joint DiBS: %+v", got)
	}
	got, err = tobac.PaperMarginal().WithDefaults(10)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rank != 9 || got.AlphaRate != 1 || got.Gradient != models.ScoreFunction || got.NoiseVariance != 0 || got.BandwidthZ != 5 || got.BandwidthTheta != 0 || got.Estimator != models.Joint {
		t.Errorf("marginal TOBAC: %+v", got)
	}
	got, err = tobac.Config{Model: tobac.BGe{}}.WithDefaults(10)
	if err != nil || got.AlphaRate != 1 {
		t.Errorf("alpha rate %v of a marginal model, error %v, want 1", got.AlphaRate, err)
	}
	again, err := got.WithDefaults(10)
	if err != nil || cmp.Diff(got, again) != "" {
		t.Errorf("filling in defaults twice: error %v, difference %s", err, cmp.Diff(got, again))
	}
}

// Wrong combinations are named before anything is computed.
func TestWrongCombinations(t *testing.T) {
	data := chain(t, 40).Train
	edges := func(d int, at func(i, j int) float64) models.GraphPrior {
		p := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				p.Set(i, j, at(i, j))
			}
		}
		prior, err := models.NewEdgePrior(p)
		if err != nil {
			t.Fatal(err)
		}
		return prior
	}
	half := func(int, int) float64 { return 0.5 }
	bad := mat.NewDense(40, 5, nil)
	bad.Set(7, 2, 0.5)
	all := mat.NewDense(40, 5, nil)
	all.Apply(func(_, j int, _ float64) float64 { return float64(j % 2) }, all)
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		want string
	}{
		{"unknown method", tobac.Config{Method: 2}, "tobac: unknown method Method(2)"},
		{"unknown gradient", tobac.Config{Gradient: 7}, "models: TOBAC: unknown gradient 7"},
		{"unknown estimator", tobac.Config{Estimator: 7}, "models: TOBAC: unknown estimator 7"},
		{"order for DiBS", tobac.Config{Method: tobac.DiBS, Order: ordering.Fixed{0, 1, 2, 3, 4}}, "tobac: the method dibs takes no causal order"},
		{"penalty for TOBAC", tobac.Config{Penalty: models.Penalty{Rate: 2}}, "tobac: a penalty of cycles is set, but the method tobac has no cycles"},
		{"penalty rate", tobac.Config{Method: tobac.DiBS, Penalty: models.Penalty{Rate: -2}}, "tobac: penalty rate is -2, want a finite positive number"},
		{"penalty samples", tobac.Config{Method: tobac.DiBS, Penalty: models.Penalty{Samples: -2}}, "tobac: penalty samples is -2, want at least 1"},
		{"noise of BGe", tobac.Config{Model: tobac.BGe{}, NoiseVariance: 0.2}, "tobac: noise variance is 0.2, but the model integrates the noise variance out"},
		{"bandwidth of BGe", tobac.Config{Model: tobac.BGe{}, BandwidthTheta: 3}, "tobac: bandwidth of theta is 3, but the model has no parameters"},
		{"BGe", tobac.Config{Model: tobac.BGe{AlphaLambda: 5}}, "models: BGe: alpha mu 1 and alpha lambda 5 on 5 variables, want alpha mu > 0 and alpha lambda > 6"},
		{"hidden size 0", tobac.Config{Model: tobac.FeedForward{Hidden: []int{0}}}, "models: feed-forward model: hidden layer 1 has 0 units, want at least 1"},
		{"one sample left out", tobac.Config{Gradient: models.ScoreFunctionLOO, Samples: 1}, "models: TOBAC: the leave-one-out gradient needs at least 2 samples, got 1"},
		{"edges beside a prior", tobac.Config{Prior: models.ScaleFree{}, EdgesPerNode: 1}, "tobac: edges per node is 1, but the prior is another than Erdős–Rényi's"},
		{"prior of another size", tobac.Config{Prior: edges(4, half)}, "tobac: the graph prior is 4×4, want 5×5: one row and one column for each column of the data"},
		{"certain edge against the order", tobac.Config{Order: ordering.Fixed{4, 3, 2, 1, 0}, Prior: edges(5, func(i, j int) float64 {
			if i == 1 && j == 3 {
				return 1
			}
			return 0.5
		})}, "tobac: the graph prior makes the edge X1 → X3 certain, but the causal order puts X3 first; give an order that agrees"},
		{"interventions of another size", tobac.Config{Interventions: mat.NewDense(40, 4, nil)}, "tobac: interventions are 40×4, want 40×5 like the data"},
		{"interventions of another value", tobac.Config{Interventions: bad}, `tobac: interventions of row 7, column "X2" are 0.5, want 0 or 1`},
		{"every row touched", tobac.Config{Interventions: all}, "tobac: every row has an intervention, which leaves none to find an order from; give the order"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := tobac.NewRun(data, row.cfg)
			if err == nil || err.Error() != row.want {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
		})
	}
}

// Networks grow with the rows, and are refused where they would not fit.
func TestMemoryOfNetworks(t *testing.T) {
	names := make([]string, 200)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	_, err := tobac.NewRun(table(2000, 200, names, generic), tobac.Config{Model: tobac.FeedForward{}})
	if err == nil || !strings.HasPrefix(err.Error(), "tobac: 200 variables with 30 particles and 128 samples on 1 workers need about 30 GB of memory") {
		t.Errorf("got error %v", err)
	}
}

// An edge that the prior makes certain is in every particle, one that it rules
// out in none, in the labels of the data; no row untouched is fine where the
// order is known.
func TestEdgePriorHolds(t *testing.T) {
	p := mat.NewDense(5, 5, nil)
	p.Apply(func(i, j int, _ float64) float64 { return 0.5 }, p)
	p.Set(3, 4, 1)
	p.Set(0, 1, 0)
	prior, err := models.NewEdgePrior(p)
	if err != nil {
		t.Fatal(err)
	}
	all := mat.NewDense(40, 5, nil)
	all.Apply(func(i, j int, _ float64) float64 { return float64((i + j) % 2) }, all)
	for _, method := range []tobac.Method{tobac.TOBAC, tobac.DiBS} {
		cfg := small
		cfg.Prior, cfg.Method, cfg.Interventions = prior, method, all
		if method == tobac.TOBAC {
			cfg.Order = ordering.Fixed{0, 3, 1, 4, 2}
		}
		for m, g := range smallFit(t, chain(t, 40).Train, cfg).Graphs {
			if !g.Has(3, 4) || g.Has(0, 1) {
				t.Errorf("%v, particle %d: edges %v, want 3 → 4 and not 0 → 1", method, m, g.Edges())
			}
		}
	}
}
