package models

import (
	"fmt"
	"math"

	"tobac/autograd"
)

// A GraphPrior is an unnormalised log prior over graphs, evaluated at a d×d
// adjacency that may hold edge probabilities.
type GraphPrior interface {
	LogProb(g *autograd.Node) *autograd.Node
}

// ErdosRenyi is the prior under which each of the d(d−1)/2 unordered pairs has
// an edge with the same probability p, 0 < p < 1:
//
//	log p(G) = E ln p + (d(d−1)/2 − E) ln(1−p),   E = Σ_ij G_ij.
type ErdosRenyi struct{ EdgeProbability float64 }

// ScaleFree is the prior log p(G) = −3 Σ_j ln(1 + Σ_i G_ij), which favours few
// variables with many parents.
type ScaleFree struct{}

// UniformPrior gives every graph the same probability.
type UniformPrior struct{}

var (
	_ GraphPrior = ErdosRenyi{}
	_ GraphPrior = ScaleFree{}
	_ GraphPrior = UniformPrior{}
)

// NewErdosRenyi is the prior with a given expected number of edges per
// variable e: p = 2e/(d−1). An e outside (0, (d−1)/2) is an error.
func NewErdosRenyi(vars int, edgesPerNode float64) (ErdosRenyi, error) {
	p := 2 * edgesPerNode / float64(vars-1)
	if !(p > 0 && p < 1) {
		return ErdosRenyi{}, fmt.Errorf("edges per node %v on %d variables makes the edge probability %.4g; want 0 < edges per node < %v", edgesPerNode, vars, p, float64(vars-1)/2)
	}
	return ErdosRenyi{EdgeProbability: p}, nil
}

// LogProb implements [GraphPrior]. It panics if the edge probability is out of
// range.
func (e ErdosRenyi) LogProb(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	pairs := float64(d*(d-1)) / 2
	p := e.EdgeProbability
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("models: Erdős–Rényi prior with edge probability %v, want 0 < p < 1", p))
	}
	return g.Sum().Scale(math.Log(p) - math.Log1p(-p)).AddScalar(pairs * math.Log1p(-p))
}

// LogProb implements [GraphPrior].
func (ScaleFree) LogProb(g *autograd.Node) *autograd.Node {
	return g.Sum(0).Log1p().Sum().Scale(-3)
}

// LogProb implements [GraphPrior].
func (UniformPrior) LogProb(g *autograd.Node) *autograd.Node { return g.Builder().Scalar(0) }
