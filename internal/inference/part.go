package inference

import (
	"context"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/problems"
	"tobac/internal/refinement"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// A Part is the exact posterior under one hypothesis and one number of edges.
type Part struct {
	Hypothesis sem.Hypothesis
	density    float64
	Prior      *score.Prior
	orders     *exact.Orders // all orders; nil means given one
	graphs     *exact.Graphs // all graphs; nil means too many to sum over
	given      *exact.Given  // given an order
	// log p(D), with the prior of the hypothesis and of the number of edges
	evidence float64
	weight   float64 // among the parts
}

// newPart computes the posterior under one hypothesis.
func newPart(ctx context.Context, h sem.Hypothesis, density float64, d int,
	problem *engine.Problem) (Part, error) {
	p := Part{Hypothesis: h, density: density}
	var err error
	if p.Prior, err = problems.ClosedPrior(problem, d, density); err != nil {
		return p, err
	}
	opt := exact.Options{Workers: problem.Workers}
	if problem.Order.Known != nil {
		if p.given, err = exact.GivenOrder(ctx, h.Scores, p.Prior, problem.Order.Known,
			opt); err != nil {
			return p, err
		}
		normaliser, err := exact.GivenOrder(ctx, NoData(d), p.Prior, problem.Order.Known, opt)
		if err != nil {
			return p, err
		}
		p.evidence = p.given.LogEvidence() - normaliser.LogEvidence() + h.LogWeight
		return p, nil
	}
	all, err := exact.New(ctx, h.Scores, p.Prior, opt)
	if err != nil {
		return p, err
	}
	if p.orders, err = all.Orders(ctx); err != nil {
		return p, err
	}
	p.evidence = p.orders.LogEvidence() + h.LogWeight
	if d > allGraphs {
		normaliser, err := exact.LogPriorOrders(ctx, p.Prior, opt)
		p.evidence -= normaliser
		return p, err
	}
	if p.graphs, err = p.orders.Graphs(ctx); err != nil {
		return p, err
	}
	normaliser, err := exact.LogPriorGraphs(ctx, p.Prior, opt)
	p.evidence = p.graphs.LogEvidence() + h.LogWeight - normaliser
	return p, err
}

// prepare computes what [Part.edges] is, unless that was.
func (p *Part) prepare(ctx context.Context) error {
	switch {
	case p.given != nil:
		return nil
	case p.graphs != nil:
		return p.graphs.Prepare(ctx)
	}
	return p.orders.Prepare(ctx)
}

// draws are n independent draws of an order and a graph.
func (p *Part) draws(ctx context.Context, n int, seed uint64) ([]exact.Draw, error) {
	if p.given != nil {
		return p.given.Draws(ctx, n, seed)
	}
	return p.orders.Draws(ctx, n, seed)
}

// probable is the graph with the greatest probability, or of many variables one that a search
// finds.
func (p *Part) probable(ctx context.Context, problem *engine.Problem) (*dag.Graph, error) {
	if p.given == nil && p.Hypothesis.Scores.Vars() <= refinement.MixedVariables {
		g, _, err := p.orders.Best(ctx)
		return g, err
	}
	return probableGraph(ctx, p.scores(), p.Prior, problem)
}

// scores are those of the hypothesis, looked up where they were summed over.
func (p *Part) scores() score.Scorer {
	if p.orders != nil {
		return p.orders.Scores(p.Prior)
	}
	return p.Hypothesis.Scores
}

// NoData is the score of no rows.
func NoData(d int) score.Scorer {
	return score.NewFunc(d, func(int, []int) float64 { return 0 })
}

// expectedEdges is the posterior mean of the number of edges.
func (p *Part) expectedEdges(int) float64 { return mat.Sum(p.edges()) }

// edges are the edge probabilities.
func (p *Part) edges() *mat.Dense {
	switch {
	case p.given != nil:
		return p.given.Edges()
	case p.graphs != nil:
		return p.graphs.Edges()
	}
	return p.orders.Edges()
}

// allot divides n draws among parts by their weights: the largest remainders round
// up.
func allot(n int, parts []Part) []int {
	counts, left := make([]int, len(parts)), n
	order := make([]int, len(parts))
	for k, p := range parts {
		counts[k], order[k] = int(p.weight*float64(n)), k
		left -= counts[k]
	}
	rest := func(k int) float64 { return parts[k].weight*float64(n) - float64(counts[k]) }
	remainders := make([]float64, len(parts))
	for k := range parts {
		remainders[k] = rest(k)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case remainders[a] > remainders[b]:
			return -1
		case remainders[a] < remainders[b]:
			return 1
		}
		return 0
	})
	for i := range max(left, 0) {
		counts[order[i%len(order)]]++
	}
	return counts
}
