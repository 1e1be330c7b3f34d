package density

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"

	"gonum.org/v1/gonum/stat/distuv"
)

var lnSqrt2Pi = 0.5 * math.Log(2*math.Pi)

type (
	nodeFunc = func(x *autograd.Node, p []*autograd.Node) *autograd.Node
	standard = func(z *autograd.Node) *autograd.Node
)

// continuous is a distribution of numbers with a density.
func continuous(
	name string,
	c Constraint,
	s set,
	log nodeFunc,
	draw func(rng *rand.Rand, p []float64) float64,
	parameters ...parameter,
) Distribution {
	return Distribution{name: name, parameters: parameters, support: &c, set: s, log: log,
		draw: func(rng *rand.Rand, p [][]float64, dst []float64) error {
			numbers := make([]float64, len(p))
			for i, v := range p {
				numbers[i] = v[0]
			}
			dst[0] = draw(rng, numbers)
			return nil
		}}
}

// withCDF adds the logarithms of the distribution function and of the survival function.
func (d Distribution) withCDF(below, above nodeFunc) Distribution {
	d.below, d.above = below, above
	return d
}

// magnitude is |z|, with the slope −1 at 0.
func magnitude(z *autograd.Node) *autograd.Node { return z.Positive().Where(z, z.Neg()) }

// scaled is a location and scale family, by the log density, log distribution function and
// draws of its standard form, whose density is symmetric.
func scaled[M, S Value](
	name string,
	mu M,
	sigma S,
	log, below standard,
	draw func(rng *rand.Rand) float64,
) Distribution {
	z := func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return x.Sub(p[0]).Div(p[1]) }
	d := continuous(
		name,
		Real(),
		anyNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return log(z(x, p)).Sub(p[1].Log())
		},
		func(rng *rand.Rand, p []float64) float64 { return p[0] + p[1]*draw(rng) },
		scalar(mu),
		scalar(sigma),
	)
	if below == nil {
		return d
	}
	return d.withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return below(z(x, p)) },
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return below(z(x, p).Neg()) },
	)
}

// half is the part above 0 of a distribution that is symmetric about it, with a scale as its second
// parameter. within is the log probability between −x and x, accurate for small x.
func half(name string, d Distribution, within nodeFunc) Distribution {
	log, above, draw, c := d.log, d.above, d.draw, Positive()
	d.name, d.support, d.total = name, &c, nil
	d.set = set{"a number from 0", func(v float64) bool { return v >= 0 && finite(v) }}
	d.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return log(x, p).AddScalar(math.Ln2)
	}
	d.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		err := draw(rng, p, dst)
		dst[0] = math.Abs(dst[0])
		return err
	}
	// either one directly where it is the smaller: each has the part of x on its side of σ/2
	parts := func(x *autograd.Node, p []*autograd.Node) (near, inside, outside *autograd.Node) {
		bend := p[1].Scale(0.5)
		near = bend.AtLeast(x)
		return near, within(near.Where(x, bend), p),
			above(near.Where(bend, x), p).AddScalar(math.Ln2)
	}
	return d.withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			near, inside, outside := parts(x, p)
			return near.Where(inside, logOneMinusExp(outside))
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			near, inside, outside := parts(x, p)
			return near.Where(logOneMinusExp(inside), outside)
		},
	)
}

// logOneMinusExp is ln(1 − eˣ) for x < 0.
func logOneMinusExp(x *autograd.Node) *autograd.Node {
	near := x.AddScalar(math.Ln2).Positive() // x > −ln 2
	bend := x.Builder().Scalar(-math.Ln2)
	least, greatest := x.Minimum(bend), x.Maximum(bend)
	return near.Where(greatest.Expm1().Neg().Log(), least.Exp().Neg().Log1p())
}

func logNormal(z *autograd.Node) *autograd.Node {
	return z.Square().Scale(-0.5).AddScalar(-lnSqrt2Pi)
}

// logOneMinusExpExp is ln(1 − exp(−eˡ)), which is l to the last digit far below 0.
func logOneMinusExpExp(l *autograd.Node) *autograd.Node {
	low := l.Builder().Scalar(-40)
	far := low.AtLeast(l)
	return far.Where(l, logOneMinusExp(far.Where(low, l).Exp().Neg()))
}

// Normal has mean mu and standard deviation sigma.
func Normal[M, S Value](mu M, sigma S) Distribution {
	d := scaled(
		"normal",
		mu,
		sigma,
		logNormal,
		(*autograd.Node).LogNdtr,
		(*rand.Rand).NormFloat64,
	)
	d.total = normalTotal
	return d
}

