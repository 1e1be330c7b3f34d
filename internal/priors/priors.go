package priors

import (
	"errors"
	"math"
	"slices"

	"tobac/autograd"
	"tobac/background"
	"tobac/dag"
	"tobac/models"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// EdgesPerNodeFor is the setting, or its default where it is not inferred.
func EdgesPerNodeFor(p *background.Prior, d int) float64 {
	if p.EdgesPerNode != 0 {
		return p.EdgesPerNode
	}
	return math.Min(2, float64(d-1)/4)
}

// Densities are the numbers of edges per node to infer from; one if there is
// nothing to infer.
func Densities(p *background.Prior, d int) []float64 {
	most := EdgesPerNodeFor(p, d)
	if p.EdgesPerNode != 0 || p.Kind != background.Sparse || p.Probabilities != nil ||
		p.Own != nil {
		return []float64{most}
	}
	var all []float64
	for _, e := range []float64{0.25, 0.5, 1, 2} {
		if e < most {
			all = append(all, e)
		}
	}
	return append(all, most)
}

// AlongOrder is the prior for graphs that follow a known order, in the
// columns of the data: as modular, but with the Erdős–Rényi prior of independent pairs.
func AlongOrder(p *background.Prior, d int, edgesPerNode float64) (*score.Prior, error) {
	if p.Own != nil || p.Probabilities != nil || p.Kind != background.Sparse {
		return p.Product(d, edgesPerNode)
	}
	edge, err := models.EdgeProbability(d, edgesPerNode)
	if err != nil {
		return nil, err
	}
	q := *p
	q.Kind, q.EdgesPerNode = background.Uniform, 0
	m, err := q.Product(d, 0)
	if err == nil {
		m.AddOdds(math.Log(edge) - math.Log1p(-edge))
	}
	return m, err
}

// IndependentPairs is the Erdős–Rényi prior with the odds that an edge has along a known order, for
// all pairs.
func IndependentPairs(p background.Prior, d int) background.Prior {
	edge, err := models.EdgeProbability(d, EdgesPerNodeFor(&p, d))
	if err != nil {
		panic("priors: " + err.Error()) // the run had it
	}
	p.Kind, p.EdgesPerNode, p.Odds = background.Uniform, 0, slices.Clone(p.Odds)
	for i := range d {
		for j := range d {
			if i != j {
				p.Odds = append(p.Odds,
					background.EdgeOdds{From: i, To: j, Odds: edge / (1 - edge)})
			}
		}
	}
	return p
}

// ForOrders is the prior that graphs are drawn under, for their orders: that of the run. Of a
// custom prior that is not a product over variables it is what that leaves no choice about;
// the draws are then weighted by a run.
func ForOrders(p background.Prior) background.Prior {
	if p.IsModular() {
		return p
	}
	q := background.Prior{Kind: background.Uniform}
	if fixed, ok := p.Own.(models.FixedEdges); ok {
		all := fixed.EdgeProbabilities()
		d, _ := all.Dims()
		for i := range d {
			for j := range d {
				switch v := all.At(i, j); {
				case i == j:
				case v == 0:
					q.Forbidden = append(q.Forbidden, dag.Edge{From: i, To: j})
				case v == 1:
					q.Required = append(q.Required, dag.Edge{From: i, To: j})
				}
			}
		}
	}
	return q
}

// A relabelled prior tells variables apart, and is that of another numbering too.
type relabelled interface {
	Relabel(order []int) models.GraphPrior
}

// Expression is the prior as an expression in the coordinates of an order; of
// the data themselves if it is empty.
func Expression(p *background.Prior, order []int, d int,
	edgesPerNode float64) (models.GraphPrior, error) {
	if len(order) == 0 {
		order = dag.Identity(d)
	}
	if p.Own != nil {
		if r, ok := p.Own.(relabelled); ok {
			return r.Relabel(order), nil
		}
		return p.Own, nil
	}
	if p.MaxParents > 0 {
		return nil, errors.New("a bound on the number of parents is not a differentiable prior; " +
			"allowed: other engines than svgd")
	}
	var base models.GraphPrior
	switch {
	case p.Probabilities != nil:
		e, err := models.NewEdgePrior(p.Probabilities)
		if err != nil {
			return nil, err
		}
		base = e.(relabelled).Relabel(order)
	case p.Kind == background.Fair:
		base = models.FairPrior()
	case p.Kind == background.ScaleFree:
		base = models.ScaleFree()
	case p.Kind == background.Uniform:
		base = models.UniformPrior()
	default:
		edge, err := models.EdgeProbability(d, edgesPerNode)
		if err != nil {
			return nil, err
		}
		base = models.ErdosRenyi(edge)
	}
	return inOrder(p, base, order)
}

// inOrder adds the statements to a prior in order coordinates.
func inOrder(p *background.Prior, base models.GraphPrior, order []int) (models.GraphPrior, error) {
	d := len(order)
	out := informed{ModularPrior: base.(models.ModularPrior)} // all families are
	if !silent(p) {
		known := p.Fixed(d)
		out.fixed = mat.NewDense(d, d, nil)
		for a, i := range order {
			for b, j := range order {
				v := known.At(i, j)
				if math.IsNaN(v) || i == j {
					v = 0.5
				}
				out.fixed.Set(a, b, v)
			}
		}
	}
	if len(p.Odds) > 0 {
		position := dag.Inverse(order)
		out.logOdds = make([]float64, d*d)
		for _, o := range p.Odds {
			out.logOdds[position[o.From]*d+position[o.To]] += math.Log(o.Odds)
		}
	}
	switch {
	case out.fixed != nil:
		return fixing{out}, nil
	case out.logOdds != nil:
		return out, nil
	}
	return base, nil
}

// informed is a prior beside which some edges have other odds, or are impossible or certain.
type informed struct {
	models.ModularPrior
	fixed   *mat.Dense // 0: impossible, 1: certain; nil means none is
	logOdds []float64  // d×d; nil means all 0
}

// fixing is an informed prior that leaves no choice about some edges.
type fixing struct{ informed }

var (
	_ models.GraphPrior = informed{}
	_ models.GraphPrior = fixing{}
	_ models.FixedEdges = fixing{}

	_ models.ModularPrior = fixing{}
)

// EdgeProbabilities implements [models.FixedEdges].
func (f fixing) EdgeProbabilities() mat.Matrix { return f.fixed }

// LogProb implements [models.GraphPrior].
func (f informed) LogProb(g *autograd.Node) *autograd.Node {
	sum := f.ModularPrior.LogProb(g)
	if f.logOdds == nil {
		return sum
	}
	return sum.Add(g.Mul(g.Builder().Constant(f.logOdds, g.Shape())).Sum())
}

// Terms implements [models.ModularPrior].
func (f informed) Terms(g *autograd.Node) *autograd.Node {
	sum := f.ModularPrior.Terms(g)
	if f.logOdds == nil {
		return sum
	}
	return sum.Add(g.Mul(g.Builder().Constant(f.logOdds, g.Shape())).Sum(0))
}

// Term implements [models.ModularPrior].
func (f informed) Term(d, j int, parents []int) float64 {
	sum := f.ModularPrior.Term(d, j, parents)
	for _, i := range parents {
		if f.logOdds != nil {
			sum += f.logOdds[i*d+j]
		}
	}
	return sum
}
