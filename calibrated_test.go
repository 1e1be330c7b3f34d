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
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/internal/tempering"
	"tobac/models"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// orderedTable has d columns in causal order, with about one edge per column, of a linear or
// nonlinear model with noise of variance 0.1.
func orderedTable(t *testing.T, d, n int, nonlinear bool) *dataset.Table {
	t.Helper()
	g := dag.New(d)
	for j := 1; j < d; j++ {
		g.Set((j*j+1)%j, j, true)
		g.Set(j/2, j, j > 2)
	}
	var s *dataset.Simulation
	var err error
	if nonlinear {
		s, err = dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: n, Seed: 3})
	} else {
		s, err = dataset.SimulateLinear(g, dataset.LinearConfig{Rows: n, Seed: 3})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Train
}

// known is the recipe for a model along the sequence of the columns.
func known(m sem.Model, d int) tobac.Config {
	c := tobac.Calibrated(m)
	c.Order = engine.Order{Known: ascending(d)}
	c.Prior.EdgesPerNode, c.Seed = 1, 3
	return c
}

func ascending(d int) (order []int) {
	for j := range d {
		order = append(order, j)
	}
	return order
}

// difference is the mean absolute difference of the probabilities of the pairs along the order.
func difference(a, b mat.Matrix) (sum float64) {
	d, _ := a.Dims()
	for j := range d {
		for i := range j {
			sum += math.Abs(a.At(i, j) - b.At(i, j))
		}
	}
	return sum / float64(d*(d-1)/2)
}

// The particles on node scores land on the exact posterior given the order; reweighted they are it,
// up to the thousandths that the sets left out have. Draws have its density.
func TestCalibratedIsExact(t *testing.T) {
	const d, n = 10, 60
	data := orderedTable(t, d, n, false)
	scores := must.Get(score.NewLinear(data.X, nil,
		score.LinearOptions{NoiseVariance: 0.1, EdgeVariance: 1, NoIntercept: true}))(t)
	prior := must.Get(score.ErdosRenyi(d, 2/float64(d-1)))(t)
	want := must.Get(exact.GivenOrder(context.Background(), scores, prior, ascending(d),
		exact.Options{}))(t)
	joint := func(g *dag.Graph) (sum float64) {
		for j := range d {
			sum += scores.LogScore(j, g.Parents(j)) + prior.LogPrior(j, g.Parents(j))
		}
		return sum
	}
	expected := 0.0
	draws := must.Get(want.Draws(context.Background(), 4000, 1))(t)
	for _, v := range draws {
		expected += joint(v.Graph) / float64(len(draws))
	}
	for _, c := range []struct {
		marginals stein.MarginalEstimator
		error     float64
		logJoints float64 // of draws: of 30 the standard error is about 0.6
	}{{stein.ConditionalMarginals, 0.015, 2}, {stein.ReweightedMarginals, 0.002, 0.5}} {
		cfg := known(sem.Linear{NoiseVariance: 0.1, NoIntercept: true}, d)
		svgd := sampler(&cfg)
		svgd.Marginals, svgd.Steps = c.marginals, 300
		res := fit(t, data, cfg)
		if got := difference(res.Probabilities, want.Edges()); !(got <= c.error) {
			t.Errorf("%v: probabilities differ by %.4f on average, want at most %v", c.marginals,
				got, c.error)
		}
		mean := 0.0
		for _, v := range res.Draws {
			mean += joint(v.Graph) / float64(len(res.Draws))
			if v.Equations == nil || math.Abs(v.LogLikelihood-joint(v.Graph)) > 100 {
				t.Fatalf("%v: draw %+v lacks equations, or has another likelihood than its graph",
					c.marginals, v)
			}
		}
		if got := mean - expected; !(math.Abs(got) <= c.logJoints) {
			t.Errorf("%v: the mean log joint density of draws is %+.2f from the exact one, want "+
				"at most %v", c.marginals, got, c.logJoints)
		}
	}
}

