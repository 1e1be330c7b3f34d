package stein

import (
	"context"
	"errors"
	"math"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/drawn"
	"tobac/internal/graphchecks"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/priors"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// conditionals are the Rao–Blackwell estimates of the edge marginals: the
// average, over the particles, of
//
//	P(i → j | the other edges of the graph) = 1/(1 + e^{q(j, pa∖i) − q(j, pa∪i)}),
//
// with q the node score and prior, and of the moments of the weight of i → j given the
// parents pa∪i. nil means the model has no node scores, the prior is not a product over
// variables, or no order is known.
func (f *particleFit) conditionals(ctx context.Context, graphs []*dag.Graph,
	order []int) (*posterior.Marginals, error) {
	model, ok := sem.As[sem.Scored](f.model)
	switch {
	case !f.ordered():
		return nil, nil
	case !ok:
		return f.ownConditionals(graphs, order), nil
	}
	d := len(order)
	prior, err := priors.AlongOrder(&f.prior, d, f.density)
	if errors.Is(err, background.ErrNotModular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := model.Hypotheses(ctx, f.data, nil, f.workers)
	if err != nil {
		return nil, err
	}
	s := all[inference.Suiting(all, graphs...)].Scores
	weighted, hasWeights := s.(score.Weighted)
	parts := make([]posterior.Marginals, len(graphs))
	err = parallel.For(ctx, len(graphs), f.workers, func(m int) error {
		parts[m] = conditionalsOf(graphs[m], s, weighted, prior, order)
		return nil
	})
	if err != nil {
		return nil, err
	}
	uniform := make([]float64, len(graphs))
	for m := range uniform {
		uniform[m] = 1
		if !hasWeights {
			parts[m].WeightMean, parts[m].WeightSD = nil, nil
		}
	}
	mixed := posterior.MixMarginals(parts, uniform)
	return &mixed, nil
}

// ownConditionals are conditionals given the particles' own parameters, where flips are evaluated;
// else nil.
func (f *particleFit) ownConditionals(graphs []*dag.Graph, order []int) *posterior.Marginals {
	if len(f.order.Order) == 0 || len(f.x) < 2 {
		return nil
	}
	all, ok := f.target.Conditionals(graphs, f.x[1])
	if !ok {
		return nil
	}
	parts, uniform := make([]posterior.Marginals, len(all)), make([]float64, len(all))
	for m, p := range all {
		parts[m], uniform[m] = posterior.Marginals{Probabilities: relabelled(p, order)}, 1
	}
	mixed := posterior.MixMarginals(parts, uniform)
	return &mixed
}

// conditionalsOf are the conditional marginals of the edges given one graph in
// order coordinates.
func conditionalsOf(g *dag.Graph, s score.Scorer, weighted score.Weighted, prior *score.Prior,
	order []int) posterior.Marginals {
	d := len(order)
	out := posterior.Marginals{Probabilities: mat.NewDense(d, d, nil), WeightMean: drawn.Unknown(d),
		WeightSD: drawn.Unknown(d)}
	for b, j := range order {
		parents := g.Parents(b)
		for a := range b {
			i := order[a]
			at, present := slices.BinarySearch(parents, a)
			with, without := parents, nodescore.Toggled(parents, a)
			if !present {
				with, without = without, with
			}
			q1 := prior.LogPrior(j, inference.InOrder(with, order))
			q0 := prior.LogPrior(j, inference.InOrder(without, order))
			switch {
			case math.IsInf(q1, -1) && math.IsInf(q0, -1): // of another edge's doing
				if present {
					out.Probabilities.Set(i, j, 1)
				}
			default:
				logit := q1 - q0
				if !math.IsInf(logit, 0) {
					logit += s.LogScore(b, with) - s.LogScore(b, without)
				}
				out.Probabilities.Set(i, j, 1/(1+math.Exp(-logit)))
			}
			if weighted != nil && out.Probabilities.At(i, j) > 0 {
				e := weighted.Equation(b, with)
				out.WeightMean.Set(i, j, e.Mean[at])
				out.WeightSD.Set(i, j, math.Sqrt(e.Cov.At(at, at)))
			}
		}
	}
	return out
}

// particleChecks are what the particles under one order say about themselves.
type particleChecks struct {
	neighbours float64 // effective, of the kernel
	imbalance  float64 // NaN means no node scores
	stein      float64 // p-value of the kernelised Stein discrepancy; NaN means no score
	crowding   float64 // without node scores the part of pairs of equal graphs
}

// examine looks at the particles whose posterior was read off; conditionals may be nil.
func (f *particleFit) examine(ctx context.Context, p *posterior.Posterior,
	conditionals *posterior.Marginals) error {
	f.seen = particleChecks{neighbours: f.neighbours(), stein: f.stein(), imbalance: math.NaN(),
		crowding: graphchecks.Crowding(p.Graphs(), uniform(len(p.Names)))}
	if conditionals != nil {
		order := f.order.Order
		before := func(i, j int) bool { return slices.Index(order, i) < slices.Index(order, j) }
		f.seen.crowding = graphchecks.Crowding(p.Graphs(), conditionals.Probabilities)
		f.seen.imbalance = graphchecks.Imbalance(p.Frequencies().Probabilities,
			conditionals.Probabilities, float64(len(p.Draws)), before)
		return nil
	}
	model, ok := sem.As[sem.Scored](f.model)
	kept, _ := p.Empirical().Acyclic()
	if !ok || f.ordered() || f.prior.Own != nil || kept == nil {
		return nil
	}
	pairs := f.prior
	if pairs.Kind == background.Sparse && pairs.Probabilities == nil {
		pairs.EdgesPerNode = f.density
		pairs = priors.IndependentPairs(pairs, len(f.names))
	}
	prior, err := pairs.Product(len(f.names), f.density)
	if err != nil {
		return err
	}
	all, err := model.Hypotheses(ctx, f.data, prior, f.workers)
	if err != nil {
		return err
	}
	f.seen.imbalance, err = inference.Imbalance(ctx, kept.Graphs,
		all[inference.Suiting(all, kept.Graphs...)].Scores, prior, f.workers)
	return err
}

// stein is the p-value of the particles as draws from the density of the last step, by their
// kernelised Stein discrepancy; NaN for a single particle, and where no score can be computed.
func (f *particleFit) stein() float64 {
	g := blocksLike(f.x)
	if n, _ := f.x[0].Dims(); n < 2 || f.target.Score(g, f.x, max(f.step-1, 0)) != nil {
		return math.NaN()
	}
	s := svgd.IMQ{}.Discrepancy(g, f.x)
	if math.IsNaN(s.U) || math.IsInf(s.U, 0) {
		return math.NaN()
	}
	return s.PValue(stream.New(f.order.Seed, stream.SteinSigns), steinRounds)
}

// steinRounds are those of the wild bootstrap.
const steinRounds = 999

// blocksLike are zeros.
func blocksLike(x []*mat.Dense) []*mat.Dense {
	out := make([]*mat.Dense, len(x))
	for b := range x {
		n, k := x[b].Dims()
		out[b] = mat.NewDense(n, k, nil)
	}
	return out
}

// neighbours is the effective number of the kernel.
func (f *particleFit) neighbours() float64 {
	return f.svgd.Kernel.Apply(blocksLike(f.x), blocksLike(f.x), blocksLike(f.x), f.x,
		new(svgd.Work))
}

// uniform are edge probabilities of ½, under which hardly two graphs are equal.
func uniform(d int) *mat.Dense {
	p := mat.NewDense(d, d, nil)
	p.Apply(func(int, int, float64) float64 { return 0.5 }, p)
	return p
}
