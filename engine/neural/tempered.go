package neural

import (
	"context"
	"errors"
	"fmt"

	"tobac/engine"
	"tobac/engine/markov"
	"tobac/internal/estimated"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/orders"
	"tobac/internal/problems"
	"tobac/internal/scoring"
	"tobac/models"
	"tobac/sem"
	"tobac/setting"
)

// Tempering is the engine tempering: Markov chains at many temperatures over networks and their
// parents, under one order or several, with a measured error. Without an order it estimates
// evidences of sets of parents, and sums over all orders as [sums.Exact] does, or with more
// variables runs the chains of [markov.MCMC]. It takes networks with one hidden layer.
type Tempering struct {
	// of each chain given an order, of which the first half is dropped; defaults to 2000
	Iterations int
	Rungs      int // temperatures of each chain given an order; defaults to 12
	// Start has the scores that the table of evidences over all orders begins with; nil means those
	// of Gaussian processes. Where it has a noise variance that all equations share, networks have
	// it.
	Start *sem.Hypothesis
	// Chains are those over graphs without an order, of more variables than are summed over.
	Chains markov.MCMC
}

// Engine implements [engine.Settings].
func (e *Tempering) Engine() engine.Engine { return temperingEngine{e} }

type temperingEngine struct{ *Tempering }

func (e *Tempering) graphChains() *graphchains.Settings {
	return (*graphchains.Settings)(&e.Chains)
}

// Default of Tempering, and a limit.
const (
	temperedRungs = 12
	leastTempered = 40 // iterations
)

// CompleteOnly implements [engine.CompleteOnly].
func (e temperingEngine) CompleteOnly() {}

// Convergence is a sentence of the report.
func (e temperingEngine) Convergence() string {
	return "Two chains of each variable, or over all orders two estimates of the evidence of " +
		"each set of parents, were compared."
}

// Name implements [engine.Engine].
func (e temperingEngine) Name() string { return "tempering" }

// About implements [engine.Engine].
func (e temperingEngine) About() string {
	return `Markov chains at many temperatures over networks and their parents.
It takes the model ffn with one hidden layer. Over all orders it estimates the evidence of
the sets of parents that matter, twice, and sums as exact does, or runs the chains of mcmc
with more than 20 columns. Given an order it runs two chains for each variable.
In Go it takes custom likelihoods too, over all orders.`
}

// Settings implements [engine.Engine].
func (e temperingEngine) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&e.Iterations, engine.MostSteps, "iterations",
			"iterations of each chain given an order; the first half is dropped", "2000"),
		setting.WholeNumber(&e.Rungs, graphchains.MostChains, "rungs",
			"temperatures of each chain given an order", "12"),
		setting.WholeNumber(&e.Chains.Chains, graphchains.MostChains, "graph-chains",
			"Markov chains over graphs, of more than 20 variables without an order", "4"),
		setting.WholeNumber(&e.Chains.Iterations, engine.MostSteps, "graph-iterations",
			"iterations of each of these after its warm-up", "3000"),
		setting.WholeNumber(&e.Chains.WarmUp, engine.MostSteps, "graph-warm-up",
			"iterations of each of these before it records", "200"),
		setting.WholeNumber(&e.Chains.Candidates, scoring.MostCandidates, "candidates",
			"candidate parents of every variable in these", "15 of 50 variables, 14 of 100"),
	}
}

// Prepare implements [engine.Engine].
func (e temperingEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	out := *e.Tempering
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	m, ok := sem.As[sem.Network](p.Model)
	_, custom := sem.As[sem.Differentiable](p.Model)
	custom = custom && !ok && !p.Scored()
	switch {
	case custom && !p.OverOrders():
		return nil, fmt.Errorf("the engine tempering takes the model %v over all orders only; "+
			"allowed: the engine svgd", p.Model)
	case p.Model == nil:
		return nil, errors.New(
			"the engine tempering is for networks, and no model is named; allowed: the model ffn")
	case !ok && !custom:
		return nil, fmt.Errorf("the engine tempering is for networks, got the model %v; allowed: "+
			"the model ffn", p.Model)
	case ok && m.Layers() != 1:
		return nil, fmt.Errorf("the engine tempering takes networks with one hidden layer, got "+
			"%d; allowed: the engine svgd", m.Layers())
	case ok && m.OutputLayer() != models.SampledOutput:
		return nil, errors.New("the engine tempering always integrates the output layer out; " +
			"leave its setting to the engine svgd")
	case p.OverOrders() && p.Order.Count > 0:
		return nil, errors.New("the engine tempering sums over all orders, got a number of " +
			"orders to draw; allowed: a method that finds orders, or the engine svgd")
	case p.Prior.Own != nil:
		return nil, errors.New(
			"the engine tempering takes no custom prior; allowed: the engine svgd")
	case out.Iterations != 0 && out.Iterations < leastTempered:
		return nil, fmt.Errorf("the engine tempering needs at least %d iterations, got %d",
			leastTempered, out.Iterations)
	case out.Rungs == 1:
		return nil, errors.New("the engine tempering needs at least 2 rungs, got 1")
	}
	setting.Fill(&out.Iterations, estimated.DefaultIterations)
	setting.Fill(&out.Rungs, temperedRungs)
	chains, err := out.graphChains().Filled()
	if err != nil {
		return nil, err
	}
	out.Chains = markov.MCMC(*chains)
	return &out, nil
}

