package markov

import (
	"context"
	"errors"

	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/problems"
	"tobac/setting"
)

// MCMC is the engine mcmc: Markov chains over partitions of the variables, for more of them than
// [sums.Exact] sums over.
type MCMC struct {
	Chains int // independent chains; 0 means 4
	// Iterations of each chain after its warm-up, at most. 0 means 3000, or 6000 up to 20
	// variables.
	Iterations int
	WarmUp     int // iterations of each chain before it records; 0 means 200
	// ESS is the number of effective samples of the least certain edges at which agreeing chains
	// end. 0 means 400, or 1600 up to 20 variables.
	ESS int
	// Candidates is the greatest number of candidate parents of a variable. 0 means 15, or 19 up to
	// 24 variables, 14 of 200 and 11 of 1,000.
	Candidates int
	// Rungs is the number of inverse temperatures of each chain. 0 means 8, or 6 above 24
	// variables, 4 above 40 and 1 above 60.
	Rungs int
	// Jobs is a folder in which each round of each chain is kept as a job; "" means none. A fit
	// goes on from the rounds that are there. "remote:" before the folder leaves the rounds to
	// tobac-beam, which does the jobs on many machines.
	Jobs string
	// Open says that the engine was not asked for: the model that a fit chooses may be one of
	// another engine.
	Open bool
}

// Engine implements [engine.Settings].
func (e *MCMC) Engine() engine.Engine { return mcmcEngine{e} }

type mcmcEngine struct{ *MCMC }

// chains are the settings of the chains.
func (e mcmcEngine) chains() *graphchains.Settings { return (*graphchains.Settings)(e.MCMC) }

// StateKey implements [engine.Resumable]: where rounds are done changes no state.
func (e mcmcEngine) StateKey(*engine.Problem) string {
	return engine.SettingsText(e.MCMC, "jobs")
}

// LeftOpen is read where networks are compared with the chosen model.
func (e mcmcEngine) LeftOpen() bool { return e.Open }

// OrderSource implements [engine.OrderSource].
func (e mcmcEngine) OrderSource() {}

// Name implements [engine.Engine].
func (e mcmcEngine) Name() string { return "mcmc" }

// About implements [engine.Engine].
func (e mcmcEngine) About() string {
	return `Markov chains over graphs, for any number of columns.
Agreement of the independent chains is a check of the result.`
}

// Settings implements [engine.Engine].
func (e mcmcEngine) Settings() []*setting.Setting { return e.chains().List() }

// Prepare implements [engine.Engine].
func (e mcmcEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	switch {
	case !p.Scored():
		return nil, problems.NeedsScores(p, e)
	case p.Order.Known != nil:
		return nil, errors.New("the causal order is known, which leaves the engine mcmc nothing " +
			"to sample; allowed: the engines exact and svgd")
	case p.Order.Method != nil:
		return nil, problems.InfersOrder(e)
	}
	filled, err := e.chains().FilledFor(p.Vars())
	if err != nil {
		return nil, err
	}
	return (*MCMC)(filled), nil
}

// Demands implements [engine.Engine].
func (e mcmcEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	return append(e.chains().ChainDemands(size), inference.DrawDemand(size))
}

// Begin implements [engine.Engine].
func (e mcmcEngine) Begin(ctx context.Context, p *engine.Problem) (stage engine.Stage, err error) {
	err = engine.Timed(&p.Seconds.Infer, func() error {
		s, err := graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, e.chains(),
			inference.TrustOf(p))
		if err != nil {
			return err
		}
		problems.SettleModel(p, s.Model, s.Evidence)
		stage, err = graphchains.New(ctx, p.Data, s, p, e.chains())
		return err
	})
	return stage, err
}

// Given implements [engine.Settling].
func (e mcmcEngine) Given(ctx context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	return e.chains().Given(ctx, p, edgesPerNode)
}
