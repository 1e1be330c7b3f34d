package estimated

import (
	"cmp"
	"context"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/mcmc"
	"tobac/internal/nodescore"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// A tablePosterior is the posterior over the graphs that a table of networks allows.
type tablePosterior interface {
	// of the table, or what tells tables of the same data apart in place of it
	logEvidence() float64
	edges() *mat.Dense
	// the sets of parents of variable j with a probability above a bound
	probable(j int, above float64) []weightedSet
	best(ctx context.Context) (*dag.Graph, error)
}

// Of the chains under a table that still changes.
const (
	tableIterations = 400 // of each, half of them warm-up
	tableCandidates = 10  // parents of a variable, beside single ones from outside
)

// under is the posterior under scores of the sets: sums over all orders, or chains where these cost
// too much.
func (t *table) under(ctx context.Context, s *nodescore.Pool) (tablePosterior, error) {
	if s.Vars() <= exact.Affordable {
		return sumUnder(ctx, s, t.prior, t.options.Workers)
	}
	return t.sampleUnder(ctx, s)
}

// A summedTable has sums over all orders and graphs: the engine exact.
type summedTable struct {
	all    *exact.Posterior
	orders *exact.Orders
}

func sumUnder(ctx context.Context, s score.Scorer, prior *score.Prior,
	workers int) (summedTable, error) {
	p, err := exact.New(ctx, s, prior, exact.Options{Workers: workers})
	if err != nil {
		return summedTable{}, err
	}
	o, err := p.Orders(ctx)
	if err == nil {
		err = o.Prepare(ctx)
	}
	return summedTable{p, o}, err
}

func (p summedTable) logEvidence() float64 { return p.orders.LogEvidence() }

func (p summedTable) edges() *mat.Dense { return p.orders.Edges() }

func (p summedTable) best(ctx context.Context) (*dag.Graph, error) {
	g, _, err := p.all.Best(ctx)
	return g, err
}

func (p summedTable) probable(j int, above float64) (list []weightedSet) {
	sets, probabilities := p.orders.ProbableSets(j, above)
	for k, set := range sets {
		list = append(list, weightedSet{nodescore.Family{Of: j, Set: set}, probabilities[k]})
	}
	return list
}

// A sampledTable has graphs that chains have drawn: the engine mcmc.
type sampledTable struct{ *mcmc.Result }

func (t *table) sampleUnder(ctx context.Context, s *nodescore.Pool) (tablePosterior, error) {
	opt := t.options
	opt.WarmUp, opt.Candidates = tableIterations/2, tableCandidates
	m, err := mcmc.New(ctx, s, t.prior, opt)
	if err != nil {
		return nil, err
	}
	if err := m.Advance(ctx, tableIterations); err != nil {
		return nil, err
	}
	res, err := m.Result()
	return sampledTable{res}, err
}

func (p sampledTable) logEvidence() float64 { return p.Diagnostics.LogP.Mean }

func (p sampledTable) edges() *mat.Dense { return p.Edges }

func (p sampledTable) best(context.Context) (*dag.Graph, error) {
	return slices.MaxFunc(p.Draws, func(a, b mcmc.Draw) int {
		return cmp.Compare(a.LogScore, b.LogScore)
	}).Graph, nil
}

func (p sampledTable) probable(j int, above float64) (list []weightedSet) {
	at := map[string]int{}
	for _, d := range p.Draws {
		set := d.Graph.Parents(j)
		key := nodescore.FamilyKey(j, set)
		k, ok := at[key]
		if !ok {
			k = len(list)
			at[key] = k
			list = append(list, weightedSet{Family: nodescore.Family{Of: j, Set: set}})
		}
		list[k].probability += 1 / float64(len(p.Draws))
	}
	return slices.DeleteFunc(list, func(w weightedSet) bool { return w.probability < above })
}

// tablePrior is the prior under which a table of networks settles: of chains, with about one edge
// for each variable, and of sums over all orders with as many as may be.
func tablePrior(p *engine.Problem, d int) (*score.Prior, error) {
	if d <= exact.Affordable {
		densities := priors.Densities(&p.Prior, d)
		return problems.ClosedPrior(p, d, densities[len(densities)-1])
	}
	return graphchains.PilotPrior(p, d)
}
