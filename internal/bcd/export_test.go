package bcd

import (
	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

// What the tests of the parts need.
var (
	Balance          = balance
	BalanceScaling   = balanceScaling
	BalanceLog       = balanceLog
	BalanceCotangent = balanceCotangent
	Assign           = assign
	BethePermanent   = bethePermanent
	LogHorseshoe     = logHorseshoe
	ScoreHorseshoe   = scoreHorseshoe
	Horseshoe        = horseshoe
	LogPermanent     = logPermanent
	DoublyStochastic = doublyStochastic
	Weights          = weights
	LogLikelihood    = logLikelihood
)

// AdaBelief runs the optimiser on one number and returns where it is after each gradient.
func AdaBelief(x, rate float64, gradients ...float64) (path []float64) {
	o, at := adaBelief{first: []float64{0}, second: []float64{0}}, []float64{x}
	for _, g := range gradients {
		o.update(at, []float64{g}, rate)
		path = append(path, at[0])
	}
	return path
}

// ScoreAt is the ELBO of each sample and its mean gradient at parameters, a temperature, and
// uniform numbers for z and for the permutation, sample by sample.
func (m *Model) ScoreAt(parameters []float64, temperature float64,
	noise, gumbel []float64) (elbo, gradient []float64, err error) {
	var src []autograd.Feed
	for _, values := range append(m.split(parameters), []float64{temperature}, noise, gumbel) {
		src = append(src, autograd.Feed{Data: values})
	}
	gradient = make([]float64, len(parameters))
	elbo = make([]float64, m.settings.Batch)
	if err = m.values.Eval([][]float64{elbo, m.soft}, src); err != nil {
		return nil, nil, err
	}
	err = m.score.Eval(append([][]float64{m.flags}, m.split(gradient)...), src)
	return elbo, gradient, err
}

// SoftObjective is the mean ELBO with doubly stochastic matrices in the place of permutations, on 5
// rows with XᵀX = gram, with the parameters' nodes and the other inputs.
func SoftObjective(s Settings, gram []float64, d int) (elbo *autograd.Node,
	parameters []*autograd.Node, temperature, noise, gumbel *autograd.Node) {
	s = s.WithDefaults(5, d)
	o := newObjective(&s, gram, 5, d, 1e-13)
	return o.elbo(o.soft).MeanOver(o.samples), o.parameters, o.temperature, o.noise, o.gumbel
}

// ApplyEdges sets the weights that are no edges to 0.
func ApplyEdges(r EdgeRule, weights []*mat.Dense) { r.apply(weights) }
