package density

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/stat/distuv"
)

// discrete is a distribution of whole numbers.
func discrete(
	name string,
	s set,
	log nodeFunc,
	draw func(rng *rand.Rand, p []float64) float64,
	parameters ...parameter,
) Distribution {
	d := continuous(name, Constraint{}, s, log, draw, parameters...)
	d.support = nil
	return d
}

// timesLog is x ln y, 0 for x = 0.
func timesLog(x, y *autograd.Node) *autograd.Node {
	one := x.Builder().Scalar(1)
	return x.Mul(x.Positive().Where(y, one).Log())
}

func logChoose(n, k *autograd.Node) *autograd.Node {
	return n.AddScalar(1).
		LogGamma().
		Sub(k.AddScalar(1).LogGamma()).
		Sub(n.Sub(k).AddScalar(1).LogGamma())
}

func sigmoid(l float64) float64 { return 1 / (1 + math.Exp(-l)) }

func bernoulli(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

func binomial(rng *rand.Rand, n, p float64) float64 {
	return distuv.Binomial{N: n, P: p, Src: rng}.Rand()
}

func poisson(rng *rand.Rand, lambda float64) float64 {
	if lambda == 0 {
		return 0
	}
	return distuv.Poisson{Lambda: lambda, Src: rng}.Rand()
}

// Bernoulli is 1 with probability p, else 0.
func Bernoulli[P Value](p P) Distribution {
	return discrete(
		"bernoulli",
		binaryNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			miss := x.SubFrom(1)
			return timesLog(x, p[0]).Add(timesLog(miss, p[0].SubFrom(1)))
		},
		func(rng *rand.Rand, p []float64) float64 { return bernoulli(rng, p[0]) },
		scalar(p),
	)
}

// BernoulliLogit is 1 with probability σ(logit), else 0.
func BernoulliLogit[L Value](logit L) Distribution {
	return discrete(
		"bernoulli",
		binaryNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return x.Mul(p[0]).Sub(p[0].Softplus())
		},
		func(rng *rand.Rand, p []float64) float64 { return bernoulli(rng, sigmoid(p[0])) },
		scalar(logit),
	)
}

// Binomial counts successes of probability p in n trials.
func Binomial[N, P Value](n N, p P) Distribution {
	return discrete(
		"binomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			misses := p[0].Sub(x)
			return logChoose(p[0], x).Add(timesLog(x, p[1])).Add(timesLog(misses, p[1].SubFrom(1)))
		},
		func(rng *rand.Rand, p []float64) float64 { return binomial(rng, p[0], p[1]) },
		scalar(n),
		scalar(p),
	)
}

// BinomialLogit counts successes of probability σ(logit) in n trials.
func BinomialLogit[N, L Value](n N, logit L) Distribution {
	return discrete(
		"binomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logChoose(p[0], x).Add(x.Mul(p[1])).Sub(p[0].Mul(p[1].Softplus()))
		},
		func(rng *rand.Rand, p []float64) float64 { return binomial(rng, p[0], sigmoid(p[1])) },
		scalar(n),
		scalar(logit),
	)
}

// BetaBinomial counts successes in n trials, whose probability has the distribution Beta(alpha,
// beta).
func BetaBinomial[N, A, B Value](n N, alpha A, beta B) Distribution {
	return discrete(
		"beta-binomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return logChoose(p[0], x).Add(p[1].LogRising(x)).Add(p[2].LogRising(p[0].Sub(x))).
				Sub(p[1].Add(p[2]).LogRising(p[0]))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return binomial(rng, p[0], distuv.Beta{Alpha: p[1], Beta: p[2], Src: rng}.Rand())
		},
		scalar(n),
		scalar(alpha),
		scalar(beta),
	)
}

// Poisson has mean lambda.
func Poisson[L Value](lambda L) Distribution {
	return discrete(
		"poisson",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return timesLog(x, p[0]).Sub(p[0]).Sub(x.AddScalar(1).LogGamma())
		},
		func(rng *rand.Rand, p []float64) float64 { return poisson(rng, p[0]) },
		scalar(lambda),
	)
}

// PoissonLog has mean e^log.
func PoissonLog[L Value](log L) Distribution {
	return discrete(
		"poisson",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return x.Mul(p[0]).Sub(p[0].Exp()).Sub(x.AddScalar(1).LogGamma())
		},
		func(rng *rand.Rand, p []float64) float64 { return poisson(rng, math.Exp(p[0])) },
		scalar(log),
	)
}

// NegativeBinomial has mean mu and variance μ + μ²/concentration.
func NegativeBinomial[M, C Value](mu M, concentration C) Distribution {
	log := NegativeBinomialLog(0, 0).log
	return discrete(
		"negative binomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			return log(x, []*autograd.Node{p[0].Log(), p[1]})
		},
		func(rng *rand.Rand, p []float64) float64 { return negativeBinomial(rng, p[0], p[1]) },
		scalar(mu),
		scalar(concentration),
	)
}

