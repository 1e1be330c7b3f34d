package inference

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/diagnostics"
	"tobac/internal/graphchecks"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/posterior"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// examined is the number of draws whose edges are tried one by one.
const examined = 100

// Imbalance of graphs from a posterior over all acyclic graphs under node scores:
// [graphchecks.Imbalance]. NaN means scores take too long.
func Imbalance(ctx context.Context, graphs []*dag.Graph, s score.Scorer, prior *score.Prior,
	workers int) (float64, error) {
	if _, linear := s.(score.Weighted); !linear || len(graphs) == 0 {
		return math.NaN(), nil
	}
	every, d := max(1, len(graphs)/examined), graphs[0].Len()
	var some []*dag.Graph
	for k := 0; k < len(graphs); k += every {
		some = append(some, graphs[k])
	}
	parts := make([]*mat.Dense, len(some))
	err := parallel.For(ctx, len(some), workers, func(k int) error {
		parts[k] = edgesGivenOthers(some[k], s, prior)
		return nil
	})
	if err != nil {
		return 0, err
	}
	conditionals := mat.NewDense(d, d, nil)
	for _, part := range parts {
		conditionals.Add(conditionals, part)
	}
	conditionals.Scale(1/float64(len(some)), conditionals)
	return graphchecks.Imbalance(posterior.Uniform(some).EdgeProbabilities(), conditionals,
		float64(len(some)), nil), nil
}

// edgesGivenOthers are the probabilities of every edge given all others of an acyclic graph; 0
// where it would close a cycle.
func edgesGivenOthers(g *dag.Graph, s score.Scorer, prior *score.Prior) *mat.Dense {
	d := g.Len()
	out, leads := mat.NewDense(d, d, nil), g.Closure()
	for j := range d {
		parents := g.Parents(j)
		own := s.LogScore(j, parents) + prior.LogPrior(j, parents)
		for i := range d {
			present := g.Has(i, j)
			if i == j || !present && leads.Has(j, i) {
				continue
			}
			other := nodescore.Toggled(parents, i)
			odds := prior.LogPrior(j, other) // of the other graph against this one
			if !math.IsInf(odds, -1) {
				odds += s.LogScore(j, other)
			}
			odds -= own
			if present {
				odds = -odds
			}
			out.Set(i, j, 1/(1+math.Exp(-odds)))
		}
	}
	return out
}

// limitImbalance are the thresholds of the check: doubtful, then bad.
var limitImbalance = [2]float64{0.02, 0.07}

// ImbalanceCheck says that frequencies of edges among draws or particles are off what the data say.
func ImbalanceCheck(v float64, what string) diagnostics.Check {
	return diagnostics.Above("imbalance", v, limitImbalance[0], limitImbalance[1],
		fmt.Sprintf("edge frequencies of the %s differ from their conditional probabilities by "+
			"%.3f, beyond chance: the %[1]s do not represent the posterior", what, v))
}
