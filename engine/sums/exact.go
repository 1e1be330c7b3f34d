package sums

import (
	"context"
	"fmt"
	"strings"

	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/inference"
	"tobac/internal/problems"
	"tobac/setting"
)

// Exact is the engine exact: sums over all orders, and over all graphs where that is affordable, by
// dynamic programming; given a known order, over all graphs along it. It takes models with node
// scores.
type Exact struct {
	// Open says that the engine was not asked for: the model that a fit chooses may be one of
	// another engine.
	Open bool
}

// Engine implements [engine.Settings].
func (e *Exact) Engine() engine.Engine { return exactEngine{e} }

type exactEngine struct{ *Exact }

const name = "exact"

// Direct implements [engine.Direct].
func (e exactEngine) Direct() {}

// LeftOpen is read where networks are compared with the chosen model.
func (e exactEngine) LeftOpen() bool { return e.Open }

// OrderSource implements [engine.OrderSource].
func (e exactEngine) OrderSource() {}

// Convergence is a sentence of the report.
func (e exactEngine) Convergence() string {
	return "The listed probabilities are exact sums, so nothing has to converge. Graphs are " +
		"independent draws from them."
}

// Name implements [engine.Engine].
func (e exactEngine) Name() string { return name }

// About implements [engine.Engine].
func (e exactEngine) About() string {
	return `Sums over all causal orders of at most 20 columns by dynamic programming.
Where few enough graphs are possible, always up to 15 columns, it sums over all graphs. Given a
known order it takes up to 24 columns.`
}

// Settings implements [engine.Engine].
func (e exactEngine) Settings() []*setting.Setting { return nil }

// Prepare implements [engine.Engine].
func (e exactEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	d := p.Vars()
	switch {
	case !p.Scored():
		return nil, problems.NeedsScores(p, e)
	case p.Order.Method != nil:
		return nil, problems.InfersOrder(e)
	case p.Order.Known == nil && d > exact.Affordable:
		return nil, fmt.Errorf("the engine exact needs memory for 2^%d sets of variables, and "+
			"takes at most %d variables; allowed: the engines mcmc and svgd", d, exact.Affordable)
	case d > exact.MaxVariables:
		return nil, fmt.Errorf("the engine exact takes at most %d variables along a known order, "+
			"got %d; allowed: the engine svgd", exact.MaxVariables, d)
	}
	return e.Exact, nil
}

// Demands implements [engine.Engine].
func (e exactEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	given := p.Order.Known != nil
	bytes := float64(inference.Bytes(size.Vars, given))
	if size.Vars <= inference.Kept || given {
		bytes *= float64(min(size.Models, 2)) // the best so far and the next
	}
	return []engine.Demand{engine.Needs(bytes, "sums over 2^%d sets of variables", size.Vars),
		inference.DrawDemand(size)}
}

// Begin implements [engine.Engine].
func (e exactEngine) Begin(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	var o *engine.Outcome
	var warnings []string
	err := engine.Timed(&p.Seconds.Infer, func() error {
		models := problems.ScoredModels(p)
		inf, err := inference.Infer(ctx, p.Data, models, p, inference.TrustOf(p))
		if err != nil {
			return err
		}
		if _, estimated := models[0].(inference.Settled); estimated {
			inf.Sum += ", with estimated evidences of sets of parents"
		}
		atOdds, err := inf.Against(ctx, p.Data, p)
		if atOdds != "" {
			warnings = []string{atOdds}
		}
		o = &inf.Outcome
		return err
	})
	if err != nil {
		return nil, err
	}
	problems.SettleModel(p, o.Best, o.Evidence)
	o.Method = "exact, " + o.Sum
	o.Computation = strings.TrimSpace("Edge probabilities are exact sums "+o.Sum) + "."
	o.Checks = inference.DrawChecks(o.Posterior)
	return engine.Finished(o, warnings), nil
}
