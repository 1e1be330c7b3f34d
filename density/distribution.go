package density

import (
	"math"

	"tobac/autograd"
)

// A Value is a parameter of a distribution: an expression, or a number.
type Value interface {
	*autograd.Node | float64 | int
}

// node is a value as an expression of the graph that x belongs to.
func node[V Value](x *autograd.Node, v V) *autograd.Node {
	switch v := any(v).(type) {
	case *autograd.Node:
		return v
	case float64:
		return x.Builder().Scalar(v)
	default:
		return x.Builder().Scalar(float64(any(v).(int)))
	}
}

// A Distribution is a log density, or log probability of whole numbers, with its support.
type Distribution struct {
	name    string
	support *Constraint // nil: whole numbers
	log     func(x *autograd.Node) *autograd.Node
}

// String is the distribution's name.
func (d Distribution) String() string { return d.name }

// LogProb is the log density, element by element, of a vector as a whole for Dirichlet.
// Outside of the support it is meaningless: [Trace.Sample] does not go there.
func (d Distribution) LogProb(x *autograd.Node) *autograd.Node { return d.log(x) }

func continuous(name string, c Constraint, log func(x *autograd.Node) *autograd.Node) Distribution {
	return Distribution{name, &c, log}
}

func discrete(name string, log func(x *autograd.Node) *autograd.Node) Distribution {
	return Distribution{name: name, log: log}
}

// scaled is the log density of a location and scale family.
func scaled[M, S Value](name string, mu M, sigma S, standard func(z *autograd.Node) *autograd.Node) Distribution {
	return continuous(name, Real(), func(x *autograd.Node) *autograd.Node {
		s := node(x, sigma)
		return standard(x.Sub(node(x, mu)).Div(s)).Sub(s.Log())
	})
}

// half is the part of a distribution about 0 that lies above it.
func half(name string, d Distribution) Distribution {
	return continuous(name, Positive(), func(x *autograd.Node) *autograd.Node { return d.log(x).AddScalar(math.Ln2) })
}

// Normal has mean mu and standard deviation sigma.
func Normal[M, S Value](mu M, sigma S) Distribution {
	return scaled("normal", mu, sigma, func(z *autograd.Node) *autograd.Node { return z.Square().Scale(-0.5).AddScalar(-lnSqrt2Pi) })
}

// HalfNormal is the positive part of a normal distribution with mean 0.
func HalfNormal[S Value](sigma S) Distribution { return half("half-normal", Normal(0, sigma)) }

// Cauchy has median mu and half-width sigma.
func Cauchy[M, S Value](mu M, sigma S) Distribution {
	return scaled("cauchy", mu, sigma, func(z *autograd.Node) *autograd.Node { return z.Square().Log1p().Neg().AddScalar(-math.Log(math.Pi)) })
}

// HalfCauchy is the positive part of a Cauchy distribution with median 0.
func HalfCauchy[S Value](sigma S) Distribution { return half("half-cauchy", Cauchy(0, sigma)) }

// StudentsT has location mu, scale sigma and nu degrees of freedom.
func StudentsT[M, S, N Value](mu M, sigma S, nu N) Distribution {
	return scaled("student t", mu, sigma, func(z *autograd.Node) *autograd.Node {
		v := node(z, nu)
		h := v.AddScalar(1).Scale(0.5)
		constant := h.LogGamma().Sub(v.Scale(0.5).LogGamma()).Sub(v.Log().Scale(0.5)).AddScalar(-0.5 * math.Log(math.Pi))
		return constant.Sub(h.Mul(z.Square().Div(v).Log1p()))
	})
}

// Laplace has location mu and scale s.
func Laplace[M, S Value](mu M, s S) Distribution {
	return scaled("laplace", mu, s, func(z *autograd.Node) *autograd.Node { return z.Abs().Neg().AddScalar(-math.Ln2) })
}

// Logistic has location mu and scale s.
func Logistic[M, S Value](mu M, s S) Distribution {
	return scaled("logistic", mu, s, func(z *autograd.Node) *autograd.Node { return z.LogSigmoid().Add(z.Neg().LogSigmoid()) })
}

// Gamma has shape alpha and rate beta.
func Gamma[A, B Value](alpha A, beta B) Distribution {
	return continuous("gamma", Positive(), func(x *autograd.Node) *autograd.Node {
		a, b := node(x, alpha), node(x, beta)
		return a.Mul(b.Log()).Sub(a.LogGamma()).Add(a.AddScalar(-1).Mul(x.Log())).Sub(b.Mul(x))
	})
}

