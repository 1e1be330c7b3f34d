package drawn

import (
	"errors"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// LogDensity evaluates log p(Θ_m|G_m) and log p(D|G_m,Θ_m) of every draw of a posterior
// on rows with the same columns, for example held-out rows, in the units that p.Standardization
// starts from; densities are on its scale. Where the
// draws have equations they are used; else the draws have the parameters of
// model, or none, and the density is that of its likelihood: for one without parameters 0 and
// log p(D|G_m), which does not condition on the data of the fit. Last
// comes the graph without edges, with parameters 0; of several components, the mean
// of its log densities by their weights.
func LogDensity(p *posterior.Posterior, model sem.Model,
	data *dataset.Table) (prior, likelihood []float64, err error) {
	if len(p.Draws) == 0 {
		return nil, nil, errors.New("sem: the posterior has no draws")
	}
	data = &dataset.Table{Names: data.Names, X: p.Standardization.Apply(data.X),
		Intervened: data.Intervened}
	if p.Draws[0].Equations != nil {
		likelihood, empty, err := p.LogDensity(data.X, data.Mask())
		for _, d := range p.Draws {
			prior = append(prior, d.LogPrior)
		}
		return append(prior, 0), append(likelihood, empty), err
	}
	m, ok := sem.As[sem.Differentiable](model)
	if !ok {
		return nil, nil, fmt.Errorf("sem: the model %v has no likelihood for other rows", model)
	}
	if v, ok := sem.As[interface{ Parameters(d int) float64 }](m); ok {
		// before a likelihood of that size is made
		d, got := len(p.Names), float64(len(p.Draws[0].Parameters))
		if want := v.Parameters(d); want > 1000*(got+1000) { // smaller differences are found there
			return nil, nil,
				fmt.Errorf("sem: draws of %.0f parameters, and the model %v has %.4g of %d "+
					"variables", got, model, want, d)
		}
	}
	components := p.Components
	if len(components) == 0 {
		components = []posterior.Component{{Draws: len(p.Draws), Weight: 1}}
	}
	from, emptyPrior, emptyLikelihood := 0, 0.0, 0.0
	for _, c := range components {
		a, b, err := componentDensity(p.Draws[from:from+c.Draws], c, m, data)
		if err != nil {
			return nil, nil, fmt.Errorf("sem: %w", err)
		}
		prior, likelihood = append(prior, a[:c.Draws]...), append(likelihood, b[:c.Draws]...)
		emptyPrior += c.Weight * a[c.Draws]
		emptyLikelihood += c.Weight * b[c.Draws]
		from += c.Draws
	}
	return append(prior, emptyPrior), append(likelihood, emptyLikelihood), nil
}

// AddDensities gives draws of a component their log densities under the parameters that they have.
func AddDensities(draws []posterior.Draw, c posterior.Component, m sem.Differentiable,
	data *dataset.Table) error {
	prior, likelihood, err := componentDensity(draws, c, m, data)
	if err != nil {
		return err
	}
	for k := range draws {
		draws[k].LogPrior, draws[k].LogLikelihood = prior[k], likelihood[k]
	}
	return nil
}

// componentDensity are the densities of the draws of a component, and of the graph
// without edges.
func componentDensity(draws []posterior.Draw, c posterior.Component, m sem.Differentiable,
	data *dataset.Table) (logPrior, logLikelihood []float64, err error) {
	order := c.Order
	if len(order) == 0 {
		order = dag.Identity(len(data.Names))
	}
	if n, ok := sem.As[sem.Noisy](m); ok && c.NoiseVariance > 0 {
		m, _ = sem.As[sem.Differentiable](n.WithNoise(c.NoiseVariance))
	}
	likelihood := m.Likelihood
	if p, ok := sem.As[predictive](m); ok {
		likelihood = p.Predictive
	}
	lik, err := likelihood(data.Relabel(order))
	if err != nil {
		return nil, nil, err
	}
	var graphs []*dag.Graph
	n := lik.ParamLen()
	var theta *mat.Dense
	if n > 0 {
		theta = mat.NewDense(len(draws)+1, n, nil) // the last row stays 0
	}
	for k, d := range draws {
		graphs = append(graphs, d.Graph.Relabel(order))
		if len(d.Parameters) != n {
			return nil, nil,
				fmt.Errorf("draw %d has %d parameters, want %d", k, len(d.Parameters), n)
		}
		if n > 0 {
			theta.SetRow(k, d.Parameters)
		}
	}
	return models.LogJoint(lik, append(graphs, dag.New(len(order))), theta)
}
