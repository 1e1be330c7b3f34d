package drawn

import (
	"math"
	"slices"

	"tobac/dataset"
	"tobac/effects"
	"tobac/posterior"
	"tobac/sem"
)

// OnScale are the data with shifted and scaled columns; nil leaves them as they are.
func OnScale(t *dataset.Table, s *posterior.Standardization) *dataset.Table {
	if s == nil {
		return t
	}
	return &dataset.Table{Names: t.Names, X: s.Apply(t.X), Intervened: t.Intervened}
}

// ComparedForm is the model whose particles are compared with the posterior of m in closed form.
func ComparedForm(m sem.Model) sem.Model {
	if v, ok := sem.As[sem.SampledModel](m); ok {
		m, _ = v.Sampled(true)
	}
	return m
}

// InDataUnits turns a posterior sampled on columns that the program scaled into the
// units of the data; densities are then those of the data as they are. Parameters
// and densities of draws without equations keep their scale: only the weights of the
// marginals change.
func InDataUnits(p *posterior.Posterior, data *dataset.Table) *posterior.Posterior {
	s := p.Standardization
	if s == nil {
		return p
	}
	out := *p
	out.Marginals = p.Marginals.InDataUnits(s)
	out.Components = slices.Clone(p.Components)
	for k := range out.Components {
		if c := &out.Components[k]; c.Marginals != nil {
			m := c.Marginals.InDataUnits(s)
			c.Marginals = &m
		}
	}
	if p.Draws[0].Equations == nil {
		return &out
	}
	out.Standardization = nil
	jacobian := 0.0
	for _, v := range UnitConstants(data, s.SD) {
		jacobian += v
	}
	out.Draws = slices.Clone(p.Draws)
	for k := range out.Draws {
		out.Draws[k].Equations = p.Draws[k].Equations.InDataUnits(s)
		out.Draws[k].LogLikelihood += jacobian
	}
	for k := range out.Components {
		c := &out.Components[k]
		c.Empty = c.Empty.InDataUnits(s)
		c.NoiseVariance = 0 // one for each variable in these units
	}
	return &out
}

// UnitConstants are the log densities of units, one for each column: −n_j ln s_j of one that was
// divided by s_j, with n_j rows in which it was not set by intervention.
func UnitConstants(data *dataset.Table, sd []float64) []float64 {
	n, d := data.X.Dims()
	all := make([]float64, d)
	for j := range sd {
		rows := n
		for i := range n {
			if data.Intervened != nil && data.Intervened.At(i, j) != 0 {
				rows--
			}
		}
		all[j] = -float64(rows) * math.Log(sd[j])
	}
	return all
}

// Columns describes the columns of a table, with the names of their levels.
func Columns(data *dataset.Table) []effects.Column {
	columns := effects.Describe(data.Names, data.X)
	for j := range columns {
		if data.Named(j) {
			columns[j].LevelNames = data.Variables[j].Levels
		}
		columns[j].Unordered = data.Kind(j) == dataset.Categorical && len(data.Values(j)) > 2
	}
	return columns
}