// normalTotal is −n ln(σ√2π) − Σ(μ − x)²/2σ², with one division where there is one σ.
func normalTotal(x *autograd.Node, p []*autograd.Node) *autograd.Node {
	mu, sigma := p[0], p[1]
	if sigma.Shape().Len() > 1 {
		z := mu.Sub(x).Div(sigma)
		n := z.Shape().Len()
		logs := sigma.Log().Sum().Scale(float64(n) / float64(sigma.Shape().Len()))
		return z.Square().Sum().Scale(-0.5).Sub(logs).AddScalar(-float64(n) * lnSqrt2Pi)
	}
	r := mu.Sub(x)
	n := float64(r.Shape().Len())
	sigma = sigma.Reshape(autograd.Shape{})
	return r.Square().Sum().Div(sigma.Square()).Scale(-0.5).
		Sub(sigma.Log().Scale(n)).AddScalar(-n * lnSqrt2Pi)
}

// HalfNormal is the positive part of a normal distribution with mean 0.
func HalfNormal[S Value](sigma S) Distribution {
	return half("half-normal", Normal(0, sigma),
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaP.of(x.Div(p[1]).Square().Scale(0.5), x.Builder().Scalar(0.5))
		})
}

// Cauchy has median mu and half-width sigma.
func Cauchy[M, S Value](mu M, sigma S) Distribution {
	return scaled("cauchy", mu, sigma, func(z *autograd.Node) *autograd.Node {
		return z.Square().Log1p().Neg().AddScalar(-math.Log(math.Pi))
	}, func(z *autograd.Node) *autograd.Node { // the angle between the vertical and (1, −z)
		tail := z.Builder().Ones(z.Shape()).Atan2(magnitude(z)).Scale(1 / math.Pi)
		return z.Positive().Where(tail.Neg().Log1p(), tail.Log())
	}, func(rng *rand.Rand) float64 { return math.Tan(math.Pi * (rng.Float64() - 0.5)) })
}

// HalfCauchy is the positive part of a Cauchy distribution with median 0.
func HalfCauchy[S Value](sigma S) Distribution {
	return half("half-cauchy", Cauchy(0, sigma),
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return x.Atan2(p[1].Expand(x.Shape())).Scale(2 / math.Pi).Log()
		})
}

// studentLog is the log density of Student's t with v degrees of freedom.
func studentLog(z, v *autograd.Node) *autograd.Node {
	half := v.Scale(0.5)
	constant := half.LogRising(v.Builder().Scalar(0.5)).Sub(v.Log().Scale(0.5))
	return constant.AddScalar(-0.5 * math.Log(math.Pi)).Sub(
		half.AddScalar(0.5).Mul(z.Square().Div(v).Log1p()))
}

// StudentsT has location mu, scale sigma and nu degrees of freedom.
func StudentsT[M, S, N Value](mu M, sigma S, nu N) Distribution {
	z := func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return x.Sub(p[0]).Div(p[1]) }
	return continuous(
		"student t",
		Real(),
		anyNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return studentLog(z(x, p), p[2]).Sub(p[1].Log())
		},
		func(rng *rand.Rand, p []float64) float64 {
			return distuv.StudentsT{Mu: p[0], Sigma: p[1], Nu: p[2], Src: rng}.Rand()
		},
		scalar(mu),
		scalar(sigma),
		scalar(nu),
	).withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logStudentT.of(z(x, p), p[2])
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logStudentT.of(z(x, p).Neg(), p[2])
		},
	)
}

// HalfStudentsT is the positive part of a Student t distribution with location 0.
func HalfStudentsT[S, N Value](sigma S, nu N) Distribution {
	within := func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		s := x.Div(p[1]).Square()
		return logBetaI.of(s.Div(s.Add(p[2])), x.Builder().Scalar(0.5), p[2].Scale(0.5))
	}
	return half("half-student t", StudentsT(0, sigma, nu), within)
}

// Laplace has location mu and scale s.
func Laplace[M, S Value](mu M, s S) Distribution {
	return scaled(
		"laplace",
		mu,
		s,
		func(z *autograd.Node) *autograd.Node { return z.Abs().Neg().AddScalar(-math.Ln2) },
		func(z *autograd.Node) *autograd.Node {
			tail := magnitude(z).Neg().AddScalar(-math.Ln2)
			return z.Positive().Where(tail.Exp().Neg().Log1p(), tail)
		},
		func(rng *rand.Rand) float64 {
			if rng.Uint64()&1 == 0 {
				return -rng.ExpFloat64()
			}
			return rng.ExpFloat64()
		},
	)
}

// Logistic has location mu and scale s.
func Logistic[M, S Value](mu M, s S) Distribution {
	return scaled("logistic", mu, s, func(z *autograd.Node) *autograd.Node {
		return z.LogSigmoid().Add(z.Neg().LogSigmoid())
	}, (*autograd.Node).LogSigmoid, func(rng *rand.Rand) float64 {
		u := rng.Float64()
		return math.Log(u) - math.Log1p(-u)
	})
}

