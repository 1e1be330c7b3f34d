package density_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

type (
	nodes = []*autograd.Node
	dist  = density.Distribution
)

// A row is a distribution of numbers with an independent log density.
type row struct {
	name   string
	of     func(p nodes) dist
	want   func(x float64) float64
	x      []float64 // where both are compared, the support to its ends
	params []float64
	tail   func(x float64) float64 // survival function by other code; nil: none
}

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

func choose(n, k float64) float64 { return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) }

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var (
	reals    = []float64{-300, -3, -0.1, 0.4, 2, 200}
	positive = []float64{1e-4, 0.3, 1, 2.5, 60}
	unit     = []float64{1e-9, 0.2, 0.7, 0.9999}
	counts   = []float64{0, 1, 4, 7, 30}
	few      = []float64{0, 1, 4, 7}
)

var (
	normal      = distuv.Normal{Mu: 0.3, Sigma: 1.7}
	cauchy      = distuv.StudentsT{Mu: 0.3, Sigma: 1.7, Nu: 1}
	gamma       = distuv.Gamma{Alpha: 0.3, Beta: 1.7}
	weibull     = distuv.Weibull{K: 0.8, Lambda: 1.7}
	lognormal   = distuv.LogNormal{Mu: 0.3, Sigma: 1.7}
	pareto      = distuv.Pareto{Xm: 0.3, Alpha: 1.7}
	uniform     = distuv.Uniform{Min: -0.3, Max: 1.7}
	exponential = distuv.Exponential{Rate: 1.7}
	laplace     = distuv.Laplace{Mu: 0.3, Scale: 1.7}
	gumbel      = distuv.GumbelRight{Mu: 0.3, Beta: 1.7}
	poisson     = distuv.Poisson{Lambda: 2.5}
)

// half is the log density of the absolute value of a symmetric variable about 0.
func half(log func(x float64) float64) func(x float64) float64 {
	return func(x float64) float64 { return math.Ln2 + log(x) }
}

