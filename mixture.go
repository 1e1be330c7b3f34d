package tobac

import (
	"slices"

	"tobac/dataset"

	"gonum.org/v1/gonum/mat"
)

// mix puts posteriors under one order each together, each with the weight and
// the number of particles of its only share.
func mix(parts []*Posterior) *Posterior {
	first := parts[0]
	if len(parts) == 1 {
		return first
	}
	p := &Posterior{Config: first.Config, Names: first.Names}
	for _, part := range parts {
		p.Orders = append(p.Orders, part.Orders[0])
		p.Graphs = append(p.Graphs, part.Graphs...)
		p.Weights = append(p.Weights, part.Weights...)
		p.LogPrior = append(p.LogPrior, part.LogPrior...)
		p.LogLikelihood = append(p.LogLikelihood, part.LogLikelihood...)
		p.conditional = append(p.conditional, part.conditional...)
	}
	if first.Parameters != nil {
		_, n := first.Parameters.Dims()
		p.Parameters = mat.NewDense(len(p.Graphs), n, nil)
		m := 0
		for _, part := range parts {
			rows, _ := part.Parameters.Dims()
			p.Parameters.Slice(m, m+rows, 0, n).(*mat.Dense).Copy(part.Parameters)
			m += rows
		}
	}
	return p
}

// Under is the posterior given order number k of Orders alone, which shares its
// graphs with p. With at most one order it is p itself, whatever k.
func (p *Posterior) Under(k int) *Posterior {
	if len(p.Orders) < 2 {
		return p
	}
	from := 0
	for _, o := range p.Orders[:k] {
		from += o.Particles
	}
	o := p.Orders[k]
	to := from + o.Particles
	o.Weight, o.LogWeight = 1, 0
	q := &Posterior{Config: p.Config, Names: p.Names, Order: slices.Clone(o.Order), Orders: []OrderShare{o}, Graphs: p.Graphs[from:to:to]}
	q.Config.NoiseVariance = o.NoiseVariance
	if p.Weights != nil {
		q.Weights = p.Weights[from:to:to]
	}
	if p.Parameters != nil {
		_, n := p.Parameters.Dims()
		q.Parameters = mat.DenseCopyOf(p.Parameters.Slice(from, to, 0, n))
	}
	if p.LogPrior != nil {
		q.LogPrior, q.LogLikelihood = p.LogPrior[from:to:to], p.LogLikelihood[from:to:to]
	}
	if p.conditional != nil {
		q.conditional = p.conditional[k : k+1]
	}
	return q
}

// ParticleWeights are the weights w_m of the particles, which sum to 1: 1/M
// each, or with several orders the weight of the particle's order, in equal parts.
func (p *Posterior) ParticleWeights() []float64 {
	w := make([]float64, 0, len(p.Graphs))
	if len(p.Orders) < 2 {
		for range p.Graphs {
			w = append(w, 1/float64(len(p.Graphs)))
		}
		return w
	}
	for _, o := range p.Orders {
		for range o.Particles {
			w = append(w, o.Weight/float64(o.Particles))
		}
	}
	return w
}

// Precedes is the d×d matrix of the probabilities that i comes before j: entry
// (i,j) is the weight of the orders with i before j. It is 0 on the diagonal, and
// everywhere with DiBS.
func (p *Posterior) Precedes() *mat.Dense {
	d := len(p.Names)
	out := mat.NewDense(d, d, nil)
	add := func(order []int, weight float64) {
		for c, i := range order {
			for _, j := range order[c+1:] {
				out.Set(i, j, min(1, out.At(i, j)+weight)) // a rounded sum may exceed 1
			}
		}
	}
	if len(p.Orders) < 2 {
		add(p.Order, 1)
	} else {
		for _, o := range p.Orders {
			add(o.Order, o.Weight)
		}
	}
	return out
}

// mixedConditionals mixes the conditional distributions under the orders.
func (p *Posterior) mixedConditionals() []Edge {
	d := len(p.Names)
	under := make([][]Edge, d*d)
	weight := make([][]float64, d*d)
	for k, edges := range p.conditional {
		for _, e := range edges {
			at := e.Source*d + e.Target
			under[at] = append(under[at], e)
			weight[at] = append(weight[at], p.Orders[k].Weight)
		}
	}
	return collect(d, 1, func(i, j int) (w, mean, variance []float64) {
		at := i*d + j
		for k, e := range under[at] {
			w = append(w, weight[at][k]*e.Probability)
			mean, variance = append(mean, e.WeightMean), append(variance, e.WeightSD*e.WeightSD)
		}
		return w, mean, variance
	})
}

// mixedLogDensity is LogDensityIntervened order by order.
func (p *Posterior) mixedLogDensity(data *dataset.Table, interventions mat.Matrix) (prior, likelihood []float64, err error) {
	emptyPrior, emptyLikelihood := 0.0, 0.0
	for k, o := range p.Orders {
		lp, ld, err := p.Under(k).LogDensityIntervened(data, interventions)
		if err != nil {
			return nil, nil, err
		}
		last := len(lp) - 1
		prior, likelihood = append(prior, lp[:last]...), append(likelihood, ld[:last]...)
		emptyPrior += o.Weight * lp[last]
		emptyLikelihood += o.Weight * ld[last]
	}
	return append(prior, emptyPrior), append(likelihood, emptyLikelihood), nil
}