// GumbelRight is the distribution of largest values with location mu and scale beta.
func GumbelRight[M, B Value](mu M, beta B) Distribution {
	z := func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return x.Sub(p[0]).Div(p[1]) }
	below := func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return z(x, p).Neg().Exp().Neg()
	}
	return continuous(
		"gumbel",
		Real(),
		anyNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			s := z(x, p)
			return s.Neg().Sub(s.Neg().Exp()).Sub(p[1].Log())
		},
		func(rng *rand.Rand, p []float64) float64 { return p[0] - p[1]*math.Log(rng.ExpFloat64()) },
		scalar(mu),
		scalar(beta),
	).withCDF(below, func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return logOneMinusExpExp(z(x, p).Neg())
	})
}

// Gamma has shape alpha and rate beta.
func Gamma[A, B Value](alpha A, beta B) Distribution {
	return continuous(
		"gamma",
		Positive(),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			a, b := p[0], p[1]
			return a.Mul(b.Log()).Sub(a.LogGamma()).Add(a.AddScalar(-1).Mul(x.Log())).Sub(b.Mul(x))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return distuv.Gamma{Alpha: p[0], Beta: p[1], Src: rng}.Rand()
		},
		scalar(alpha),
		scalar(beta),
	).withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaP.of(p[1].Mul(x), p[0])
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaQ.of(p[1].Mul(x), p[0])
		},
	)
}

// ChiSquared has k degrees of freedom.
func ChiSquared[K Value](k K) Distribution {
	return continuous(
		"chi squared",
		Positive(),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			h := p[0].Scale(0.5)
			return h.AddScalar(-1).
				Mul(x.Log()).
				Sub(x.Scale(0.5)).
				Sub(h.Scale(math.Ln2)).
				Sub(h.LogGamma())
		},
		func(rng *rand.Rand, p []float64) float64 {
			return distuv.ChiSquared{K: p[0], Src: rng}.Rand()
		},
		scalar(k),
	).withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaP.of(x.Scale(0.5), p[0].Scale(0.5))
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaQ.of(x.Scale(0.5), p[0].Scale(0.5))
		},
	)
}

// InverseGamma has shape alpha and scale beta.
func InverseGamma[A, B Value](alpha A, beta B) Distribution {
	return continuous(
		"inverse gamma",
		Positive(),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			a, b := p[0], p[1]
			return a.Mul(b.Log()).Sub(a.LogGamma()).Sub(a.AddScalar(1).Mul(x.Log())).Sub(b.Div(x))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return distuv.InverseGamma{Alpha: p[0], Beta: p[1], Src: rng}.Rand()
		},
		scalar(alpha),
		scalar(beta),
	).withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaQ.of(p[1].Div(x), p[0])
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logGammaP.of(p[1].Div(x), p[0])
		},
	)
}

// Exponential has the given rate.
func Exponential[R Value](rate R) Distribution {
	above := func(x *autograd.Node, p []*autograd.Node) *autograd.Node { return p[0].Mul(x).Neg() }
	return continuous(
		"exponential",
		Positive(),
		set{"a number from 0", func(v float64) bool { return v >= 0 && finite(v) }},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return p[0].Log().Sub(p[0].Mul(x))
		},
		func(rng *rand.Rand, p []float64) float64 { return rng.ExpFloat64() / p[0] },
		scalar(rate),
	).
		withCDF(func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logOneMinusExp(above(x, p))
		}, above)
}

// Weibull has shape k and scale lambda.
func Weibull[K, L Value](k K, lambda L) Distribution {
	log := func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return x.Log().Sub(p[1].Log())
	}
	above := func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return p[0].Mul(log(x, p)).Exp().Neg()
	}
	return continuous(
		"weibull",
		Positive(),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return p[0].Log().Sub(x.Log()).Add(p[0].Mul(log(x, p))).Add(above(x, p))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return p[1] * math.Pow(rng.ExpFloat64(), 1/p[0])
		},
		scalar(k),
		scalar(lambda),
	).
		withCDF(func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logOneMinusExpExp(p[0].Mul(log(x, p)))
		}, above)
}

// LogNormal has a logarithm that is normal with mean mu and standard deviation sigma.
func LogNormal[M, S Value](mu M, sigma S) Distribution {
	n := Normal(mu, sigma)
	d := continuous(
		"lognormal",
		Positive(),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			log := x.Log()
			return n.log(log, p).Sub(log)
		},
		func(rng *rand.Rand, p []float64) float64 {
			return math.Exp(p[0] + p[1]*rng.NormFloat64())
		},
		n.parameters...).
		withCDF(func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return n.below(x.Log(), p)
		},
			func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
				return n.above(x.Log(), p)
			})
	d.total = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		log := x.Log()
		return normalTotal(log, p).Sub(log.Sum())
	}
	return d
}