// continuous are distributions with densities.
var continuous = []row{
	{
		"normal",
		func(p nodes) dist { return density.Normal(p[0], p[1]) },
		normal.LogProb,
		reals,
		[]float64{0.3, 1.7},
		normal.Survival,
	},
	{
		"half-normal",
		func(p nodes) dist { return density.HalfNormal(p[0]) },
		half(distuv.Normal{Sigma: 1.7}.LogProb),
		positive,
		[]float64{1.7},
		func(x float64) float64 { return 2 * distuv.Normal{Sigma: 1.7}.Survival(x) },
	},
	{
		"cauchy",
		func(p nodes) dist { return density.Cauchy(p[0], p[1]) },
		cauchy.LogProb,
		reals,
		[]float64{0.3, 1.7},
		cauchy.Survival,
	},
	{
		"half-cauchy",
		func(p nodes) dist { return density.HalfCauchy(p[0]) },
		half(distuv.StudentsT{Sigma: 1.7, Nu: 1}.LogProb),
		positive,
		[]float64{1.7},
		func(x float64) float64 { return 2 * distuv.StudentsT{Sigma: 1.7, Nu: 1}.Survival(x) },
	},
	{
		"student t",
		func(p nodes) dist { return density.StudentsT(p[0], p[1], p[2]) },
		distuv.StudentsT{Mu: 0.3, Sigma: 0.6, Nu: 1.7}.LogProb,
		reals,
		[]float64{0.3, 0.6, 1.7},
		distuv.StudentsT{Mu: 0.3, Sigma: 0.6, Nu: 1.7}.Survival,
	},
	{
		"half-student t",
		func(p nodes) dist { return density.HalfStudentsT(p[0], p[1]) },
		half(distuv.StudentsT{Sigma: 0.6, Nu: 3}.LogProb),
		positive,
		[]float64{0.6, 3},
		func(x float64) float64 { return 2 * distuv.StudentsT{Sigma: 0.6, Nu: 3}.Survival(x) },
	},
	{
		"laplace",
		func(p nodes) dist { return density.Laplace(p[0], p[1]) },
		laplace.LogProb,
		reals,
		[]float64{0.3, 1.7},
		laplace.Survival,
	},
	{
		"logistic",
		func(p nodes) dist { return density.Logistic(p[0], p[1]) },
		func(x float64) float64 {
			z := math.Abs(x-0.3) / 1.7
			return -z - math.Log(1.7) - 2*math.Log1p(math.Exp(-z))
		},
		reals,
		[]float64{0.3, 1.7},
		func(x float64) float64 { return sigma((0.3 - x) / 1.7) },
	},
	{
		"gumbel",
		func(p nodes) dist { return density.GumbelRight(p[0], p[1]) },
		gumbel.LogProb,
		[]float64{-8, -0.1, 2, 200},
		[]float64{0.3, 1.7},
		func(x float64) float64 { return -math.Expm1(-math.Exp((0.3 - x) / 1.7)) },
	},
	{
		"gamma",
		func(p nodes) dist { return density.Gamma(p[0], p[1]) },
		gamma.LogProb,
		positive,
		[]float64{0.3, 1.7},
		gamma.Survival,
	},
	{
		"chi squared",
		func(p nodes) dist { return density.ChiSquared(p[0]) },
		distuv.ChiSquared{K: 3.4}.LogProb,
		positive,
		[]float64{3.4},
		distuv.ChiSquared{K: 3.4}.Survival,
	},
	{
		"inverse gamma",
		func(p nodes) dist { return density.InverseGamma(p[0], p[1]) },
		distuv.InverseGamma{Alpha: 2.3, Beta: 1.7}.LogProb,
		positive,
		[]float64{2.3, 1.7},
		distuv.InverseGamma{Alpha: 2.3, Beta: 1.7}.Survival,
	},
	{
		"exponential",
		func(p nodes) dist { return density.Exponential(p[0]) },
		exponential.LogProb,
		positive,
		[]float64{1.7},
		func(x float64) float64 { return math.Exp(-1.7 * x) },
	},
	{
		"weibull",
		func(p nodes) dist { return density.Weibull(p[0], p[1]) },
		weibull.LogProb,
		positive,
		[]float64{0.8, 1.7},
		weibull.Survival,
	},
	{
		"lognormal",
		func(p nodes) dist { return density.LogNormal(p[0], p[1]) },
		lognormal.LogProb,
		positive,
		[]float64{0.3, 1.7},
		lognormal.Survival,
	},
	{
		"pareto",
		func(p nodes) dist { return density.Pareto(p[0], p[1]) },
		pareto.LogProb,
		[]float64{0.31, 1, 2.5, 60},
		[]float64{0.3, 1.7},
		pareto.Survival,
	},
	{
		"beta",
		func(p nodes) dist { return density.Beta(p[0], p[1]) },
		distuv.Beta{Alpha: 0.7, Beta: 1.7}.LogProb,
		unit,
		[]float64{0.7, 1.7},
		distuv.Beta{Alpha: 0.7, Beta: 1.7}.Survival,
	},
	{
		"uniform",
		func(p nodes) dist { return density.Uniform(p[0], p[1]) },
		uniform.LogProb,
		unit,
		[]float64{-0.3, 1.7},
		uniform.Survival,
	},
	{
		"von mises",
		func(p nodes) dist { return density.VonMises(p[0], p[1]) },
		func(x float64) float64 {
			return 1.7*math.Cos(x-0.3) - math.Log(2*math.Pi) - 0.6227059189160434 // ln I₀(1.7)
		},
		[]float64{-3, -0.1, 0.4, 3.1},
		[]float64{0.3, 1.7},
		nil,
	},
	{
		"truncated normal",
		func(p nodes) dist { return density.Truncated(density.Normal(p[0], p[1]), -0.5, 60) },
		func(x float64) float64 {
			return normal.LogProb(x) - math.Log(normal.CDF(60)-normal.CDF(-0.5))
		},
		[]float64{-0.4, 0.4, 2, 10},
		[]float64{0.3, 1.7},
		nil,
	},
	{
		"truncated normal, tail",
		func(p nodes) dist { return density.Truncated(density.Normal(p[0], p[1]), 3, math.Inf(1)) },
		func(x float64) float64 {
			return normal.LogProb(x) - math.Log(normal.Survival(3))
		},
		[]float64{3.1, 4, 12},
		[]float64{0.3, 1.7},
		nil,
	},
	{
		"truncated gamma",
		func(p nodes) dist { return density.Truncated(density.Gamma(p[0], p[1]), 0, 2) },
		func(x float64) float64 { return gamma.LogProb(x) - math.Log(gamma.CDF(2)) },
		[]float64{1e-4, 0.3, 1, 1.99},
		[]float64{0.3, 1.7},
		nil,
	},
	{
		"truncated beta",
		func(p nodes) dist { return density.Truncated(density.Beta(p[0], p[1]), 0.1, 1) },
		func(x float64) float64 {
			b := distuv.Beta{Alpha: 0.7, Beta: 1.7}
			return b.LogProb(x) - math.Log(b.Survival(0.1))
		},
		[]float64{0.11, 0.5, 0.999},
		[]float64{0.7, 1.7},
		nil,
	},
	{
		"truncated student t",
		func(p nodes) dist { return density.Truncated(density.StudentsT(p[0], p[1], p[2]), -1, 8) },
		func(x float64) float64 {
			d := distuv.StudentsT{Mu: 0.3, Sigma: 0.6, Nu: 1.7}
			return d.LogProb(x) - math.Log(d.CDF(8)-d.CDF(-1))
		},
		[]float64{-0.99, 0, 0.3, 7.9},
		[]float64{0.3, 0.6, 1.7},
		nil,
	},
	{"mixture", func(p nodes) dist {
		w := autograd.Concat(
			0,
			p[0].Reshape(autograd.Shape{1}),
			p[0].Neg().AddScalar(1).Reshape(autograd.Shape{1}),
		)
		return density.Mixture(w, density.Normal(p[1], 1), density.Normal(3, p[1].Square()))
	}, func(x float64) float64 {
		return math.Log(
			0.3*distuv.Normal{
				Mu:    1.7,
				Sigma: 1,
			}.Prob(x) + 0.7*distuv.Normal{
				Mu:    3,
				Sigma: 1.7 * 1.7,
			}.Prob(x),
		)
	}, []float64{-8, -0.1, 2, 15}, []float64{0.3, 1.7}, nil},
}

