package sem

import (
	"tobac/dag"
	"tobac/posterior"
)

// dense is a structural function whose distribution has a density.
type dense interface {
	LogDensity(y float64, x []float64) float64
}

// Densities are the equations of a graph as densities.
type Densities struct {
	graph *dag.Graph
	all   []dense
}

// DensitiesOf are those of draw k of a posterior whose parameters are functions; nil if its equations
// have no densities.
func DensitiesOf(p *posterior.Posterior, k int) (*Densities, error) {
	model, err := Parse(p.Model)
	if err != nil {
		return nil, err
	}
	m, ok := model.(Structural)
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
	all, _ := e.(functions)
	d := &Densities{graph: p.Draws[k].Graph}
	for _, f := range all {
		own, ok := f.(dense)
		if !ok {
			return nil, nil
		}
		d.all = append(d.all, own)
	}
	if d.all == nil {
		return nil, nil
	}
	return d, nil
}

// Parents are those of variable j, ascending.
func (d *Densities) Parents(j int) []int { return d.graph.Parents(j) }

// LogDensity is ln p(x_j = y | parents) at values x of the parents; −Inf where y is impossible.
func (d *Densities) LogDensity(j int, y float64, x []float64) float64 {
	return d.all[j].LogDensity(y, x)
}
