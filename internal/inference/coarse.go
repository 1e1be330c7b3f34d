package inference

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/nodescore"
	"tobac/internal/trust"
	"tobac/posterior"

	"gonum.org/v1/gonum/floats"
)

// trustIn is the part of the evidence of an inference that counts.
func (inf *Inference) trustIn(ctx context.Context, data *dataset.Table,
	problem *engine.Problem) (t trust.Trust, why trust.Doubt, err error) {
	t, best := inf.trust, inf.likeliest()
	if trust.Doubtable(inf.Best, data) {
		g, err := best.probable(ctx, problem)
		if err != nil {
			return t, why, err
		}
		t, why = t.In(data, inf.Best, g, best.Hypothesis.Scores, problem.Seed)
	}
	return t.WholeForm(ctx, data, inf.Best, best.Hypothesis.Scores, why, problem.Workers)
}

// likeliest is the part with the greatest evidence.
func (inf *Inference) likeliest() Part {
	return slices.MaxFunc(inf.Parts, func(a, b Part) int {
		return cmp.Compare(a.evidence, b.evidence)
	})
}

// coarse is the inference again, of whose evidence a part counts.
func (inf *Inference) coarse(ctx context.Context, data *dataset.Table, problem *engine.Problem,
	t trust.Trust, why trust.Doubt) (*Inference, error) {
	coarse, err := exactOver(ctx, data, inf.Best, inf.hypotheses, problem, t)
	if err != nil {
		return nil, err
	}
	coarse.doubt = why
	return coarse, nil
}

// MeanLogJoint is the mean of log p(D, G) over the acyclic graphs of a posterior, and its standard
// error, were they independent draws.
func (inf *Inference) MeanLogJoint(p *posterior.Posterior) (mean, standardError float64) {
	e, _ := p.Empirical().Acyclic()
	if e == nil { // all have cycles
		return math.NaN(), math.NaN()
	}
	weights := e.Weights()
	known := map[string]float64{}
	values := make([]float64, len(e.Graphs))
	for k, g := range e.Graphs {
		key := fmt.Sprint(g.Edges())
		if _, ok := known[key]; !ok {
			known[key] = inf.logJoint(g)
		}
		values[k] = known[key]
		if weights[k] > 0 {
			mean += weights[k] * values[k]
		}
	}
	variance := 0.0
	for k, v := range values {
		if weights[k] > 0 {
			variance += weights[k] * (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(variance / e.EffectiveSampleSize())
}

// logJoint is log p(D, G), averaged over the hypotheses and numbers of edges.
func (inf *Inference) logJoint(g *dag.Graph) float64 {
	terms := make([]float64, len(inf.Parts))
	for k, p := range inf.Parts {
		terms[k] = p.offset()
		for j := range g.Len() {
			terms[k] += p.Prior.LogPrior(j, g.Parents(j))
		}
		if !math.IsInf(terms[k], -1) {
			terms[k] += nodescore.OfGraph(p.Hypothesis.Scores, g)
		}
	}
	return floats.LogSumExp(terms)
}

// offset is what the log joint density of a part has beside its node scores and prior: the
// normaliser of the prior, and the prior of the part. Chains know neither; they have one part.
func (p *Part) offset() float64 {
	switch {
	case p.given != nil:
		return p.evidence - p.given.LogEvidence()
	case p.graphs != nil:
		return p.evidence - p.graphs.LogEvidence()
	case p.orders != nil:
		return p.evidence - p.orders.LogEvidence()
	}
	return 0
}
