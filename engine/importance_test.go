package engine_test

import (
	"context"
	"fmt"
	"math"

	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/enginetest"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
)

// Importance draws graphs from the prior, and weights them with their node scores.
type Importance struct {
	Draws int // defaults to 5000
}

func (e *Importance) Engine() engine.Engine { return importance{e} }

type importance struct{ *Importance }

func (e importance) Name() string { return "importance" }

func (e importance) About() string { return `Importance sampling from the prior.` }

func (e importance) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&e.Draws, engine.MostSteps, "draws", "graphs of the prior", "5000"),
	}
}

func (e importance) Prepare(p *engine.Problem) (engine.Settings, error) {
	switch {
	case !p.Scored():
		return nil, problems.NeedsScores(p, e)
	case !p.OverOrders():
		return nil, problems.InfersOrder(e)
	case p.Vars() > exact.Affordable:
		return nil, fmt.Errorf("the engine importance takes at most %d variables, got %d; "+
			"allowed: the engine mcmc", exact.Affordable, p.Vars())
	}
	out := *e.Importance
	setting.Fill(&out.Draws, 5000)
	return &out, nil
}

func (e importance) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	return append(graphchains.Pilot.ChainDemands(size), inference.DrawDemand(size))
}

func (e importance) Begin(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	s, err := graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, graphchains.Pilot,
		inference.TrustOf(p))
	if err != nil {
		return nil, err
	}
	problems.SettleModel(p, s.Model, s.Evidence)
	// Draws from the prior are those from a posterior without data.
	noData := score.NewFunc(p.Vars(), func(int, []int) float64 { return 0 })
	prior, err := exact.New(ctx, noData, s.Prior, exact.Options{Workers: p.Workers})
	if err != nil {
		return nil, err
	}
	orders, err := prior.Orders(ctx)
	if err != nil {
		return nil, err
	}
	draws, err := orders.Draws(ctx, e.Draws, p.Seed)
	if err != nil {
		return nil, err
	}
	all := &posterior.Ensemble{}
	for _, d := range draws {
		all.Graphs = append(all.Graphs, d.Graph)
		all.LogWeights = append(all.LogWeights,
			d.LogWeight+nodescore.OfGraph(s.Hypothesis.Scores, d.Graph))
	}
	inf, err := s.Inference(ctx, p.Data, e.Name(), all, nil, p)
	if err != nil {
		return nil, err
	}
	inf.Method = fmt.Sprintf("importance, %d graphs of the prior", e.Draws)
	inf.Checks = inference.DrawChecks(inf.Posterior)
	return engine.Finished(&inf.Outcome, nil), nil
}

// A whole engine: importance sampling from the prior. [graphchains.Settle] compares the models, and
// [graphchains.Settled.Inference] makes a posterior of weighted graphs.
func Example_importance() {
	o, err := engine.Infer(context.Background(), &Importance{}, enginetest.Chain())
	if err != nil {
		panic(err)
	}
	exactly, err := engine.Infer(context.Background(), &sums.Exact{}, enginetest.Chain())
	if err != nil {
		panic(err)
	}
	var apart mat.Dense
	apart.Sub(o.Marginals.Probabilities, exactly.Marginals.Probabilities)
	fmt.Println(o.Method, "–", o.Posterior.Model)
	fmt.Println("within .05 of exact sums:", mat.Norm(&apart, math.Inf(1)) < 0.05)
	fmt.Printf("effective sample size: %.0f\n", o.Checks[0].Value)
	// Output:
	// importance, 5000 graphs of the prior – linear
	// within .05 of exact sums: true
	// effective sample size: 76
}