// seconds is about the processor time of the evidences of networks over all orders: for each set of
// parents in proportion to the rows, and of few rows there are many likely sets. Measured were 4 s
// for 100 rows of 10 columns, 30 s for 100 of 20, 18 s for 1000 of 25 and 37 s for 3162 of 25.
func seconds(n, d int) float64 {
	pairs, rows := float64(d*d), float64(n)
	return 0.015*pairs*(1+rows/1000) + 0.3*pairs*float64(d)/max(rows, 100)
}

// Demands implements [engine.Engine].
func (e temperingEngine) Demands(p *engine.Problem, size engine.Size) (all []engine.Demand) {
	if !p.OverOrders() {
		return nil
	}
	if size.Vars > exact.Affordable {
		all = e.graphChains().ChainDemands(engine.Size{Rows: size.Rows, Vars: size.Vars})
	} else {
		all = []engine.Demand{engine.Needs(2*float64(inference.Bytes(size.Vars, false)),
			"sums over 2^%d sets of variables", size.Vars)}
	}
	if _, ok := sem.As[sem.Network](p.Model); !ok {
		return all
	}
	rows := min(size.Rows, estimated.GaussRows)
	return append(all, engine.Needs(2*estimated.FirstSets*3*8*float64(rows*(size.Vars+2)),
		"Gaussian processes of %d rows", rows))
}

// Begin implements [engine.Engine].
func (e temperingEngine) Begin(ctx context.Context, p *engine.Problem) (stage engine.Stage,
	err error) {
	err = engine.Timed(&p.Seconds.Infer, func() error {
		if p.OverOrders() {
			stage, err = e.overOrders(ctx, p)
		} else {
			stage, err = e.givenOrders(ctx, p)
		}
		return err
	})
	return stage, err
}

// overOrders is the posterior over all orders: evidences of the sets of parents that matter,
// estimated by sequential Monte Carlo, in the sums of the engine exact, or with more variables in
// the chains of the engine mcmc.
func (e *Tempering) overOrders(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	var graphs *estimated.Graphs
	var err error
	if network, ok := sem.As[sem.Network](p.Model); ok {
		graphs, err = estimated.Settle(ctx, p, network, e.graphChains(), e.Start)
	} else {
		graphs, err = estimated.OfLikelihood(ctx, p, p.Model, e.graphChains())
	}
	if err != nil {
		return nil, err
	}
	p.Model, p.ModelScale = graphs.Model, graphs.Scale
	if p.Vars() > exact.Affordable {
		return estimated.Chained(ctx, p, graphs, e.graphChains())
	}
	defer graphs.Close()
	inf, err := estimated.Summed(ctx, p, graphs)
	if err != nil {
		return nil, err
	}
	inf.Computation = "Edge probabilities are sums " + inf.Sum + "."
	inf.Checks = append(inf.Checks, inference.DrawChecks(inf.Posterior)...)
	return engine.Finished(&inf.Outcome, nil), nil
}

// givenOrders runs chains over networks under every order.
func (e *Tempering) givenOrders(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	orders, found, err := orders.GivenOrders(ctx, p)
	if err != nil {
		return nil, err
	}
	inf, err := estimated.Under(ctx, p, orders, e.Rungs, e.Iterations)
	if err != nil {
		return nil, err
	}
	o := &inf.Outcome
	o.Checks = append(o.Checks, inference.DrawChecks(o.Posterior)...)
	o.Method = fmt.Sprintf("tempering, %d chains of %d iterations for each variable, at %d "+
		"temperatures", estimated.ChainsOfVariable, e.Iterations, e.Rungs)
	o.Computation = fmt.Sprintf("The probabilities come from two chains of %d iterations at %d "+
		"temperatures for each variable, given the order; where they do not agree, a warning "+
		"says so.", e.Iterations, e.Rungs)
	if found == nil {
		return engine.Finished(o, nil), nil
	}
	o.Orders = found.Distribution
	return engine.Finished(o, found.Warnings(p.Data.Names, p.Order.Count)), nil
}

// Given implements [engine.Settling]: the form that is sampled, on its columns, all rows in full.
func (e temperingEngine) Given(ctx context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	p.Shared.Sequence = nil
	m, scaled, _, err := problems.SampledModel(p, p.Model, false)
	return &engine.Given{Model: m, Data: scaled, Notes: problems.TakeDensity(p, edgesPerNode, nil),
		Tempered: engine.ChainNumbers{Iterations: e.Iterations, Rungs: e.Rungs},
		Chains: engine.ChainNumbers{Iterations: e.Chains.Iterations,
			Candidates: e.Chains.Candidates}}, err
}