// Networks, reweighted, have the probabilities of tempering; draws are whole networks.
func TestCalibratedNetworks(t *testing.T) {
	const d, n = 4, 60
	data := orderedTable(t, d, n, true)
	model := sem.FeedForward{NoiseVariance: 0.1, Raw: true, Hidden: []int{3}}
	cfg := known(model, d)
	svgd := sampler(&cfg)
	svgd.Particles, svgd.Samples, svgd.Steps, svgd.FitSteps = 6, 4, 100, 50
	res := fit(t, data, cfg)
	prior := must.Get(score.ErdosRenyi(d, 2/float64(d-1)))(t)
	want := must.Get(tempering.Run(context.Background(), data.X, nil, ascending(d), prior,
		tempering.Config{Hidden: 3, NoiseVariance: 0.1, Iterations: 1000, Seed: 5}))(t)
	// Monte Carlo errors of both are about a hundredth
	if got := difference(res.Probabilities, want.Probabilities); !(got <= 0.03) {
		t.Errorf("probabilities differ by %.4f on average from tempering", got)
	}
	lik :=
		must.Get(models.NewFeedForward(data.X, nil, models.FeedForwardOptions{Hidden: []int{3}}))(t)
	for _, v := range res.Draws {
		if len(v.Parameters) != lik.ParamLen() {
			t.Fatalf("a draw has %d parameters, want %d", len(v.Parameters), lik.ParamLen())
		}
	}
	fits, residuals := 0.0, 0.0
	_, likelihood := must.Two(drawn.LogDensity(res.Posterior, model, data))(t)
	fits, residuals = likelihood[0], likelihood[len(likelihood)-1]
	if !(fits > residuals+50) {
		t.Errorf("the networks of the first draw have the log density %v, those without edges %v",
			fits, residuals)
	}
}

// SVGD takes every model that has node scores and no likelihood, with parameters integrated out:
// given an order its reweighted marginals are the sums of the engine exact, up to the hypotheses of
// Gaussian processes, of which particles have the most probable one.
func TestParticlesOfScoredModels(t *testing.T) {
	const d = 4
	data := orderedTable(t, d, 50, true)
	for _, m := range []sem.Model{sem.GaussianProcess{}, sem.Smooth{}, sem.NonGaussian{},
		sem.Additive{}, sem.Mixed{}} {
		cfg := tobac.Config{Model: m, Order: engine.Order{Known: ascending(d)}, Seed: 3,
			Prior: background.Prior{EdgesPerNode: 1},
			Engine: &stein.SVGD{Particles: 10, Steps: 40, Samples: 8,
				Marginals: stein.ReweightedMarginals}}
		got := fit(t, data, cfg)
		if e := got.Config.Engine.(*stein.SVGD); e.Parameters != stein.IntegratedParameters {
			t.Errorf("%v: parameters are %v", m, e.Parameters)
		}
		cfg.Engine = &sums.Exact{}
		want := fit(t, data, cfg)
		if off := difference(got.Probabilities, want.Probabilities); !(off <= 0.03) {
			t.Errorf("%v: probabilities differ by %.4f on average from sums over graphs", m, off)
		}
	}
}

func TestCalibratedErrors(t *testing.T) {
	data := orderedTable(t, 4, 20, false)
	for want, change := range map[string]func(c *tobac.Config){
		"the model ffn output-layer=integrated has no node scores, by which its parameters could " +
			"be integrated out": func(c *tobac.Config) {
			*c = known(sem.FeedForward{}, 4)
			svgd := sampler(c)
			svgd.Parameters, svgd.FitSteps = stein.IntegratedParameters, 0
		},
		"reweighted marginals need a causal order, which the engine dibs does not " +
			"have": func(c *tobac.Config) {
			svgd := *sampler(c)
			svgd.Parameters = stein.SampledParameters
			c.Engine, c.Order = &stein.DiBS{SVGD: svgd}, engine.Order{}
		},
		"edge parameters laplace with the gradient " +
			"score, want the gradient flips": func(c *tobac.Config) {
			svgd := sampler(c)
			svgd.Gradient, svgd.EdgeParameters = models.ScoreFunction, models.LaplaceEdges
		},
		"fit steps 3 with parameters integrated": func(c *tobac.Config) {
			sampler(c).FitSteps = 3
		},
		"rank 2 with latents normal": func(c *tobac.Config) {
			sampler(c).Rank = 2
		},
		"parameters is stein.Parameters(5); allowed: sampled, integrated": func(c *tobac.Config) {
			sampler(c).Parameters = 5
		},
	} {
		c := known(sem.Linear{}, 4)
		change(&c)
		if _, err := tobac.Fit(context.Background(), data, c); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
