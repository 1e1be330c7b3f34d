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
// coordinates and one row of parameters per graph; theta is not looked at if the
// likelihood has no parameters.
func LogJoint(lik Likelihood, graphs []*dag.Graph, theta *mat.Dense) (prior, data []float64, err error) {
	d, m := lik.Vars(), len(graphs)
	if m == 0 {
		return nil, nil, nil
	}
	b := autograd.NewBuilder("log joint")
	p := b.Axis("particle", m)
	g := b.Input("graph", autograd.Shape{d, d}, p)
	inputs, feeds := []*autograd.Node{g}, []autograd.Feed{{Data: make([]float64, m*d*d)}}
	var t *autograd.Node
	if n := lik.ParamLen(); n > 0 {
		params, err := contiguous(theta, m, n)
		if err != nil {
			return nil, nil, fmt.Errorf("models: log joint: parameters: %w", err)
		}
		t = b.Input("theta", autograd.Shape{n}, p)
		inputs, feeds = append(inputs, t), append(feeds, autograd.Feed{Data: params})
	}
	lp, ld := lik.Terms(g, t)
	run, err := autograd.NewEvaluator(inputs, []*autograd.Node{lp.Sum().ExpandOver(p), ld.Sum().ExpandOver(p)}, autograd.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("models: log joint: %w", err)
	}
	defer run.Close()
	for i, graph := range graphs {
		if graph.Len() != d {
			return nil, nil, fmt.Errorf("models: log joint: graph %d has %d variables, want %d", i, graph.Len(), d)
		}
		for _, e := range graph.Edges() {
			feeds[0].Data[(i*d+e.From)*d+e.To] = 1
		}
	}
	prior, data = make([]float64, m), make([]float64, m)
	if err := run.Eval([][]float64{prior, data}, feeds); err != nil {
		return nil, nil, fmt.Errorf("models: log joint: %w", err)
	}
	return prior, data, nil
}

// checkData refuses data with a number that is not finite.
func checkData(x mat.Matrix) error {
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			if v := x.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("models: data row %d, column %d is %v, want a finite number", i+1, j+1, v)
			}
		}
	}
	return nil
}