// discrete are distributions of whole numbers from 0.
var discrete = []row{
	{
		"bernoulli",
		func(p nodes) dist { return density.Bernoulli(p[0]) },
		distuv.Bernoulli{P: 0.3}.LogProb,
		few[:2],
		[]float64{0.3},
		nil,
	},
	{
		"bernoulli, logit",
		func(p nodes) dist { return density.BernoulliLogit(p[0]) },
		distuv.Bernoulli{P: sigma(-0.7)}.LogProb,
		few[:2],
		[]float64{-0.7},
		nil,
	},
	{
		"binomial",
		func(p nodes) dist { return density.Binomial(7, p[0]) },
		distuv.Binomial{N: 7, P: 0.3}.LogProb,
		few,
		[]float64{0.3},
		nil,
	},
	{
		"binomial, logit",
		func(p nodes) dist { return density.BinomialLogit(7, p[0]) },
		distuv.Binomial{N: 7, P: sigma(-0.7)}.LogProb,
		few,
		[]float64{-0.7},
		nil,
	},
	{
		"beta-binomial",
		func(p nodes) dist { return density.BetaBinomial(7, p[0], p[1]) },
		func(x float64) float64 {
			beta := func(a, b float64) float64 { return lgamma(a) + lgamma(b) - lgamma(a+b) }
			return choose(7, x) + beta(x+0.6, 7-x+1.7) - beta(0.6, 1.7)
		},
		few,
		[]float64{0.6, 1.7},
		nil,
	},
	{
		"poisson",
		func(p nodes) dist { return density.Poisson(p[0]) },
		poisson.LogProb,
		counts,
		[]float64{2.5},
		nil,
	},
	{
		"poisson, log",
		func(p nodes) dist { return density.PoissonLog(p[0]) },
		distuv.Poisson{Lambda: math.Exp(0.7)}.LogProb,
		counts,
		[]float64{0.7},
		nil,
	},
	{
		"negative binomial",
		func(p nodes) dist { return density.NegativeBinomial(p[0], p[1]) },
		negativeBinomial(1.2, 1.7),
		counts,
		[]float64{1.2, 1.7},
		nil,
	},
	{
		"negative binomial, nearly poisson",
		func(p nodes) dist { return density.NegativeBinomial(p[0], p[1]) },
		negativeBinomial(1.2, 170),
		counts,
		[]float64{1.2, 170},
		nil,
	},
	{
		"negative binomial, log",
		func(p nodes) dist { return density.NegativeBinomialLog(p[0], p[1]) },
		negativeBinomial(math.Exp(-0.7), 1.7),
		counts,
		[]float64{-0.7, 1.7},
		nil,
	},
	{
		"categorical",
		func(p nodes) dist { return density.Categorical(three(p).Softmax(0)) },
		softmax(0.2, -0.4, 1),
		[]float64{0, 1, 2},
		[]float64{0.2, -0.4, 1},
		nil,
	},
	{
		"categorical, logits",
		func(p nodes) dist { return density.CategoricalLogit(three(p)) },
		softmax(0.2, -0.4, 1),
		[]float64{0, 1, 2},
		[]float64{0.2, -0.4, 1},
		nil,
	},
	{
		"ordered logistic",
		func(p nodes) dist {
			return density.OrderedLogistic(p[0], autograd.Concat(0, one(p[1]), one(p[2])))
		},
		func(x float64) float64 {
			above := []float64{1, sigma(0.2 + 0.4), sigma(0.2 - 1), 0}
			return math.Log(above[int(x)] - above[int(x)+1])
		},
		[]float64{0, 1, 2},
		[]float64{0.2, -0.4, 1},
		nil,
	},
	{
		"zero-inflated poisson",
		func(p nodes) dist { return density.ZeroInflated(p[0], density.Poisson(p[1])) },
		func(x float64) float64 {
			if x == 0 {
				return math.Log(0.3 + 0.7*poisson.Prob(0))
			}
			return math.Log(0.7) + poisson.LogProb(x)
		},
		counts,
		[]float64{0.3, 2.5},
		nil,
	},
	{
		"truncated poisson",
		func(p nodes) dist { return density.Truncated(density.Poisson(p[0]), 1, math.Inf(1)) },
		func(x float64) float64 {
			return poisson.LogProb(x) - math.Log1p(-poisson.Prob(0))
		},
		counts[1:],
		[]float64{2.5},
		nil,
	},
	{
		"truncated poisson, both",
		func(p nodes) dist { return density.Truncated(density.Poisson(p[0]), 1, 7) },
		func(x float64) float64 {
			return poisson.LogProb(x) - math.Log(poisson.CDF(7)-poisson.Prob(0))
		},
		few[1:],
		[]float64{2.5},
		nil,
	},
}

