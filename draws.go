package tobac

import (
	"context"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// emptyEquations are those of the graph without edges, under the score of the first
// draw.
func emptyEquations(s score.Weighted) *posterior.Equations {
	d := s.Vars()
	e := &posterior.Equations{Weights: mat.NewDense(d, d, nil), Intercepts: make([]float64, d), NoiseVariances: make([]float64, d)}
	for j := range d {
		q := s.Equation(j, nil)
		e.Intercepts[j], e.NoiseVariances[j] = q.Intercept, q.NoiseVariance
	}
	return e
}

// weightMoments are the posterior mean and standard deviation of the weight of each edge of a
// graph, given the graph: of so few edges that matrices of many columns would take a multiple
// of the memory.
type weightMoments map[dag.Edge][2]float64

// addEquations draws the parameters of every graph, with the scores of its
// hypothesis, and sets the moments of the weights: those of the mixture, over the
// draws that have the edge, of the weight's posterior given the graph.
func addEquations(ctx context.Context, data *dataset.Table, p *posterior.Posterior, scorers []score.Scorer, problem *engine.Problem) error {
	if _, ok := scorers[0].(score.Weighted); !ok {
		return nil
	}
	for k := range p.Components {
		p.Components[k].Empty = emptyEquations(scorers[0].(score.Weighted))
	}
	d := len(p.Names)
	means := make([][]float64, d) // of the columns, over the rows that count for each variable
	for j := range d {
		means[j] = data.ObservedMeans(j)
	}
	given := make([]weightMoments, len(p.Draws))
	err := parallel.For(ctx, len(p.Draws), problem.Workers, func(k int) error {
		rng, noise := stream.New(problem.Seed, stream.Equations, k), stream.New(problem.Seed, stream.EquationNoise, k)
		g, w := p.Draws[k].Graph, scorers[k].(score.Weighted)
		e := &posterior.Equations{Weights: mat.NewDense(d, d, nil), Intercepts: make([]float64, d), NoiseVariances: make([]float64, d)}
		moments := make(weightMoments)
		for j := range d {
			parents := g.Parents(j)
			q := w.Equation(j, parents)
			drawn, above, noiseVariance := q.Draw(rng, noise)
			e.Intercepts[j] = q.Intercept + above // at the means of the columns
			for a, i := range parents {
				if q.Strength > 0 {
					e.Intercepts[j] += (q.Mean[a] - drawn[a]) * means[j][i]
				}
				moments[dag.Edge{From: i, To: j}] = [2]float64{q.Mean[a], math.Sqrt(q.Cov.At(a, a))}
				e.Weights.Set(i, j, drawn[a])
			}
			e.NoiseVariances[j] = noiseVariance
		}
		p.Draws[k].Equations, given[k] = e, moments
		return nil
	})
	if err != nil {
		return err
	}
	m := p.FrequenciesGiven(func(k, i, j int) (mean, sd float64) {
		v := given[k][dag.Edge{From: i, To: j}]
		return v[0], v[1]
	})
	p.WeightMean, p.WeightSD = m.WeightMean, m.WeightSD
	return nil
}

// drawnFrom are n orders, each a linear extension of a graph drawn from a posterior, for
// SVGD to sample under.
func drawnFrom(p *posterior.Posterior, n int, seed uint64) []weightedOrder {
	rng := stream.New(seed, stream.PosteriorOrders)
	weights := p.Empirical().Weights()
	all := make([]weightedOrder, n)
	for k := range all {
		u, at := rng.Float64(), 0
		for u -= weights[0]; u > 0 && at < len(weights)-1; u -= weights[at] {
			at++
		}
		order := randomExtension(p.Draws[at].Graph, rng.IntN)
		all[k] = weightedOrder{order: order, seed: orderSeed(seed, k), logWeight: -math.Log(float64(n)), evidence: math.NaN()}
	}
	return all
}

// mostSwaps bounds the exchanges behind a random order of many variables.
const mostSwaps = 1e7

// randomExtension is an order that agrees with an acyclic graph, each as likely as the others:
// some such order after d³ log d exchanges of neighbours that the graph leaves free, a Markov
// chain that mixes within as many (Karzanov and Khachiyan 1991, Bubley and Dyer 1999).
func randomExtension(g *dag.Graph, intN func(int) int) []int {
	order, err := g.TopologicalOrder()
	if err != nil {
		panic("tobac: " + err.Error()) // the graphs of a posterior in closed form are acyclic
	}
	d := len(order)
	for range int(math.Min(mostSwaps, math.Pow(float64(d), 3)*math.Log2(float64(2*d)))) {
		k := intN(2 * d) // half of the time nothing, lest the chain alternate
		if k < d-1 && !g.Has(order[k], order[k+1]) {
			order[k], order[k+1] = order[k+1], order[k]
		}
	}
	return order
}
