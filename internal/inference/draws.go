package inference

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/parallel"
	"tobac/internal/sparse"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
)

// emptyEquations are those of the graph without edges, under the score of the first
// draw.
func emptyEquations(s score.Weighted) *posterior.Equations {
	d := s.Vars()
	e := &posterior.Equations{Weights: sparse.New(d), Intercepts: make([]float64, d),
		NoiseVariances: make([]float64, d)}
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

// AddEquations draws the parameters of every graph, with the scores of its
// hypothesis, and sets the moments of the weights: those of the mixture, over the
// draws that have the edge, of the weight's posterior given the graph.
func AddEquations(ctx context.Context, data *dataset.Table, p *posterior.Posterior,
	scorers []score.Scorer, problem *engine.Problem) error {
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
		rng, noise := stream.New(problem.Seed, stream.Equations, k),
			stream.New(problem.Seed, stream.EquationNoise, k)
		g, w := p.Draws[k].Graph, scorers[k].(score.Weighted)
		weights := sparse.New(d)
		e := &posterior.Equations{Weights: weights, Intercepts: make([]float64, d),
			NoiseVariances: make([]float64, d)}
		moments := make(weightMoments)
		for j := range d {
			parents := g.Parents(j)
			q := w.Equation(j, parents)
			drawn, above, noiseVariance := q.Draw(rng, noise)
			if d > mostExact {
				roundDraw(&q, drawn, &noiseVariance)
			}
			e.Intercepts[j] = q.Intercept + above // at the means of the columns
			for a, i := range parents {
				if q.Strength > 0 {
					e.Intercepts[j] += (q.Mean[a] - drawn[a]) * means[j][i]
				}
				moments[dag.Edge{From: i, To: j}] = [2]float64{q.Mean[a], math.Sqrt(q.Cov.At(a, a))}
				weights.Set(i, j, drawn[a])
			}
			e.NoiseVariances[j] = noiseVariance
			if d > mostExact && q.Strength > 0 {
				e.Intercepts[j] = rounded(e.Intercepts[j], math.Sqrt(noiseVariance/q.Strength))
			}
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

// mostExact is the number of variables up to which drawn equations have all digits. Files of a
// thousand graphs of a thousand variables would consist of digits that say nothing.
const mostExact = 100

// roundDraw rounds what was drawn by at most 1/200 of its standard deviation, a weight by that of
// its standard deviation given the others: so no sum of weights of collinear parents moves by more
// than its own standard deviation allows.
func roundDraw(q *score.Equation, weights []float64, noiseVariance *float64) {
	var root mat.Cholesky
	if len(weights) > 0 && root.Factorize(q.Cov) {
		var precision mat.SymDense
		if root.InverseTo(&precision) == nil {
			for a, w := range weights {
				weights[a] = rounded(w, 1/math.Sqrt(precision.At(a, a)))
			}
		}
	}
	if !math.IsInf(q.Freedom, 1) {
		v := *noiseVariance
		*noiseVariance = rounded(v, v*math.Sqrt(2/q.Freedom))
	}
}

// rounded is v with as many decimals as hundredths of sd need. A number of which sd says nothing
// stays as it is.
func rounded(v, sd float64) float64 {
	power := 2 - math.Floor(math.Log10(sd))
	if !(math.Abs(power) <= 15) {
		return v
	}
	unit := math.Pow10(int(math.Abs(power)))
	if power < 0 {
		return math.Round(v/unit) * unit
	}
	if r := math.Round(v*unit) / unit; !math.IsInf(r, 0) {
		return r
	}
	return v
}
