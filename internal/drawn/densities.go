package drawn

import (
	"tobac/dag"
	"tobac/posterior"
	"tobac/sem"
)

// denseEquations are equations whose distributions may have densities.
type denseEquations interface {
	Dense() bool
	LogDensity(j int, y float64, x []float64) float64
}

// Densities are the equations of a graph as densities.
type Densities struct {
	graph *dag.Graph
	of    denseEquations
}

// DensitiesOf are those of draw k of a posterior whose parameters are functions; nil if its
// equations have no densities.
func DensitiesOf(p *posterior.Posterior, k int) (*Densities, error) {
	model, err := sem.Parse(p.Model)
	if err != nil {
		return nil, err
	}
	m, ok := sem.As[sem.Structural](model)
	if !ok {
		return nil, nil
	}
	of, err := m.Structure(p)
	if err != nil {
		return nil, err
	}
	e, err := of(k)
	if err != nil {
		return nil, err
	}
	d, ok := e.(denseEquations)
	if !ok || !d.Dense() {
		return nil, nil
	}
	return &Densities{p.Draws[k].Graph, d}, nil
}

// Parents are those of variable j, ascending.
func (d *Densities) Parents(j int) []int { return d.graph.Parents(j) }

// LogDensity is ln p(x_j = y | parents) at values x of the parents; −Inf where y is impossible.
func (d *Densities) LogDensity(j int, y float64, x []float64) float64 {
	return d.of.LogDensity(j, y, x)
}
