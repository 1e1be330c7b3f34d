package sums

import (
	"cmp"
	"context"
	"slices"

	"tobac/dataset"
	"tobac/engine"
	"tobac/sem"
)

// trustIn is the part of the evidence of an inference that counts.
func (inf *Inference) trustIn(ctx context.Context, data *dataset.Table, problem *engine.Problem) (t sem.Trust, why sem.Doubt, err error) {
	if !sem.Doubtable(inf.Best, data) {
		return inf.trust, why, nil
	}
	best := inf.likeliest()
	g, err := best.probable(ctx, problem)
	if err != nil {
		return inf.trust, why, err
	}
	t, why = inf.trust.In(data, inf.Best, g, best.Hypothesis.Scores, problem.Seed)
	return t, why, nil
}

// likeliest is the part with the greatest evidence.
func (inf *Inference) likeliest() Part {
	return slices.MaxFunc(inf.Parts, func(a, b Part) int { return cmp.Compare(a.evidence, b.evidence) })
}

// coarse is the inference again, of whose evidence a part counts.
func (inf *Inference) coarse(ctx context.Context, data *dataset.Table, problem *engine.Problem, t sem.Trust, why sem.Doubt) (*Inference, error) {
	coarse, err := exactOver(ctx, data, inf.Best, inf.hypotheses, problem, t)
	if err != nil {
		return nil, err
	}
	coarse.doubt = why
	return coarse, nil
}