// Pareto is above xm with tail index alpha.
func Pareto[M, A Value](xm M, alpha A) Distribution {
	above := func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		bend := p[0].Scale(2) // up to it ln(m/x) = ln(1 + (m−x)/x)
		near := bend.AtLeast(x)
		small, large := near.Where(x, bend), near.Where(bend, x)
		logs := near.Where(p[0].Sub(small).Div(small).Log1p(), p[0].Log().Sub(large.Log()))
		return p[1].Mul(logs).Minimum(x.Builder().Scalar(0))
	}
	return continuous(
		"pareto",
		Above(xm),
		positiveNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			log := p[1].Log().Add(p[1].Mul(p[0].Log())).Sub(p[1].AddScalar(1).Mul(x.Log()))
			return x.AtLeast(p[0]).Where(log, x.Builder().Scalar(math.Inf(-1)))
		},
		func(rng *rand.Rand, p []float64) float64 { return p[0] * math.Exp(rng.ExpFloat64()/p[1]) },
		scalar(xm),
		scalar(alpha),
	).
		withCDF(func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logOneMinusExp(above(x, p))
		}, above)
}

// Beta has shapes alpha and beta.
func Beta[A, B Value](alpha A, beta B) Distribution {
	return continuous(
		"beta",
		Bounded(0, 1),
		unitNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			a, b := p[0], p[1]
			return a.AddScalar(-1).
				Mul(x.Log()).
				Add(b.AddScalar(-1).Mul(x.Neg().Log1p())).
				Sub(a.LogBeta(b))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return distuv.Beta{Alpha: p[0], Beta: p[1], Src: rng}.Rand()
		},
		scalar(alpha),
		scalar(beta),
	).withCDF(
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logBetaI.of(x, p[0], p[1])
		},
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logBetaJ.of(x, p[0], p[1])
		},
	)
}

// Uniform is constant between two bounds.
func Uniform[L, H Value](low L, high H) Distribution {
	share := func(part, rest *autograd.Node) *autograd.Node { // ln(part/(part + rest))
		all := part.Add(rest)
		return rest.AtLeast(part).Where(part.Div(all).Log(), rest.Div(all).Neg().Log1p())
	}
	return continuous(
		"uniform",
		Bounded(low, high),
		anyNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			inside := x.AtLeast(p[0]).And(p[1].AtLeast(x))
			return inside.Where(p[1].Sub(p[0]).Log().Neg(), x.Builder().Scalar(math.Inf(-1)))
		},
		func(rng *rand.Rand, p []float64) float64 { return p[0] + (p[1]-p[0])*rng.Float64() },
		scalar(low),
		scalar(high),
	).
		withCDF(func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return share(x.Sub(p[0]), p[1].Sub(x))
		},
			func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
				return share(p[1].Sub(x), x.Sub(p[0]))
			})
}

// VonMises is an angle from −π to π with mean direction mu and concentration kappa:
// exp(κ cos(x − μ))/(2π I₀(κ)).
func VonMises[M, K Value](mu M, kappa K) Distribution {
	angle := set{
		"an angle from −π to π",
		func(v float64) bool { return v >= -math.Pi && v <= math.Pi },
	}
	return continuous(
		"von mises",
		Angle(),
		angle,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			// κ(cos d − 1) without cancellation, and ln I₀(κ) − κ
			d := x.Sub(p[0]).Scale(0.5).Sin().Square().Scale(-2)
			return p[1].Mul(d).Sub(p[1].LogBesselI0().Sub(p[1])).AddScalar(-math.Log(2 * math.Pi))
		},
		func(rng *rand.Rand, p []float64) float64 { return vonMises(rng, p[0], p[1]) },
		scalar(mu),
		scalar(kappa),
	)
}

// vonMises draws by Best and Fisher's rejection from a wrapped Cauchy distribution.
func vonMises(rng *rand.Rand, mu, kappa float64) float64 {
	if kappa < 1e-6 {
		return math.Pi * (2*rng.Float64() - 1)
	}
	tau := 1 + math.Sqrt(1+4*kappa*kappa)
	rho := (tau - math.Sqrt(2*tau)) / (2 * kappa)
	r := (1 + rho*rho) / (2 * rho)
	for {
		z := math.Cos(math.Pi * rng.Float64())
		f := (1 + r*z) / (r + z)
		c := kappa * (r - f)
		if u := rng.Float64(); c*(2-c) > u || math.Log(c/u)+1 >= c {
			if rng.Uint64()&1 == 0 {
				f = math.Acos(f)
			} else {
				f = -math.Acos(f)
			}
			return math.Remainder(mu+f, 2*math.Pi)
		}
	}
}