// InverseGamma has shape alpha and scale beta.
func InverseGamma[A, B Value](alpha A, beta B) Distribution {
	return continuous("inverse gamma", Positive(), func(x *autograd.Node) *autograd.Node {
		a, b := node(x, alpha), node(x, beta)
		return a.Mul(b.Log()).Sub(a.LogGamma()).Sub(a.AddScalar(1).Mul(x.Log())).Sub(b.Div(x))
	})
}

// Exponential has the given rate.
func Exponential[R Value](rate R) Distribution {
	return continuous("exponential", Positive(), func(x *autograd.Node) *autograd.Node {
		r := node(x, rate)
		return r.Log().Sub(r.Mul(x))
	})
}

// Weibull has shape k and scale lambda.
func Weibull[K, L Value](k K, lambda L) Distribution {
	return continuous("weibull", Positive(), func(x *autograd.Node) *autograd.Node {
		shape, log := node(x, k), x.Log().Sub(node(x, lambda).Log())
		return shape.Log().Sub(x.Log()).Add(shape.Mul(log)).Sub(shape.Mul(log).Exp())
	})
}

// LogNormal has a logarithm that is normal with mean mu and standard deviation sigma.
func LogNormal[M, S Value](mu M, sigma S) Distribution {
	return continuous("lognormal", Positive(), func(x *autograd.Node) *autograd.Node {
		log := x.Log()
		return Normal(mu, sigma).log(log).Sub(log)
	})
}

// Pareto is above xm with tail index alpha.
func Pareto[M, A Value](xm M, alpha A) Distribution {
	return continuous("pareto", Above(xm), func(x *autograd.Node) *autograd.Node {
		a := node(x, alpha)
		return a.Log().Add(a.Mul(node(x, xm).Log())).Sub(a.AddScalar(1).Mul(x.Log()))
	})
}

// Beta has shapes alpha and beta.
func Beta[A, B Value](alpha A, beta B) Distribution {
	return continuous("beta", Bounded(0, 1), func(x *autograd.Node) *autograd.Node {
		a, b := node(x, alpha), node(x, beta)
		return a.AddScalar(-1).Mul(x.Log()).Add(b.AddScalar(-1).Mul(x.Neg().Log1p())).Sub(a.LogBeta(b))
	})
}

// Uniform is constant between two bounds.
func Uniform[L, H Value](low L, high H) Distribution {
	return continuous("uniform", Bounded(low, high), func(x *autograd.Node) *autograd.Node {
		return node(x, high).Sub(node(x, low)).Log().Neg().Add(x.Scale(0))
	})
}

// Dirichlet has a vector alpha of concentrations.
func Dirichlet(alpha *autograd.Node) Distribution {
	return continuous("dirichlet", Simplex(), func(x *autograd.Node) *autograd.Node {
		return alpha.Sum().LogGamma().Sub(alpha.LogGamma().Sum()).Add(alpha.AddScalar(-1).Mul(x.Log()).Sum())
	})
}

// BernoulliLogit is 1 with probability σ(logit), else 0.
func BernoulliLogit[L Value](logit L) Distribution {
	return discrete("bernoulli", func(x *autograd.Node) *autograd.Node {
		l := node(x, logit)
		return x.Mul(l).Sub(l.Softplus())
	})
}

// BinomialLogit counts successes of probability σ(logit) in n trials.
func BinomialLogit[N, L Value](n N, logit L) Distribution {
	return discrete("binomial", func(x *autograd.Node) *autograd.Node {
		m, l := node(x, n), node(x, logit)
		choose := m.AddScalar(1).LogGamma().Sub(x.AddScalar(1).LogGamma()).Sub(m.Sub(x).AddScalar(1).LogGamma())
		return choose.Add(x.Mul(l)).Sub(m.Mul(l.Softplus()))
	})
}

// PoissonLog has mean e^log.
func PoissonLog[L Value](log L) Distribution {
	return discrete("poisson", func(x *autograd.Node) *autograd.Node {
		l := node(x, log)
		return x.Mul(l).Sub(l.Exp()).Sub(x.AddScalar(1).LogGamma())
	})
}

// NegativeBinomialLog has mean μ = e^log and variance μ + μ²/concentration.
func NegativeBinomialLog[L, C Value](log L, concentration C) Distribution {
	return discrete("negative binomial", func(x *autograd.Node) *autograd.Node {
		l, c := node(x, log), node(x, concentration)
		total := l.LogAddExp(c.Log())
		choose := x.Add(c).LogGamma().Sub(x.AddScalar(1).LogGamma()).Sub(c.LogGamma())
		return choose.Add(x.Mul(l.Sub(total))).Add(c.Mul(c.Log().Sub(total)))
	})
}
