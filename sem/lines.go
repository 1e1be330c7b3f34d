package sem

import (
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/likelihoods"
	"tobac/internal/nodescore"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// kindLines is the likelihood of [Generalised]: straight lines in the covariates of its scores,
// with normal numbers (their logarithms where these are less skewed), Poisson counts, and logits of
// levels.
type kindLines struct {
	*likelihoods.Kinds
	lines *generalised.Lines
}

// Likelihood implements [Differentiable].
func (m generalisedModel) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	x, variables := ofKinds(data)
	lines := generalised.NewLines(x, variables)
	all := make([]likelihoods.Variable, len(variables))
	for j, v := range variables {
		one := &all[j]
		one.Values, one.Covariates = mat.Col(nil, j, x), lines.Covariates(j)
		switch {
		case v.Kind.Levelled() && v.Levels == 2:
			one.Contrasts = mat.NewDense(2, 1, []float64{0, 1})
		case v.Kind.Levelled():
			levels := make([]float64, v.Levels)
			for k := range levels {
				levels[k] = float64(k)
			}
			one.Contrasts = nodescore.Contrasts(levels, v.Levels)
		case v.Kind == dataset.Count:
			one.Count = true
		default:
			one.Values = mat.Col(nil, 0, one.Covariates)
		}
	}
	lik, err := likelihoods.NewKinds(all, data.Mask())
	if err != nil {
		return nil, err
	}
	return kindLines{lik, lines}, nil
}

// Functions is read where draws get functions.
func (l kindLines) Functions(g *dag.Graph, theta []float64, variables []int) (out []float64) {
	place := dag.Inverse(variables)
	for _, j := range place {
		var parents []int // in the sequence of the variables' numbers
		for _, i := range place {
			if g.Has(i, j) {
				parents = append(parents, i)
			}
		}
		f := l.lines.Function(j, parents, l.Constants(theta, j),
			func(q, i int) []float64 { return l.Weights(theta, i, j, q) },
			math.Exp(l.LogVariance(theta, j)))
		out = append(out, f.Parameters()...)
	}
	return out
}
