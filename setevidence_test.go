package tobac_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/internal/reference"
	"tobac/models"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// A tailed model has linear equations with noise of Student's t distribution with three degrees of
// freedom, and a normal prior on the weights; its prior is none if flat.
type tailed struct{ flat, loud bool }

func (tailed) String() string { return "tailed" }

func (m tailed) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return tailedLikelihood{m, mat.DenseCopyOf(data.X)}, nil
}

type tailedLikelihood struct {
	tailed
	x *mat.Dense
}

func (m tailedLikelihood) Vars() int               { _, d := m.x.Dims(); return d }
func (m tailedLikelihood) ParamLen() int           { return m.Vars() * m.Vars() }
func (m tailedLikelihood) EdgeWeight(i, j int) int { return i*m.Vars() + j }

func (m tailedLikelihood) InitParams(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}

func (m tailedLikelihood) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	const s = 0.3
	n, d := m.x.Dims()
	weights, x := theta.Reshape(autograd.Shape{d, d}),
		g.Builder().Constant(m.x.RawMatrix().Data, autograd.Shape{n, d})
	prior = g.Mul(weights.Square().AddScalar(math.Log(2 * math.Pi))).Sum(0).Scale(-0.5)
	switch {
	case m.flat:
		prior = prior.Scale(0)
	case m.loud: // e³ for every edge
		prior = prior.Add(g.Sum(0).Scale(3))
	}
	density := x.Sub(x.MatMul(g.Mul(weights))).Square().Scale(1 / (3 * s * s)).Log1p().Scale(-2)
	return prior, density.AddScalar(-math.Log(math.Sqrt(3) * math.Pi * s / 2)).Sum(0)
}

// brief has reweighted marginals after a short run.
func brief(m sem.Model, order ...int) tobac.Config {
	c := tobac.Calibrated(m)
	c.Order, c.Seed = engine.Order{Known: order}, 1
	svgd := sampler(&c)
	svgd.Marginals, svgd.Particles, svgd.Steps, svgd.FitSteps = stein.ReweightedMarginals, 4, 40, 20
	return c
}

// With evidences that are estimated reweighted marginals are near the exact posterior, which is
// known for the linear model with a known noise variance: a custom model around its likelihood is
// treated like any other. Its reference, all sets of parents by estimated evidences, is the
// posterior in closed form, given the order and over all.
func TestReweightedOwnLikelihood(t *testing.T) {
	data := orderedTable(t, 5, 40, false)
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {3, 0, 4, 1, 2}} {
		cfg := brief(quiet{}, order...)
		res := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
		exact := must.Get(tobac.Fit(context.Background(), data,
			tobac.Config{Model: scored{}, Order: engine.Order{Known: order},
				Prior: background.Prior{EdgesPerNode: res.EdgesPerNode}}))(t)
		off := res.Marginals.Distance(exact.Marginals, func(i, j int) bool {
			return slices.Index(order, i) < slices.Index(order, j)
		})
		ref := must.Get(reference.New(context.Background(), data, res))(t)
		refOff := ref.Distance(exact.Marginals, func(i, j int) bool { return i != j })
		c := must.Get(ref.Compare(context.Background(), res.Posterior))(t)
		t.Logf("order %v: marginals off by %.4f, reference by %.4f (%.4f said), %+v, notes %q",
			order, off, refOff, ref.StandardError, c, ref.Notes)
		if off > 0.01 || refOff > 0.01 || ref.StandardError > 0.03 ||
			math.Abs(c.LogProbDifference) > 0.5 {
			t.Errorf("order %v: marginals off by %v, reference by %v", order, off, refOff)
		}
		for k, draw := range res.Draws[:20] {
			if len(draw.Parameters) != 25 || !(draw.LogLikelihood < 0) || !(draw.LogPrior < 0) {
				t.Errorf("draw %d: %d parameters, log prior %v, log likelihood %v", k,
					len(draw.Parameters), draw.LogPrior, draw.LogLikelihood)
			}
		}
	}
	free := brief(quiet{}, 0, 1, 2, 3, 4)
	free.Order, free.Prior.EdgesPerNode = engine.Order{Count: 2}, 1
	res := must.Get(tobac.Fit(context.Background(), data, free))(t)
	exact := must.Get(tobac.Fit(context.Background(), data,
		tobac.Config{Model: scored{}, Prior: background.Prior{EdgesPerNode: 1}}))(t)
	ref := must.Get(reference.New(context.Background(), data, res))(t)
	if off := ref.Distance(exact.Marginals, func(i, j int) bool { return i != j }); off > 0.01 {
		t.Errorf("over all orders: reference off by %v", off)
	}
}

