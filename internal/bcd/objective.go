package bcd

import (
	"math"

	"tobac/autograd"
)

// An objective is the ELBO of one sample as an expression, mapped over the samples
// of a batch.
type objective struct {
	builder *autograd.Builder
	samples *autograd.Axis

	parameters  []*autograd.Node
	temperature *autograd.Node // scalar
	noise       *autograd.Node // uniform numbers of z
	gumbel      *autograd.Node // uniform numbers of the permutation, d×d

	theta, logNoise *autograd.Node // z: the weights of L, and log σ
	logDensity      *autograd.Node // log q(z)
	logits          *autograd.Node // M, d×d
	soft, hard      *autograd.Node // the doubly stochastic matrix and the permutation nearest to it

	settings *Settings
	gram     *autograd.Node // XᵀX
	rows     int
	unsolved []*autograd.Node // 1 for a sample whose backward pass of sinkhorn failed
}

// newObjective writes down the model of x = Wᵀx + ε with W = P Lᵀ Pᵀ and its
// variational posterior. gram is XᵀX of n rows of d variables, row by row, and
// tolerance that of sinkhorn.
func newObjective(s *Settings, gram []float64, n, d int, tolerance float64) *objective {
	b := autograd.NewBuilder("BCD Nets")
	o := &objective{builder: b, samples: b.Axis("sample", s.Batch), settings: s, rows: n}
	square := autograd.Shape{d, d}
	o.gram = b.Constant(gram, square)
	for _, p := range s.parameters(d) {
		o.parameters = append(o.parameters, b.Input(p.name, p.shape))
	}
	o.temperature = b.Input("temperature", autograd.Shape{})

	// q(z): z = μ + e^ℓ ε with ℓ capped.
	size, pairs := s.latents(d), d*(d-1)/2
	mean, logSD := o.parameters[0], capped(o.parameters[1])
	e := b.Normal("noise", autograd.Shape{size}, o.samples)
	o.noise = b.InputNamed("noise")
	z := mean.Add(logSD.Exp().Mul(e))
	o.theta, o.logNoise = z.Slice(0, 0, pairs), z.Slice(0, pairs, size)
	o.logDensity = e.Square().Scale(-0.5).AddScalar(-0.5 * math.Log(2*math.Pi)).Sub(logSD).Sum()

	// q(P|z): perturbed logits, hardened with a straight-through derivative.
	if s.Factorized {
		o.logits = capped(o.parameters[2]).ExpandOver(o.samples)
	} else {
		o.logits = capped(network(o.parameters[2:], z, o.samples, d))
	}
	perturbation := b.Gumbel("gumbel", square, o.samples)
	o.gumbel = b.InputNamed("gumbel")
	o.soft = doublyStochastic(o.logits.Add(perturbation).Div(o.temperature), tolerance,
		func(failed *autograd.Node) { o.unsolved = append(o.unsolved, failed) })
	o.hard = assignment.Apply(autograd.Attr{}, o.soft)
	return o
}

// inputs are those of an evaluator, in the sequence of feeds.
func (o *objective) inputs() []*autograd.Node {
	return append(append([]*autograd.Node{}, o.parameters...), o.temperature, o.noise, o.gumbel)
}

// elbo is the evidence lower bound of one sample, a scalar, with p for the
// permutation:
//
//	log p(X|W,σ) + log p(θ) + s(σ) − log q(z) − log q(P|M) − ln d!
func (o *objective) elbo(p *autograd.Node) *autograd.Node {
	s, d := o.settings, p.Shape()[0]
	likelihood := logLikelihood(weights(o.theta, p), o.logNoise, o.gram, o.rows)

	noise := o.logNoise.Square().Sum().Scale(-1. / 18)
	permutation := p.Dot(o.logits).Sub(logPermanent(o.logits))
	logFactorial, _ := math.Lgamma(float64(d + 1))
	return likelihood.Add(s.logPrior(o.theta)).Add(noise).Sub(o.logDensity).Sub(
		permutation).AddScalar(-logFactorial)
}

// logPrior is the log density of weights under the horseshoe prior.
func (s *Settings) logPrior(theta *autograd.Node) *autograd.Node {
	scaled, each := theta.Scale(1/s.HorseshoeScale), math.Log(s.HorseshoeScale)
	return horseshoe.Apply(autograd.Attr{}, scaled).AddScalar(-each).Sum()
}

// weights is W = P Lᵀ Pᵀ, where θ fills L[j][i] for i < j, i by i.
func weights(theta, p *autograd.Node) *autograd.Node {
	d := p.Shape()[0]
	transposed := theta.ScatterAdd(autograd.StrictUpper(d), autograd.Shape{d, d})
	return p.MatMul(transposed).MatMul(p.T())
}

// logLikelihood is the log density of n rows with XᵀX = gram: with A = I − W,
//
//	−(nd/2) ln 2π − n Σ_j ln σ_j − ½ Σ_j σ_j⁻² (Aᵀ XᵀX A)_jj.
//
// One log noise serves all d variables.
func logLikelihood(w, logNoise, gram *autograd.Node, n int) *autograd.Node {
	d := w.Shape()[0]
	identity := make([]float64, d*d)
	for j := range d {
		identity[j*d+j] = 1
	}
	a := w.Builder().Constant(identity, autograd.Shape{d, d}).Sub(w)
	squares := a.Mul(gram.MatMul(a)).Sum(0)
	each := logNoise.Expand(autograd.Shape{d})
	fit := each.Scale(-2).Exp().Dot(squares).Scale(-0.5)
	return fit.Sub(each.Sum().Scale(float64(n))).AddScalar(
		-0.5 * float64(n*d) * math.Log(2*math.Pi))
}
