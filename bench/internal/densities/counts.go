package densities

import (
	"math"

	"tobac/autograd"
)

// A composition is the Dirichlet-multinomial density of counts in groups, with the
// parameters ln α, all N(0, 1).
type composition struct {
	groups, k int
	y, total  []float64
}

// dirichletMultinomial has 50 groups of six counts.
func dirichletMultinomial() *Density {
	m := &composition{groups: 50, k: 6}
	m.y, m.total = make([]float64, m.groups*m.k), make([]float64, m.groups)
	rng := stream(17)
	for i := range m.y {
		m.y[i] = math.Floor(4 * rng.ExpFloat64())
		m.total[i/m.k] += m.y[i]
	}
	return &Density{
		Name: "Dirichlet-multinomial", Params: m.k, SD: 0.7, Expression: m.expression,
	}
}

func (m *composition) expression(x *autograd.Node) *autograd.Node {
	alpha := x.Exp()
	sum, groups := alpha.Sum(), float64(m.groups)
	once := sum.LogGamma().Sub(alpha.LogGamma().Sum()).Scale(groups)
	counts := constant(x, m.y, m.groups, m.k).Add(alpha).LogGamma().Sum()
	return once.Add(counts).Sub(vector(x, m.total).Add(sum).LogGamma().Sum()).Add(halfSquare(x))
}