func one(p *autograd.Node) *autograd.Node { return p.Reshape(autograd.Shape{1}) }

func three(p nodes) *autograd.Node { return autograd.Concat(0, one(p[0]), one(p[1]), one(p[2])) }

func softmax(l ...float64) func(x float64) float64 {
	return func(x float64) float64 {
		sum := 0.0
		for _, v := range l {
			sum += math.Exp(v)
		}
		return l[int(x)] - math.Log(sum)
	}
}

func negativeBinomial(mean, c float64) func(x float64) float64 {
	return func(x float64) float64 {
		return lgamma(x+c) - lgamma(x+1) - lgamma(c) + c*math.Log(c/(c+mean)) +
			x*math.Log(mean/(c+mean))
	}
}

func constants(b *autograd.Builder, v []float64) nodes {
	out := make(nodes, len(v))
	for i := range v {
		out[i] = b.Scalar(v[i])
	}
	return out
}

// Every density equals an independent one, in the tails too.
func TestValues(t *testing.T) {
	for _, rows := range [][]row{continuous, discrete} {
		for _, c := range rows {
			got := value(
				t,
				c.x,
				func(x *autograd.Node) *autograd.Node {
					return c.of(constants(x.Builder(), c.params)).LogProb(x)
				},
			)
			for i, x := range c.x {
				if want := c.want(
					x,
				); !(math.Abs(got[i]-want) <= 1e-11*math.Max(1, math.Abs(want))) {
					t.Errorf("%s at %v: %v, want %v", c.name, x, got[i], want)
				}
			}
		}
	}
}