func negativeBinomial(rng *rand.Rand, mu, c float64) float64 {
	return poisson(rng, distuv.Gamma{Alpha: c, Beta: c / mu, Src: rng}.Rand())
}

// NegativeBinomialLog has mean μ = e^log and variance μ + μ²/concentration.
func NegativeBinomialLog[L, C Value](log L, concentration C) Distribution {
	return discrete(
		"negative binomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			l, c := p[0], p[1]
			odds := l.Sub(c.Log()) // ln μ/c
			choose := c.LogRising(x).Sub(x.AddScalar(1).LogGamma())
			return choose.Add(x.Mul(odds.LogSigmoid())).Sub(c.Mul(odds.Softplus()))
		},
		func(rng *rand.Rand, p []float64) float64 {
			return negativeBinomial(rng, math.Exp(p[0]), p[1])
		},
		scalar(log),
		scalar(concentration),
	)
}

// categorical reads, at the category of each value, the last axis of log weights that add
// to 1.
func categorical(x, logs *autograd.Node) *autograd.Node {
	_, k := size(logs)
	s := x.Shape()
	return x.OneHot(k).Mul(logs).Sum(len(s))
}

// Categorical is a category from 0, by the probabilities along the last axis of p, which add
// to 1. Probabilities of categories in the data are above 0.
func Categorical[P Value](p P) Distribution {
	d := discrete(
		"categorical",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			_, k := size(p[0])
			return x.OneHot(k).Mul(p[0]).Sum(len(x.Shape())).Log()
		},
		nil,
		array(p, 1),
	)
	d.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		dst[0] = float64(stream.Choose(rng, p[0]))
		return nil
	}
	return d
}

// CategoricalLogit is a category from 0 with probabilities softmax(logits), along the last
// axis of logits.
func CategoricalLogit[L Value](logits L) Distribution {
	d := discrete(
		"categorical",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			axis, _ := size(p[0])
			return categorical(x, p[0]).Sub(p[0].LogSumExp(axis))
		},
		nil,
		array(logits, 1),
	)
	d.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		best := math.Inf(-1)
		for k, l := range p[0] { // the largest of logits with Gumbel noise
			if v := l - math.Log(rng.ExpFloat64()); v > best {
				best, dst[0] = v, float64(k)
			}
		}
		return nil
	}
	return d
}

// OrderedLogistic is a category from 0 to k of an ordered scale with k cutpoints c₁ < … < c_k:
// P(x ≥ j) = σ(eta − cⱼ). Cutpoints are one vector for all values.
func OrderedLogistic[E, C Value](eta E, cutpoints C) Distribution {
	d := discrete(
		"ordered logistic",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			_, k := size(p[1])
			s := x.Shape()
			column := append(append(autograd.Shape{}, s...), 1)
			z := p[0].Expand(s).Reshape(column).Sub(p[1]) // …×k
			upper, lower := z.LogSigmoid(), z.Neg().LogSigmoid()
			logs := []*autograd.Node{last(lower, 0, 1)}
			if k > 1 {
				// σ(a) − σ(b) = σ(a)σ(−b)(1 − e^(b−a))
				gap := differences(p[1]).Neg()
				logs = append(
					logs,
					last(upper, 0, k-1).Add(last(lower, 1, k)).Add(logOneMinusExp(gap)),
				)
			}
			logs = append(logs, last(upper, k-1, k))
			return categorical(x, autograd.Concat(len(s), logs[0], logs[1:]...))
		},
		nil,
		scalar(eta),
		array(cutpoints, 1),
	)
	d.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		u := rng.Float64()
		dst[0] = 0
		for _, c := range p[1] {
			if u < sigmoid(p[0][0]-c) {
				dst[0]++
			}
		}
		return nil
	}
	return d
}

// Multinomial counts categories of independent trials, by the probabilities along the last
// axis of p. A value is a vector of counts; the number of trials, n, is that of each value.
func Multinomial[N, P Value](n N, p P) Distribution {
	d := discrete(
		"multinomial",
		countNumber,
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			axis, _ := size(x)
			terms := timesLog(x, p[1]).Sub(x.AddScalar(1).LogGamma())
			return terms.Sum(axis).Add(p[0].AddScalar(1).LogGamma())
		},
		nil,
		scalar(n),
		array(p, 1),
	)
	d.event = 1
	d.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		for k := range dst {
			dst[k] = 0
		}
		for range int(p[0][0]) {
			dst[stream.Choose(rng, p[1])]++
		}
		return nil
	}
	return d
}
