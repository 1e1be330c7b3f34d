package models

import (
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
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
//
// A p outside (0, 1) panics where the prior is evaluated.
func ErdosRenyi(p float64) ModularPrior { return erdosRenyi{p} }

type erdosRenyi struct{ p float64 }

// ScaleFree is the prior log p(G) = −3 Σ_j ln(1 + Σ_i G_ij), which favours few
// variables with many parents.
func ScaleFree() ModularPrior { return scaleFree{} }

type scaleFree struct{}

// FairPrior gives every number of parents of a variable the same mass,
// log p(G) = −Σ_j ln C(d−1, Σ_i G_ij), with gamma functions between whole numbers.
func FairPrior() ModularPrior { return fairPrior{} }

type fairPrior struct{}

// UniformPrior gives every graph the same probability.
func UniformPrior() ModularPrior { return uniformPrior{} }

type uniformPrior struct{}

// edgePrior is the prior of [NewEdgePrior].
type edgePrior struct{ p *mat.Dense }

// FixedEdges is implemented by graph priors that may leave no choice about some
// edges. A [TOBAC] samples the others only: in every graph, soft or hard, and in
// the limit, a fixed edge is 0 or 1.
type FixedEdges interface {
	// EdgeProbabilities is a d×d matrix. Off the diagonal, an entry (i, j) of
	// exactly 0 rules the edge i → j out and one of exactly 1 makes it certain.
	EdgeProbabilities() mat.Matrix
}

var (
	_ ModularPrior = (*edgePrior)(nil)
	_ FixedEdges   = (*edgePrior)(nil)
)

// NewEdgePrior is the prior of independent edges i → j, i ≠ j, each with its probability p_ij, an
// element of the d×d matrix p,
//
//	log p(G) = Σ_ij G_ij ln p_ij + (1 − G_ij) ln(1 − p_ij),
//
// of which [ErdosRenyi] is the case of equal ones. A probability of 0 rules an
// edge out, one of 1 makes it certain. A [TOBAC] holds such edges fixed instead
// of sampling them ([FixedEdges]), so they are left out of the sum, which would
// be infinite at every other probability.
// An element outside [0,1] is an error; the diagonal is ignored. The prior is also a [FixedEdges],
// and has the method Relabel(order []int) GraphPrior.
func NewEdgePrior(p mat.Matrix) (ModularPrior, error) {
	d, c := p.Dims()
	if d != c || d == 0 {
		return nil, fmt.Errorf("models: edge prior: got a %d×%d matrix, want a square one", d, c)
	}
	for i := range d {
		for j := range d {
			if v := p.At(i, j); i != j && !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("models: edge prior: probability of the edge %d → %d is "+
					"%v, want a number from 0 to 1", i, j, v)
			}
		}
	}
	return &edgePrior{p: mat.DenseCopyOf(p)}, nil
}

// EdgeProbabilities implements [FixedEdges]: the matrix of all probabilities. It
// must not be modified.
func (e *edgePrior) EdgeProbabilities() mat.Matrix { return e.p }

// Relabel returns the prior of the graph whose variable a is the variable
// order[a] of e: p'_ab = p_order[a]order[b], which is how data come into order
// coordinates. It panics if order is not a permutation of the variables.
func (e *edgePrior) Relabel(order []int) GraphPrior {
	d, _ := e.p.Dims()
	if len(order) != d {
		panic(fmt.Sprintf("models: order of %d variables for an edge prior of %d", len(order), d))
	}
	dag.Inverse(order) // panics unless order is a permutation
	q := mat.NewDense(d, d, nil)
	for a, i := range order {
		for b, j := range order {
			q.Set(a, b, e.p.At(i, j))
		}
	}
	return &edgePrior{p: q}
}

// LogProb implements [GraphPrior].
func (e *edgePrior) LogProb(g *autograd.Node) *autograd.Node {
	d, _ := e.p.Dims()
	logOdds, constant := make([]float64, d*d), 0.0
	for i := range d {
		for j := range d {
			if p := e.p.At(i, j); i != j && p > 0 && p < 1 {
				logOdds[i*d+j] = math.Log(p) - math.Log1p(-p)
				constant += math.Log1p(-p)
			}
		}
	}
	return g.Mul(g.Builder().Constant(logOdds, autograd.Shape{d, d})).Sum().AddScalar(constant)
}

// fixedEdges are the elements of a d×d graph about which the prior leaves no
// choice: their value, NaN where there is one; nil if there is one everywhere.
func fixedEdges(prior GraphPrior, d int, kind Embedding) ([]float64, error) {
	f, ok := prior.(FixedEdges)
	if !ok {
		return nil, nil
	}
	p := f.EdgeProbabilities()
	if r, c := p.Dims(); r != d || c != d {
		return nil, fmt.Errorf("the graph prior is for %d variables, want %d", r, d)
	}
	fixed, certain, found := make([]float64, d*d), dag.New(d), false
	for e := range fixed {
		i, j := e/d, e%d
		fixed[e] = math.NaN()
		if v := p.At(i, j); i != j && (v == 0 || v == 1) {
			fixed[e], found = v, true
			certain.Set(i, j, v == 1)
			if v == 1 && kind == OrderedPairs && i > j {
				return nil, fmt.Errorf(
					"the graph prior makes the edge %d → %d certain, against the order", i, j)
			}
		}
	}
	if err := certain.CheckAcyclic(nil); err != nil {
		return nil, fmt.Errorf("the edges that the graph prior makes certain: %w", err)
	}
	if !found {
		return nil, nil
	}
	return fixed, nil
}

// EdgeProbability is the one of [ErdosRenyi] with a given expected number of edges per
// variable e: p = 2e/(d−1). An e outside (0, (d−1)/2) is an error.
func EdgeProbability(vars int, edgesPerNode float64) (float64, error) {
	p := 2 * edgesPerNode / float64(vars-1)
	if !(p > 0 && p < 1) {
		return 0, fmt.Errorf("edges per node %v on %d variables makes the edge "+
			"probability %.4g; want 0 < edges per node < %v", edgesPerNode, vars, p,
			float64(vars-1)/2)
	}
	return p, nil
}

// LogProb implements [GraphPrior]. It panics if the edge probability is out of
// range.
func (e erdosRenyi) LogProb(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	pairs := float64(d*(d-1)) / 2
	p := e.p
	if !(p > 0 && p < 1) {
		panic(fmt.Sprintf("models: Erdős–Rényi prior with edge probability %v, want 0 < p < 1", p))
	}
	return g.Sum().Scale(math.Log(p) - math.Log1p(-p)).AddScalar(pairs * math.Log1p(-p))
}

// LogProb implements [GraphPrior].
func (scaleFree) LogProb(g *autograd.Node) *autograd.Node {
	return g.Sum(0).Log1p().Sum().Scale(-3)
}

// LogProb implements [GraphPrior].
func (fairPrior) LogProb(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	all, _ := math.Lgamma(float64(d))
	k := g.Sum(0)
	return k.AddScalar(1).LogGamma().Add(k.Neg().AddScalar(float64(d)).LogGamma()).Sum().AddScalar(
		-float64(d) * all)
}

// LogProb implements [GraphPrior].
func (uniformPrior) LogProb(g *autograd.Node) *autograd.Node { return g.Builder().Scalar(0) }
