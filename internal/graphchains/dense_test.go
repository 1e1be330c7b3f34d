package graphchains_test

import (
	"context"
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/score"
	"tobac/sem"
)

// Short chains over a dense graph of many columns find a graph and a scale of the prior that are
// not less probable than the true graph under a prior that expects as little noise as deep graphs
// leave columns. Searches under that prior that begin anywhere end far below it.
func TestDenseGraph(t *testing.T) {
	const d = 150
	if testing.Short() {
		t.Skip("takes seconds")
	}
	truth := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: 2, EdgesPerNode: 4}))(t)
	sim := must.Get(dataset.SimulateLinear(truth, dataset.LinearConfig{Seed: 2, Rows: 1000}))(t)
	model := must.Get(sem.Parse("bge"))(t)
	p := &engine.Problem{Data: sim.Train, Model: model, Workers: 2,
		Report: func(engine.Progress) {}}
	s := must.Get(graphchains.Settle(context.Background(), p.Data, problems.ScoredModels(p), p,
		graphchains.Pilot, inference.TrustOf(p)))(t)
	narrow := must.Get(score.NewBGe(p.Data.X, nil, score.BGeOptions{AlphaLambda: d + 1 + 1e-3}))(t)
	got := nodescore.OfGraph(s.Hypothesis.Scores, s.Best())
	if want := nodescore.OfGraph(narrow, truth); got < want-20 {
		t.Errorf("ln p(D | G) is %.1f, and %.1f of the true graph", got, want)
	}
}
