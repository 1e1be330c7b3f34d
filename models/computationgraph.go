package models

import "tobac/autograd"

// A ComputationGraph is what a model computes, as nodes of one builder with their names: to look
// at, to differentiate, to compile, or to export (gorgonia.Export).
type ComputationGraph struct {
	Builder *autograd.Builder
	Inputs  map[string]*autograd.Node
	Outputs map[string]*autograd.Node
}

// Graph is the computation graph of the target, written for one particle and one sample; the
// nodes carry the axes of both. Inputs are "Z", "theta", "alpha" (the inverse temperature), the
// noise "uniform Z" and "uniform theta", and "temper", "flips" and "rows" of settings that
// use them. Outputs are
//
//	edge probabilities    σ(α·s), as a d×d matrix
//	soft graph            the graph that the gradient of Z goes through
//	hard graph            that of Θ
//	soft terms            log p(Θ_j|G) + log p(D_j|G,Θ_j) of each variable, of the soft graph
//	hard terms            the same of the hard graph
//	log prior             log p(Z), without a penalty of cycles
//	log likelihood        log E[p(D,Θ|G)], or its surrogate (see [Gradient])
//	objective Z           whose gradient is the score of Z
//	objective theta       whose gradient is the score of Θ
//
// Those that a setting does not have are missing: with [Flips] and a likelihood with a [Flipper]
// only the edge probabilities, the prior and the objective of Z are expressions. Every call makes
// new nodes on a new builder.
func (t *TOBAC) Graph() *ComputationGraph {
	e := t.expressions()
	all := &ComputationGraph{Builder: e.b, Inputs: map[string]*autograd.Node{},
		Outputs: map[string]*autograd.Node{}}
	for _, n := range e.inputs() {
		all.Inputs[n.Name()] = n
	}
	for name, n := range map[string]*autograd.Node{
		"edge probabilities": e.edgeProbs, "soft graph": e.softGraph, "hard graph": e.hardGraph,
		"soft terms": e.softTerms, "hard terms": e.hardTerms, "log prior": e.logPrior,
		"log likelihood": e.logLikelihood, "objective Z": e.objectiveZ,
		"objective theta": e.objectiveTheta,
	} {
		if n != nil {
			all.Outputs[name] = n
		}
	}
	return all
}

// LikelihoodGraph is the computation graph of a likelihood: inputs "graph", a d×d adjacency, and
// "theta", if it has parameters; outputs "log prior", log p(Θ_j|G) of each variable, and
// "log likelihood", log p(D_j|G,Θ_j).
func LikelihoodGraph(lik Likelihood) *ComputationGraph {
	b := autograd.NewBuilder("likelihood")
	d := lik.Vars()
	inputs := map[string]*autograd.Node{"graph": b.Input("graph", autograd.Shape{d, d})}
	if n := lik.ParamLen(); n > 0 {
		inputs["theta"] = b.Input("theta", autograd.Shape{n})
	}
	prior, data := lik.Terms(inputs["graph"], inputs["theta"])
	return &ComputationGraph{Builder: b, Inputs: inputs,
		Outputs: map[string]*autograd.Node{"log prior": prior, "log likelihood": data}}
}

// PriorGraph is the computation graph of a prior over graphs of d variables: input "graph", output
// "log prior".
func PriorGraph(prior GraphPrior, d int) *ComputationGraph {
	b := autograd.NewBuilder("prior")
	g := b.Input("graph", autograd.Shape{d, d})
	return &ComputationGraph{Builder: b, Inputs: map[string]*autograd.Node{"graph": g},
		Outputs: map[string]*autograd.Node{"log prior": prior.LogProb(g)}}
}
