package tobac

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/posterior"

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
func LogDensity(p *posterior.Posterior, model Model, data *dataset.Table) (prior, likelihood []float64, err error) {
	if len(p.Draws) == 0 {
		return nil, nil, errors.New("tobac: the posterior has no draws")
	}
	data = &dataset.Table{Names: data.Names, X: p.Standardization.Apply(data.X), Intervened: data.Intervened}
	if p.Draws[0].Equations != nil {
		likelihood, empty, err := p.LogDensity(data.X, data.Mask())
		for _, d := range p.Draws {
			prior = append(prior, d.LogPrior)
		}
		return append(prior, 0), append(likelihood, empty), err
	}
	m, ok := model.(Differentiable)
	if !ok {
		return nil, nil, fmt.Errorf("tobac: the model %v has no likelihood for other rows", model)
	}
	components := p.Components
	if len(components) == 0 {
		components = []posterior.Component{{Draws: len(p.Draws), Weight: 1}}
	}
	from, emptyPrior, emptyLikelihood := 0, 0.0, 0.0
	for _, c := range components {
		a, b, err := componentDensity(p.Draws[from:from+c.Draws], c, m, data)
		if err != nil {
			return nil, nil, fmt.Errorf("tobac: %w", err)
		}
		prior, likelihood = append(prior, a[:c.Draws]...), append(likelihood, b[:c.Draws]...)
		emptyPrior += c.Weight * a[c.Draws]
		emptyLikelihood += c.Weight * b[c.Draws]
		from += c.Draws
	}
	return append(prior, emptyPrior), append(likelihood, emptyLikelihood), nil
}

// componentDensity are the densities of the draws of a component, and of the graph
// without edges.
func componentDensity(draws []posterior.Draw, c posterior.Component, m Differentiable, data *dataset.Table) (prior, likelihood []float64, err error) {
	order := c.Order
	if len(order) == 0 {
		order = identity(len(data.Names))
	}
	if n, ok := m.(Noisy); ok && c.NoiseVariance > 0 {
		m = n.WithNoise(c.NoiseVariance).(Differentiable)
	}
	lik, err := m.Likelihood(data.Relabel(order))
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
			return nil, nil, fmt.Errorf("draw %d has %d parameters, want %d", k, len(d.Parameters), n)
		}
		if n > 0 {
			theta.SetRow(k, d.Parameters)
		}
	}
	return models.LogJoint(lik, append(graphs, dag.New(len(order))), theta)
}

// ParseModel is the model of this package with the text form text.
func ParseModel(text string) (Model, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("tobac: no model in an empty text")
	}
	value := map[string]string{}
	for _, w := range words[1:] {
		name, v, _ := strings.Cut(w, "=")
		value[name] = v
	}
	var failed error
	number := func(name string) (v float64) {
		if t, ok := value[name]; ok {
			delete(value, name)
			var err error
			if v, err = strconv.ParseFloat(t, 64); err != nil {
				failed = fmt.Errorf("tobac: model %q: %s is no number", text, name)
			}
		}
		return v
	}
	flag := func(name string) bool {
		_, ok := value[name]
		delete(value, name)
		return ok
	}
	var m Model
	switch words[0] {
	case "linear":
		l := Linear{NoiseVariance: number("noise-variance"), EdgeVariance: number("edge-variance"), NoIntercept: flag("no-intercept")}
		if flag("prior-start") {
			l.Start = PriorStart
		}
		m = l
	case "bge":
		m = BGe{AlphaMu: number("alpha-mu"), AlphaLambda: number("alpha-lambda"), Raw: flag("raw")}
	case "gp":
		m = GaussianProcess{MaxParents: int(number("max-parents")), Rank: int(number("rank"))}
	case "ffn":
		f := FeedForward{NoBias: flag("no-bias"), NoiseVariance: number("noise-variance")}
		if t, ok := value["hidden"]; ok {
			delete(value, "hidden")
			for _, w := range strings.Split(t, ",") {
				n, err := strconv.Atoi(w)
				if err != nil {
					failed = fmt.Errorf("tobac: model %q: hidden units %q are no whole numbers", text, t)
				}
				f.Hidden = append(f.Hidden, n)
			}
		}
		if t, ok := value["activation"]; ok {
			delete(value, "activation")
			found := false
			for _, a := range []models.Activation{models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu} {
				if a.String() == t {
					f.Activation, found = a, true
				}
			}
			if !found {
				failed = fmt.Errorf("tobac: model %q: unknown activation %q", text, t)
			}
		}
		m = f
	default:
		return nil, fmt.Errorf("tobac: unknown model %q; allowed: linear, bge, gp, ffn", words[0])
	}
	if failed == nil && len(value) > 0 {
		failed = fmt.Errorf("tobac: model %q has unknown settings", text)
	}
	return m, failed
}
