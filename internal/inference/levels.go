package inference

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/internal/trust"
	"tobac/score"
	"tobac/sem"
)

// behind is how far, in nats, the most probable graph of a model may be behind that of another
// before no sums are made under it: more than what different numbers of probable graphs make up
// for.
const behind = 60

// A level is the log density of a probable graph under a model.
type level struct {
	model      sem.Scored
	at         int // among the models
	hypotheses []sem.Hypothesis
	prior      *score.Prior // under which they were found
	value      float64
}

// levels are those of the models that are not left out, the highest first, and what is said of the
// models, with levels in the place of evidences.
func levels(
	ctx context.Context, data *dataset.Table, models []sem.Scored, problem *engine.Problem,
	t trust.Trust,
) (found []level, all []sem.Evidence, err error) {
	d := len(data.Names)
	prior, err := problems.ClosedPrior(problem, d, FirstDensity(problem, d))
	if err != nil {
		return nil, nil, err
	}
	for k, m := range models {
		if note := LeftOut(m, models, data, all, t); note != "" {
			all = append(all, sem.Evidence{Model: m.String(), Log: math.NaN(), Note: note})
			continue
		}
		problem.Doing(name, "looking for a probable graph, model "+m.String())
		l := level{model: m, at: k, prior: prior}
		if l.hypotheses, err = m.Hypotheses(ctx, data, prior, problem.Workers); err != nil {
			return nil, nil, err
		}
		var g *dag.Graph
		if l.hypotheses, g, err = chosen(ctx, l.hypotheses, prior, problem); err != nil {
			return nil, nil, err
		}
		l.value = l.hypotheses[0].LogWeight + nodescore.LogDensity(l.hypotheses[0].Scores, prior, g)
		found = append(found, l)
		all = append(all, sem.Evidence{Model: m.String(), Log: l.value})
	}
	slices.SortStableFunc(found, func(a, b level) int { return cmp.Compare(b.value, a.value) })
	return found, all, nil
}

// infer fits the equations that were left open, and computes the evidence of the model.
func (l *level) infer(
	ctx context.Context, data *dataset.Table, problem *engine.Problem, t trust.Trust,
) (*Inference, error) {
	if err := refined(ctx, l.hypotheses, l.prior, problem); err != nil {
		return nil, err
	}
	return exactOver(ctx, data, l.model, l.hypotheses, problem, t)
}