// Derivatives by the parameters and by values are those of differences, at all values.
func TestDerivatives(t *testing.T) {
	for _, rows := range [][]row{continuous, discrete} {
		for _, c := range rows {
			b := autograd.NewBuilder("support")
			_, numbers := c.of(constants(b, c.params)).Support()
			for _, x := range c.x {
				var at [][]float64
				var shapes []autograd.Shape
				for _, p := range c.params {
					at, shapes = append(at, []float64{p}), append(shapes, autograd.Shape{})
				}
				moves := numbers && x > 1e-3 && x < 0.99 ||
					numbers && math.Abs(x) > 1 && math.Abs(x) < 100
				if moves {
					at, shapes = append(at, []float64{x}), append(shapes, autograd.Shape{})
				}
				err := gradtest.Check(
					func(b *autograd.Builder, in []*autograd.Node) *autograd.Node {
						v := b.Scalar(x)
						if moves {
							v = in[len(c.params)]
						}
						return c.of(in[:len(c.params)]).LogProb(v)
					},
					at,
					shapes,
					gradtest.Options{Step: math.Min(0.01, math.Abs(x)/20+1e-3)},
				)
				if err != nil {
					t.Errorf("%s at %v: %v", c.name, x, err)
				}
			}
		}
	}
}

// Densities in coordinates have the integral 1, and draws follow it.
func TestDraws(t *testing.T) {
	const n, draws, width = 6001, 3000, 70.0
	for _, c := range continuous {
		if c.name == "von mises" { // has two coordinates: see TestRatios
			continue
		}
		m := must.Get(density.New(func(t *density.Trace) {
			b := t.Constant([]float64{0}).Builder()
			t.Sample("x", c.of(constants(b, c.params)))
		}, density.Options{Points: n}))(t)
		u, grad, logs := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), make([]float64, n)
		for k := range n {
			u.Set(k, 0, width*(float64(k)/(n-1)-0.5))
		}
		must.Do(t, m.LogDensity(logs, grad, u))
		x := must.Get(m.Prior(draws, 3))(t)
		m.Close()
		sum := 0.0
		for k, l := range logs {
			before := sum
			sum += math.Exp(l) * width / (n - 1)
			if k == 0 {
				continue
			}
			for _, p := range []float64{0.1, 0.5, 0.8} {
				if before < p && sum >= p {
					at, below := u.At(k, 0)-width/(n-1)*(sum-p)/(sum-before)+width/(2*(n-1)), 0.0
					for i := range draws {
						if x.At(i, 0) < at {
							below++
						}
					}
					// four standard errors
					if math.Abs(below/draws-p) > 4*math.Sqrt(p*(1-p)/draws) {
						t.Errorf(
							"%s: %v of the draws are below the quantile %v",
							c.name,
							below/draws,
							p,
						)
					}
				}
			}
		}
		// the tails of Cauchy distributions beyond 35 have 3 %
		if c.name != "cauchy" && c.name != "student t" && math.Abs(sum-1) > 3e-4 {
			t.Errorf("%s: integral %v", c.name, sum)
		}
	}
}