// A likelihood without a closed form, and networks with two hidden layers: their draws have
// parameters that fit, weights and standard deviations where the likelihood has weights, and their
// checks; what they come from is the same for any number of workers.
func TestReweightedDraws(t *testing.T) {
	data := orderedTable(t, 3, 30, false)
	for _, model := range []sem.Model{tailed{},
		sem.FeedForward{Hidden: []int{2, 2}, NoiseVariance: 0.2}} {
		cfg := brief(model, 1, 0, 2)
		var said []string
		cfg.Progress = func(p engine.Progress) {
			if strings.Contains(p.Doing, "evidences") {
				said = append(said, p.Doing)
			}
		}
		res := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
		if want := "estimating evidences of sets of parents, variable 3 of 3"; len(said) != 3 ||
			said[2] != want {
			t.Errorf("%v: progress %q, want three lines, at last %q", model, said, want)
		}
		cfg.Workers = 3
		again := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
		for k, draw := range res.Draws {
			if !slices.Equal(draw.Parameters, again.Draws[k].Parameters) {
				t.Fatalf("%v: draw %d with 3 workers has other parameters", model, k)
			}
		}
		_, likelihood := must.Two(drawn.LogDensity(res.Posterior, model, data))(t)
		for k, draw := range res.Draws {
			_, integrated := model.(sem.FeedForward) // its last layer
			if !(likelihood[k] > -200) || !integrated &&
				math.Abs(draw.LogLikelihood-likelihood[k]) > 1e-6*math.Abs(likelihood[k]) {
				t.Errorf("%v: draw %d has the log likelihood %v, want %v", model, k,
					draw.LogLikelihood, likelihood[k])
				break
			}
		}
		names := map[string]bool{}
		for _, c := range res.Checks {
			names[c.Name] = true
		}
		if !names["evidence"] || !names["prior"] {
			t.Errorf("%v: checks %+v", model, res.Checks)
		}
		if _, ok := model.(tailed); ok && !(res.WeightSD.At(0, 2) > 0) &&
			!(res.WeightSD.At(1, 0) > 0) {
			t.Errorf("standard deviations of weights %v", mat.Formatted(res.WeightSD))
		}
	}
}

// Priors that are no densities: an error where there is no integral, a warning where it is not 1. A
// reference of too many sets is refused.
func TestReweightedPriors(t *testing.T) {
	data := orderedTable(t, 3, 30, false)
	_, err := tobac.Fit(context.Background(), data, brief(tailed{flat: true}, 0, 1, 2))
	if want := "the prior density does not fall in some direction"; err == nil ||
		!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"X`) {
		t.Errorf("error %v, want one with %q", err, want)
	}
	res := must.Get(tobac.Fit(context.Background(), data, brief(tailed{loud: true}, 0, 1, 2)))(t)
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.Contains(w, "integrates to exp(")
	}) {
		t.Errorf("warnings %q, want one about the integral of the prior", res.Warnings)
	}
	wide := orderedTable(t, 13, 20, false)
	cfg := brief(tailed{}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	svgd := sampler(&cfg)
	svgd.Marginals, svgd.Steps = stein.FrequencyMarginals, 2
	res = must.Get(tobac.Fit(context.Background(), wide, cfg))(t)
	if _, err := reference.New(context.Background(), wide, res); err == nil ||
		!strings.Contains(err.Error(), "13 variables have too many sets of parents") {
		t.Errorf("error %v of a reference of 13 variables", err)
	}
}

// A hard model has the density of BGe as a likelihood, without parameters and without a soft form.
type hard struct{}

func (hard) String() string { return "hard" }

func (hard) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return models.NewBGe(data.X, data.Mask(), models.BGeOptions{})
}

// The default for a custom model are reweighted marginals, given an order, under drawn orders, and
// without parameters; a custom prior or the engine svgd leave the settings as they are.
func TestOwnDefault(t *testing.T) {
	data := orderedTable(t, 3, 40, false)
	for _, cfg := range []tobac.Config{
		{Model: quiet{}, Order: engine.Order{Known: []int{0, 1, 2}}},
		{Model: tailed{}, Order: engine.Order{Count: 2}},
		{Model: hard{}, Order: engine.Order{Known: []int{0, 1, 2}}},
	} {
		cfg.Prior.EdgesPerNode = 0.8
		res := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
		if s := sampler(&res.Config); res.Engine != "svgd" ||
			s.Marginals != stein.ReweightedMarginals || s.Steps != 100 || s.Particles != 10 {
			t.Errorf("%v: engine %v with %d steps of %d particles, marginals %v", cfg.Model,
				res.Engine, s.Steps, s.Particles, s.Marginals)
		}
		if cfg.Order.Known == nil {
			continue
		}
		ref := must.Get(reference.New(context.Background(), data, res))(t)
		if off := res.Marginals.Distance(ref.Marginals, func(i, j int) bool {
			return i < j
		}); off > 0.01 {
			t.Errorf("%v: %v from the reference", cfg.Model, off)
		}
	}
	for name, change := range map[string]func(c *tobac.Config){
		"a prior":    func(c *tobac.Config) { c.Prior.Own = models.UniformPrior() },
		"the engine": func(c *tobac.Config) { c.Engine = &stein.SVGD{} },
		"networks":   func(c *tobac.Config) { c.Model = sem.FeedForward{Hidden: []int{2, 2}} },
	} {
		cfg := tobac.Config{Model: quiet{}, Order: engine.Order{Known: []int{0, 1, 2}}}
		change(&cfg)
		c := must.Get(cfg.WithDefaults(3))(t)
		if s := sampler(&c); s.Marginals == stein.ReweightedMarginals || s.Steps != 1000 {
			t.Errorf("%s: %d steps, marginals %v", name, s.Steps, s.Marginals)
		}
		if m, ok := c.Model.(sem.FeedForward); ok && m.Output != models.IntegratedOutput {
			t.Errorf("%s: model %v, want the last of several hidden layers integrated out", name, m)
		}
	}
}

// A run by the default for a custom model, under two orders, ends with the same bits wherever it is
// cut, and with another number of workers.
func TestOwnDefaultResumes(t *testing.T) {
	resume(t, orderedTable(t, 3, 20, false), tobac.Config{Model: tailed{},
		Order: engine.Order{Count: 2}, Prior: background.Prior{EdgesPerNode: 0.8}}, 0, 60, 130)
}
