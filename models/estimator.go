package models

import (
	"tobac/autograd"
	"tobac/internal/words"
)

// Estimator says how the Monte Carlo samples of graphs are combined into an
// estimate of log E[p(D,Θ|G)].
type Estimator int

const (
	// NodeWise averages each variable's term on its own:
	// Σ_j log (1/S) Σ_s exp L_j(G_s). Given an order the columns of a graph are
	// independent, so this estimates the same quantity, at the same cost and
	// with far less variance.
	NodeWise Estimator = iota
	// Joint averages whole graphs: log (1/S) Σ_s exp Σ_j L_j(G_s), as
	// published.
	Joint
)

// String is the estimator's name on the command line.
func (e Estimator) String() string {
	return words.Name(e, "nodewise", "joint")
}

// combine lifts a vector of per-variable terms to the scalar estimate.
func (e Estimator) combine(terms *autograd.Node, sample *autograd.Axis) *autograd.Node {
	if e == NodeWise {
		return terms.LogMeanExpOver(sample).Sum()
	}
	return terms.Sum().LogMeanExpOver(sample)
}

// Gradient says how the gradient of log E_{p(G|Z)}[exp L(G)] with respect to Z
// is estimated.
type Gradient int

const (
	// Reparameterised differentiates L through soft graphs, relaxed Bernoulli
	// draws. The likelihood must be defined for them.
	Reparameterised Gradient = iota
	// ScoreFunction weighs ∇ log p(G_s|Z) of hard graphs by the softmax of
	// L(G_s): Σ_s w_s ∇ log p(G_s|Z).
	ScoreFunction
	// ScoreFunctionLOO subtracts from each weight, as a control variate, the
	// mean weight of the other samples: Σ_s (S·w_s − 1)/(S − 1) ∇ log p(G_s|Z).
	// Since ∇ log p has mean 0, its expectation is S/(S−1) times that of
	// ScoreFunction, and closer to the gradient; its variance is lower unless
	// one sample has nearly all the weight. It needs S ≥ 2.
	ScoreFunctionLOO
	// Flips evaluates every hard graph with and without each edge: Rao–Blackwell estimates of the
	// derivatives with respect to the edge probabilities, of far lower variance. It takes one
	// evaluation of a variable's term for every candidate parent and graph, which likelihoods that
	// are [Flippable] do fast. The likelihood need not have a soft form.
	Flips
)

var gradientNames = []string{"reparam", "score", "score-loo", "flips"}

// String is the estimator's name on the command line.
func (g Gradient) String() string {
	return words.Name(g, gradientNames...)
}

// surrogate has the value of the estimate of log E[exp L] and the gradient of
// the score-function estimator: logq enters as logq − stop(logq), which is zero.
func (g Gradient) surrogate(e Estimator, terms, logq *autograd.Node,
	sample *autograd.Axis) *autograd.Node {
	flow := logq.Sub(logq.StopGradient())
	value := e.combine(terms.StopGradient().Add(flow), sample)
	if g != ScoreFunctionLOO {
		return value
	}
	s := float64(sample.Size())
	others := flow.Sum().SumOver(sample).Scale(1 / (s - 1))
	return value.Add(value.Sub(value.StopGradient()).Scale(1 / (s - 1))).Sub(others)
}