// Probabilities of whole numbers add to 1, and draws have their frequencies.
func TestCounts(t *testing.T) {
	const most, n = 60, 3000
	for _, c := range discrete {
		x := []float64{c.x[0]}
		for k := c.x[0] + 1; k <= most && (k <= c.x[len(c.x)-1] || c.x[len(c.x)-1] == 30); k++ {
			x = append(x, k)
		}
		logs := value(
			t,
			x,
			func(x *autograd.Node) *autograd.Node {
				return c.of(constants(x.Builder(), c.params)).LogProb(x)
			},
		)
		m := must.Get(density.New(func(t *density.Trace) {
			y := t.Data("y", n)
			t.Sample("x", density.Normal(0, 1))
			t.Observe(c.of(constants(y.Builder(), c.params)), y)
		}, density.Options{Points: 1, Data: map[string][]float64{"y": ones(n)}}))(t)
		predicted := must.Get(m.Predict([]*mat.Dense{mat.NewDense(1, 1, nil)}, 4))(t)
		m.Close()
		sum := 0.0
		for i, l := range logs {
			p, count := math.Exp(l), 0.0
			sum += p
			for _, v := range predicted[0].RawRowView(0) {
				if v == x[i] {
					count++
				}
			}
			if math.Abs(count/n-p) > 4*math.Sqrt(p*(1-p)/n)+1e-3 {
				t.Errorf("%s: frequency %v of %v, probability %v", c.name, count/n, x[i], p)
			}
		}
		if math.Abs(sum-1) > 1e-10 {
			t.Errorf("%s: probabilities add to %v", c.name, sum)
		}
	}
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// Distribution functions: against other code and, in the far tails, their logarithms against
// the mean value theorem; both sides add to 1.
func TestDistributionFunctions(t *testing.T) {
	for _, c := range continuous {
		d := func(x *autograd.Node) dist { return c.of(constants(x.Builder(), c.params)) }
		if got := d(autograd.NewBuilder("x").Scalar(0)).HasCDF(); got != (c.tail != nil) {
			t.Errorf("%s: a distribution function: %v", c.name, got)
			continue
		}
		if c.tail == nil {
			continue
		}
		below := value(t, c.x, func(x *autograd.Node) *autograd.Node { return d(x).LogCDF(x) })
		above := value(t, c.x, func(x *autograd.Node) *autograd.Node { return d(x).LogSurvival(x) })
		for i, x := range c.x {
			if want := c.tail(x); math.Abs(math.Exp(above[i])-want) > 1e-12 {
				t.Errorf("%s: survival of %v %v, want %v", c.name, x, math.Exp(above[i]), want)
			}
			if sum := math.Exp(above[i]) + math.Exp(below[i]); math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: both sides of %v add to %v", c.name, x, sum)
			}
			if math.IsNaN(below[i]+above[i]) || math.IsInf(below[i], 0) || math.IsInf(above[i], 0) {
				t.Errorf("%s: tails of %v: %v, %v", c.name, x, below[i], above[i])
			}
		}
		for _, x := range c.x {
			if x < 1e-3 && x > -1 || math.Abs(x) > 50 || c.name == "beta" && x > 0.99 {
				continue
			}
			for _, f := range []func(d dist, x *autograd.Node) *autograd.Node{dist.LogCDF,
				dist.LogSurvival} {
				at, shapes := [][]float64{{x}}, []autograd.Shape{{}}
				for _, p := range c.params {
					at, shapes = append(at, []float64{p}), append(shapes, autograd.Shape{})
				}
				err := gradtest.Check(
					func(_ *autograd.Builder, in []*autograd.Node) *autograd.Node {
						return f(c.of(in[1:]), in[0])
					},
					at,
					shapes,
					gradtest.Options{Step: 1e-3},
				)
				if err != nil {
					t.Errorf("%s at %v: %v", c.name, x, err)
				}
			}
		}
	}
}

