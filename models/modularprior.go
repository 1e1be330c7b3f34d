package models

import (
	"fmt"
	"math"

	"tobac/autograd"
)

// A ModularPrior is a graph prior that is a product over variables, each factor of which depends on
// the parents of one.
type ModularPrior interface {
	GraphPrior
	// Terms builds the d terms that sum to LogProb, term j from column j of the graph.
	Terms(g *autograd.Node) *autograd.Node
	// Term is term j of a graph with d variables in which variable j has these parents, ascending.
	Term(d, j int, parents []int) float64
}

// Terms implements [ModularPrior]: every variable has the same fraction of the pairs without an
// edge.
func (e erdosRenyi) Terms(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	p := e.p
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("models: Erdős–Rényi prior with edge probability %v, want 0 < p < 1", p))
	}
	return g.Sum(0).Scale(math.Log(p) - math.Log1p(-p)).AddScalar(float64(d-1) / 2 * math.Log1p(-p))
}

// Term implements [ModularPrior].
func (e erdosRenyi) Term(d, _ int, parents []int) float64 {
	p := e.p
	return float64(len(parents))*(math.Log(p)-math.Log1p(-p)) + float64(d-1)/2*math.Log1p(-p)
}

// Terms implements [ModularPrior].
func (scaleFree) Terms(g *autograd.Node) *autograd.Node { return g.Sum(0).Log1p().Scale(-3) }

// Term implements [ModularPrior].
func (scaleFree) Term(_, _ int, parents []int) float64 {
	return -3 * math.Log1p(float64(len(parents)))
}

// Terms implements [ModularPrior].
func (fairPrior) Terms(g *autograd.Node) *autograd.Node {
	d := float64(g.Shape()[0])
	k := g.Sum(0)
	return k.AddScalar(1).LogGamma().Add(k.Neg().AddScalar(d).LogGamma()).AddScalar(-lnGamma(d))
}

// Term implements [ModularPrior].
func (fairPrior) Term(d, _ int, parents []int) float64 {
	k := float64(len(parents))
	return lnGamma(k+1) + lnGamma(float64(d)-k) - lnGamma(float64(d))
}

// Terms implements [ModularPrior].
func (uniformPrior) Terms(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	return g.Builder().Constant(make([]float64, d), autograd.Shape{d})
}

// Term implements [ModularPrior].
func (uniformPrior) Term(int, int, []int) float64 { return 0 }

// Terms implements [ModularPrior].
func (e *edgePrior) Terms(g *autograd.Node) *autograd.Node {
	d, _ := e.p.Dims()
	logOdds, constant := make([]float64, d*d), make([]float64, d)
	for j := range d {
		constant[j] = e.Term(d, j, nil)
		for i := range d {
			if p := e.p.At(i, j); i != j && p > 0 && p < 1 {
				logOdds[i*d+j] = math.Log(p) - math.Log1p(-p)
			}
		}
	}
	b := g.Builder()
	return g.Mul(b.Constant(logOdds, autograd.Shape{d, d})).Sum(0).Add(b.Constant(constant,
		autograd.Shape{d}))
}

// Term implements [ModularPrior].
func (e *edgePrior) Term(d, j int, parents []int) (sum float64) {
	for i := range d {
		if p := e.p.At(i, j); i != j && p > 0 && p < 1 {
			sum += math.Log1p(-p)
		}
	}
	for _, i := range parents {
		if p := e.p.At(i, j); p > 0 && p < 1 {
			sum += math.Log(p) - math.Log1p(-p)
		}
	}
	return sum
}

func lnGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
