package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/parallel"
	"tobac/internal/problems"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"
)

// Search is the engine search: it looks for the most probable graph by iterated local search, on
// all rows and on random halves of them. The probability of an edge is the share of these graphs
// that have it (Friedman, Goldszmidt and Wyner 1999; Meinshausen and Bühlmann 2010).
type Search struct {
	Halves int // random halves of the rows; defaults to 20
	// Tries is how often a search moves a few variables at random and goes on; defaults to four for
	// each variable, with more than 70 variables fewer, at least 20, but no longer than the first
	// climb took.
	Tries int
}

// Engine implements [engine.Settings].
func (e *Search) Engine() engine.Engine { return searchEngine{e} }

type searchEngine struct{ *Search }

const name = "search"

// Name implements [engine.Engine].
func (e searchEngine) Name() string { return name }

// About implements [engine.Engine].
func (e searchEngine) About() string {
	return `One probable graph by local search, in seconds, with random halves of the rows.
The listed probability of an edge is its frequency among the graphs of all rows and of each
half. It says how stable the search is, and is not a posterior probability.`
}

// Settings implements [engine.Engine].
func (e searchEngine) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&e.Halves, mostHalves, "halves",
			"random halves of the rows to search too", "20"),
		setting.WholeNumber(&e.Tries, engine.MostSteps, "tries",
			"how often a search moves a few columns at random and goes on",
			"four for each column, fewer with more than 70 columns and where searches are long"),
	}
}

const mostHalves = 100_000

// Prepare implements [engine.Engine].
func (e searchEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	out := *e.Search
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	if !p.Scored() {
		return nil, problems.NeedsScores(p, e)
	}
	if err := problems.LearnsOrders(p, e); err != nil {
		return nil, err
	}
	setting.Fill(&out.Halves, 20)
	return &out, nil
}

// Demands implements [engine.Engine]: those of the short chains that settle the model, which take
// more than the searches.
func (e searchEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	return append(graphchains.Pilot.ChainDemands(size), inference.DrawDemand(size))
}

// Begin implements [engine.Engine].
func (e searchEngine) Begin(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	var o *engine.Outcome
	err := engine.Timed(&p.Seconds.Infer, func() error {
		s, err := graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, graphchains.Pilot,
			inference.TrustOf(p))
		if err != nil {
			return err
		}
		problems.SettleModel(p, s.Model, s.Evidence)
		p.Doing(name, "searching, model "+s.Model.String())
		best, err := e.find(ctx, []score.Scorer{s.Hypothesis.Scores}, s.Prior, p.Workers,
			stream.New(p.Seed, stream.GraphSearch), s.Best())
		if err != nil {
			return err
		}
		p.Doing(name, "searching random halves of the rows")
		halves, failed, err := e.halves(ctx, s, p)
		if err != nil {
			return err
		}
		graphs := append([]*dag.Graph{best}, halves...)
		inf, err := s.Inference(ctx, p.Data, name, posterior.Uniform(graphs), nil, p)
		if err != nil {
			return err
		}
		o = &inf.Outcome
		o.Method = fmt.Sprintf("search, all rows and %d random halves of them", len(halves))
		o.Computation = fmt.Sprintf("Each probability is the share of %d graphs with the edge, "+
			"one found by a search on all rows and the others on random halves of them: it says "+
			"how "+
			"stable the search is, and is not a posterior probability.", len(graphs))
		if failed != nil {
			o.Posterior.Warnings = append(o.Posterior.Warnings, fmt.Sprintf(
				"%d of %d random halves of the rows are left out, the first because of %v",
				e.Halves-len(halves), e.Halves, failed))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return engine.Finished(o, nil), nil
}

// find is a probable graph under the last of some scores, of a search through all of them that
// begins at another graph unless that is nil.
func (e searchEngine) find(
	ctx context.Context, all []score.Scorer, prior *score.Prior, workers int, rng *rand.Rand,
	from *dag.Graph,
) (*dag.Graph, error) {
	screens, err := search.NewScreens(ctx, all, prior, workers)
	if err != nil {
		return nil, err
	}
	at, err := search.Through(ctx, screens, rng, e.Tries, from)
	if err != nil {
		return nil, err
	}
	return at.Graph(), nil
}

// halves are probable graphs of random halves of the rows, each under the hypothesis of the model
// that suits the half. Halves that the model does not take, such as with a column that does not
// vary, are left out; failed is the first reason.
func (e searchEngine) halves(
	ctx context.Context, s *graphchains.Settled, p *engine.Problem,
) (graphs []*dag.Graph, failed error, err error) {
	all, reasons := make([]*dag.Graph, e.Halves), make([]error, e.Halves)
	rows, _ := p.Data.X.Dims()
	err = parallel.For(ctx, e.Halves, p.Workers, func(k int) error {
		rng := stream.New(p.Seed, stream.BootstrapRows, k)
		half := rng.Perm(rows)[:(rows+1)/2]
		slices.Sort(half)
		scores, err := s.Scores(ctx, p.Data.Rows(half))
		if err != nil {
			reasons[k] = err
			return ctx.Err()
		}
		all[k], err = e.find(ctx, scores, s.Prior, 1, rng, nil)
		return err
	})
	for k, g := range all {
		if g != nil {
			graphs = append(graphs, g)
		} else if failed == nil {
			failed = reasons[k]
		}
	}
	return graphs, failed, err
}
