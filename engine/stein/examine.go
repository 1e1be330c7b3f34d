package stein

import (
	"context"
	"math"
	"slices"

	"tobac/background"
	"tobac/diagnostics"
	"tobac/engine/sums"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// particleChecks are what the particles under one order say about themselves.
type particleChecks struct {
	neighbours float64 // effective, of the kernel
	imbalance  float64 // NaN: no node scores
	stein      float64 // p-value of the kernelised Stein discrepancy; NaN: no score
	crowding   float64 // without node scores the part of pairs of equal graphs
}

// examine looks at the particles whose posterior was read off; conditionals may be nil.
func (f *particleFit) examine(ctx context.Context, p *posterior.Posterior, conditionals *posterior.Marginals) error {
	f.seen = particleChecks{neighbours: f.neighbours(), stein: f.stein(), imbalance: math.NaN(), crowding: diagnostics.Crowding(p.Graphs(), uniform(len(p.Names)))}
	if conditionals != nil {
		order := f.order.Order
		before := func(i, j int) bool { return slices.Index(order, i) < slices.Index(order, j) }
		f.seen.crowding = diagnostics.Crowding(p.Graphs(), conditionals.Probabilities)
		f.seen.imbalance = diagnostics.Imbalance(p.Frequencies().Probabilities, conditionals.Probabilities, float64(len(p.Draws)), before)
		return nil
	}
	model, ok := f.model.(sem.Scored)
	kept, _ := p.Empirical().Acyclic()
	if !ok || f.ordered() || f.prior.Own != nil || kept == nil {
		return nil
	}
	pairs := f.prior
	if pairs.Kind == background.Sparse && pairs.Probabilities == nil {
		pairs.EdgesPerNode = f.density
		pairs = pairs.IndependentPairs(len(f.names))
	}
	prior, err := pairs.Product(len(f.names), f.density)
	if err != nil {
		return err
	}
	all, err := model.Hypotheses(ctx, f.data, prior, f.workers)
	if err != nil {
		return err
	}
	f.seen.imbalance, err = sums.Imbalance(ctx, kept.Graphs, all[sem.Suiting(all, kept.Graphs...)].Scores, prior, f.workers)
	return err
}

// stein is the p-value of the particles as draws from the density of the last step, by their kernelised Stein discrepancy; NaN for a single
// particle, and where there is no score.
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
	return f.svgd.Kernel.Apply(blocksLike(f.x), blocksLike(f.x), blocksLike(f.x), f.x, new(svgd.Work))
}

// uniform are edge probabilities of ½, under which hardly two graphs are equal.
func uniform(d int) *mat.Dense {
	p := mat.NewDense(d, d, nil)
	p.Apply(func(int, int, float64) float64 { return 0.5 }, p)
	return p
}
