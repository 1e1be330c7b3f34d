package tobac

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/posterior"
)

// Value is the posterior as package posterior holds it: particles with their
// densities, one component for each causal order, and the edge probabilities
// that [Posterior.Edges] lists. Means and standard deviations of weights are
// those of the conditional read-out; with the particles' frequencies the spread of
// the particles is left out. Graphs are shared with p.
func (p *Posterior) Value() *posterior.Posterior {
	out := &posterior.Posterior{Names: p.Names, Engine: "svgd", Warnings: p.Warnings}
	shares := p.Orders
	if len(shares) == 0 {
		shares = []OrderShare{{Order: p.Order, Weight: 1, Particles: len(p.Graphs), NoiseVariance: p.Config.NoiseVariance}}
	}
	_, linear := p.Config.model().(Linear)
	m := 0
	for k, o := range shares {
		c := posterior.Component{Order: o.Order, Draws: o.Particles, Weight: o.Weight, LogWeight: o.LogWeight, Count: o.Count, NoiseVariance: o.NoiseVariance, LogEvidence: math.NaN()}
		if o.LogEvidence != 0 {
			c.LogEvidence = o.LogEvidence
		}
		variances := p.noiseVariances(o, linear)
		if linear {
			c.Empty = &posterior.Equations{Weights: mat.NewDense(len(p.Names), len(p.Names), nil), NoiseVariances: variances}
		}
		for range o.Particles {
			draw := posterior.Draw{Graph: p.Graphs[m], LogPrior: p.LogPrior[m], LogLikelihood: p.LogLikelihood[m]}
			if p.Weights != nil {
				draw.Equations = &posterior.Equations{Weights: p.Weights[m], NoiseVariances: variances}
			}
			if p.Parameters != nil && !linear {
				draw.Parameters = p.Parameters.RawRowView(m)
			}
			out.Draws = append(out.Draws, draw)
			m++
		}
		if len(p.conditional) > 1 {
			marginals := p.marginals(p.conditional[k])
			c.Marginals = &marginals
		}
		out.Components = append(out.Components, c)
	}
	switch {
	case p.conditional == nil:
		out.Marginals = out.Frequencies()
	case len(p.conditional) == 1:
		out.Marginals = p.marginals(p.conditional[0])
	default:
		out.Marginals = p.marginals(p.mixedConditionals())
	}
	return out
}

// noiseVariances are those of a linear model's equations; nil for others.
func (p *Posterior) noiseVariances(o OrderShare, linear bool) []float64 {
	if !linear {
		return nil
	}
	v := make([]float64, len(p.Names))
	for j := range v {
		v[j] = o.NoiseVariance
	}
	return v
}

// marginals puts edges into matrices.
func (p *Posterior) marginals(edges []Edge) posterior.Marginals {
	d := len(p.Names)
	out := posterior.Marginals{Probabilities: mat.NewDense(d, d, nil)}
	out.WeightMean, out.WeightSD = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			out.WeightMean.Set(i, j, math.NaN())
			out.WeightSD.Set(i, j, math.NaN())
		}
	}
	for _, e := range edges {
		out.Probabilities.Set(e.Source, e.Target, e.Probability)
		out.WeightMean.Set(e.Source, e.Target, e.WeightMean)
		out.WeightSD.Set(e.Source, e.Target, e.WeightSD)
	}
	return out
}
