package stein

import (
	"slices"

	"tobac/dag"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// columns are those of the data in the sequence of the order, or as they are without one.
func (f *particleFit) columns() []int {
	if len(f.order.Order) == 0 {
		return dag.Identity(len(f.names))
	}
	return f.order.Order
}

// inColumns are equations in the columns of the data, of which column order[a] is
// variable a.
func inColumns(e *posterior.Equations, order []int) *posterior.Equations {
	d := len(order)
	out := &posterior.Equations{Weights: relabelled(e.Weights, order), NoiseVariances: make([]float64, d)}
	if e.Intercepts != nil {
		out.Intercepts = make([]float64, d)
	}
	for a, i := range order {
		out.NoiseVariances[i] = e.NoiseVariances[a]
		if e.Intercepts != nil {
			out.Intercepts[i] = e.Intercepts[a]
		}
	}
	return out
}

// intoColumns turns a posterior in order coordinates into one in the columns of the data.
func (f *particleFit) intoColumns(p *posterior.Posterior) {
	order := f.columns()
	p.Names, p.Standardization = slices.Clone(f.names), f.scale
	for k := range p.Draws {
		p.Draws[k].Graph = p.Draws[k].Graph.Relabel(dag.Inverse(order))
		if e := p.Draws[k].Equations; e != nil {
			p.Draws[k].Equations = inColumns(e, order)
		}
	}
	c := &p.Components[0]
	c.Order = slices.Clone(f.order.Order)
	if c.Empty != nil {
		c.Empty = inColumns(c.Empty, order)
	}
	if p.Probabilities != nil {
		p.Probabilities = relabelled(p.Probabilities, order)
	}
	if p.WeightMean != nil {
		p.WeightMean, p.WeightSD = relabelled(p.WeightMean, order), relabelled(p.WeightSD, order)
	}
}

// relabelled has the entry (a, b) of m at (order[a], order[b]).
func relabelled(m *mat.Dense, order []int) *mat.Dense {
	out := mat.NewDense(len(order), len(order), nil)
	for a, i := range order {
		for b, j := range order {
			out.Set(i, j, m.At(a, b))
		}
	}
	return out
}