// Values at a bound are its tail's.
func TestCensored(t *testing.T) {
	got := value(t, []float64{-1, 0.5, 4}, func(x *autograd.Node) *autograd.Node {
		return density.Censored(density.Normal(0.3, 1.7), -1, 4).LogProb(x)
	})
	for i, want := range []float64{math.Log(normal.CDF(-1)), normal.LogProb(0.5),
		math.Log(normal.Survival(4))} {
		if math.Abs(got[i]-want) > 1e-13 {
			t.Errorf("%d: %v, want %v", i, got[i], want)
		}
	}
	counts := distuv.Poisson{Lambda: 3}
	got = value(t, []float64{1, 3, 6}, func(x *autograd.Node) *autograd.Node {
		return density.Censored(density.Poisson(3), 1, 6).LogProb(x)
	})
	for i, want := range []float64{counts.CDF(1), counts.Prob(3), 1 - counts.CDF(5)} {
		if math.Abs(math.Exp(got[i])-want) > 1e-14 {
			t.Errorf("count %d: %v, want %v", i, math.Exp(got[i]), want)
		}
	}
}

// A bound that is that of the support leaves the log density and its gradient finite.
func TestCensoredAtSupport(t *testing.T) {
	m := must.Get(density.New(func(t *density.Trace) {
		k := t.Sample("k", density.Gamma(2, 1))
		t.Observe(density.Censored(density.Weibull(k, 2), 0, t.Data("limit", 2)), t.Data("y", 2))
	}, density.Options{Points: 1, Data: map[string][]float64{"limit": {4, 4}, "y": {1, 4}}}))(t)
	defer m.Close()
	logp, grad := make([]float64, 1), mat.NewDense(1, 1, nil)
	must.Do(t, m.LogDensity(logp, grad, mat.NewDense(1, 1, nil)))
	want := -1 + distuv.Weibull{K: 1, Lambda: 2}.LogProb(1) - 2 // k = 1, whose Jacobian is 1
	if math.Abs(logp[0]-want) > 1e-12 || math.IsNaN(grad.At(0, 0)) {
		t.Errorf("%v, gradient %v, want %v", logp[0], grad.At(0, 0), want)
	}
}

// Sums over all values in fewer operations are the sums of the log densities, with their gradients,
// for parameters of any shapes.
func TestTotals(t *testing.T) {
	shapes := [][]int{{}, {1}, {3}, {2, 3}}
	for _, mu := range shapes {
		for _, sigma := range shapes {
			m := must.Get(density.New(func(t *density.Trace) {
				x := t.Parameter("x", density.Real(), 2, 3)
				m, s := t.Parameter("m", density.Real(), mu...),
					t.Parameter("s", density.Real(), sigma...).Exp()
				for _, d := range []dist{density.Normal(m, s), density.LogNormal(m, s)} {
					t.Observe(d, x.Exp())
					t.Add(d.LogProb(x.Exp()).Sum().Neg())
				}
			}, density.Options{Points: 1}))(t)
			_, n := m.Dims()
			at, grad, logp := mat.NewDense(1, n, nil), mat.NewDense(1, n, nil), make([]float64, 1)
			for i := range n {
				at.Set(0, i, math.Sin(float64(3*i+1)))
			}
			must.Do(t, m.LogDensity(logp, grad, at))
			if v := math.Max(math.Abs(logp[0]), mat.Norm(grad, math.Inf(1))); !(v < 1e-11) {
				t.Errorf("mean %v, standard deviation %v: differ by %v, gradient %v", mu, sigma,
					logp[0], mat.Formatted(grad))
			}
			m.Close()
		}
	}
}
