package tobac

import (
	"context"
	"math"

	"tobac/dataset"
	"tobac/exact"
	"tobac/score"
)

// The prior of [BGe] expects the noise of a column of variance 1 to have a variance of about
// t/n, t = α_μ(α_λ−d−1)/(α_μ+1). Where deep graphs leave a column a thousandth of its
// variance, the published t = ½ costs hundreds of nats and puts wrong edges in the
// place of right ones: AUROC .89 instead of .97 on linear-d10-e20-run1, standardised. The degrees of
// freedom are therefore averaged over, α_λ = d+1+f with the same probability for each f.
var bgeScales = []float64{3, 1, 0.3, 0.1, 0.03, 0.01}

// The variances of weights that [Linear] averages over, equally probable.
// Weights have no unit, since equal noise variances mean columns in the same units.
var linearEdgeVariances = []float64{0.25, 1, 4, 16}

// hypotheses are the scores of m under the scales of its prior: all of them up to
// mixedVariables, above that the one that suits the best graph, as far as one can be
// found.
func (m BGe) hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior, workers int) ([]Hypothesis, error) {
	_, d := data.X.Dims()
	all := make([]Hypothesis, len(bgeScales))
	for k, f := range bgeScales {
		s, err := score.NewBGe(data.X, data.Mask(), score.BGeOptions{AlphaMu: m.AlphaMu, AlphaLambda: float64(d+1) + f})
		if err != nil {
			return nil, err
		}
		all[k] = Hypothesis{Scores: s, LogWeight: -math.Log(float64(len(bgeScales)))}
	}
	if d <= mixedVariables {
		return all, nil
	}
	chosen := 1 // the published one
	for range 2 {
		if d > exactVariables {
			break
		}
		p, err := exact.New(ctx, all[chosen].Scores, prior, exact.Options{Workers: workers})
		if err != nil {
			return nil, err
		}
		graph, _, err := p.Best(ctx)
		if err != nil {
			return nil, err
		}
		for k := range all {
			if logScore(all[k].Scores, graph) > logScore(all[chosen].Scores, graph) {
				chosen = k
			}
		}
	}
	return []Hypothesis{{Scores: all[chosen].Scores}}, nil
}
