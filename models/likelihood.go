package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// A Likelihood is a structural equation model as TOBAC sees it, in order
// coordinates: variables are numbered in causal order, so graphs are strictly
// upper triangular.
type Likelihood interface {
	// Vars is the number of variables d.
	Vars() int
	// ParamLen is the number of parameters of one particle.
	ParamLen() int
	// InitParams draws the initial parameters of one particle into dst, of
	// length ParamLen.
	InitParams(dst []float64, rng *rand.Rand)
	// Terms builds log p(Θ|G) and log p(D|G,Θ), each as a vector of d terms
	// that sum to it: term j depends on column j of the graph (the parents of
	// variable j) and on the parameters of variable j alone. g is a d×d
	// adjacency with entries in [0,1], theta a vector of ParamLen parameters,
	// nil if that is 0.
	Terms(g, theta *autograd.Node) (prior, data *autograd.Node)
}

// HardOnly is implemented by likelihoods that may have no soft form.
type HardOnly interface {
	// HardOnly reports whether Terms is defined for adjacencies of zeros and
	// ones only.
	HardOnly() bool
}

// Weighted is implemented by likelihoods with one parameter for every edge, its
// weight.
type Weighted interface {
	// EdgeWeight is the index of the parameter that is the weight of i → j.
	EdgeWeight(i, j int) int
}

// LogJoint evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) for graphs in order
// coordinates and one row of parameters per graph; theta is ignored if the
// likelihood has no parameters.
func LogJoint(lik Likelihood, graphs []*dag.Graph, theta *mat.Dense) (prior, data []float64,
	err error) {
	out, err := evaluate("log joint", lik.Vars(), lik.ParamLen(), graphs, theta,
		func(g, t *autograd.Node) []*autograd.Node {
			lp, ld := lik.Terms(g, t)
			return []*autograd.Node{lp.Sum(), ld.Sum()}
		})
	if err != nil || len(graphs) == 0 {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

// LogPriors evaluates an unnormalised log prior at graphs.
func LogPriors(prior GraphPrior, graphs []*dag.Graph) ([]float64, error) {
	if len(graphs) == 0 {
		return nil, nil
	}
	out, err := evaluate("log prior", graphs[0].Len(), 0, graphs, nil,
		func(g, _ *autograd.Node) []*autograd.Node { return []*autograd.Node{prior.LogProb(g)} })
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// evaluate computes expressions of graphs of d variables and n parameters for every graph with
// its row of parameters; the results have the graphs as their first dimension.
func evaluate(what string, d, n int, graphs []*dag.Graph, theta *mat.Dense,
	build func(g, t *autograd.Node) []*autograd.Node) ([][]float64, error) {
	m := len(graphs)
	if m == 0 {
		return nil, nil
	}
	b := autograd.NewBuilder(what)
	p := b.Axis("particle", m)
	g := b.Input("graph", autograd.Shape{d, d}, p)
	inputs, feeds := []*autograd.Node{g}, []autograd.Feed{{Data: make([]float64, m*d*d)}}
	var t *autograd.Node
	if n > 0 {
		params, err := contiguous(theta, m, n)
		if err != nil {
			return nil, fmt.Errorf("models: %s: parameters: %w", what, err)
		}
		t = b.Input("theta", autograd.Shape{n}, p)
		inputs, feeds = append(inputs, t), append(feeds, autograd.Feed{Data: params})
	}
	outputs := build(g, t)
	results := make([][]float64, len(outputs))
	for k, o := range outputs {
		outputs[k] = o.ExpandOver(p)
		results[k] = make([]float64, m*elements(o.Shape()))
	}
	run, err := autograd.NewEvaluator(inputs, outputs, autograd.Options{})
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", what, err)
	}
	defer run.Close()
	for i, graph := range graphs {
		if graph.Len() != d {
			return nil, fmt.Errorf("models: %s: graph %d has %d variables, want %d", what, i,
				graph.Len(), d)
		}
		for _, e := range graph.Edges() {
			feeds[0].Data[(i*d+e.From)*d+e.To] = 1
		}
	}
	if err := run.Eval(results, feeds); err != nil {
		return nil, fmt.Errorf("models: %s: %w", what, err)
	}
	return results, nil
}

// elements is the number of elements of a shape.
func elements(s autograd.Shape) int {
	n := 1
	for _, k := range s {
		n *= k
	}
	return n
}

// checkData refuses data with a number that is not finite.
func checkData(x mat.Matrix) error {
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			if v := x.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("models: data row %d, column %d is %v, want a finite number", i+1,
					j+1, v)
			}
		}
	}
	return nil
}
