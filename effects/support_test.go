package effects_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/posterior"
)

// randomGraph has each edge along a random order with probability p.
func randomGraph(d int, p float64, rng *rand.Rand) *dag.Graph {
	g, order := dag.New(d), rng.Perm(d)
	for b := range order {
		for a := range b {
			if rng.Float64() < p {
				g.Set(order[a], order[b], true)
			}
		}
	}
	return g
}

// randomDraw has random linear equations on the edges of g.
func randomDraw(g *dag.Graph, rng *rand.Rand) posterior.Draw {
	d := g.Len()
	e := &posterior.Equations{Weights: mat.NewDense(d, d, nil)}
	for _, edge := range g.Edges() {
		e.Weights.(*mat.Dense).Set(edge.From, edge.To, rng.NormFloat64())
	}
	for range d {
		e.Intercepts = append(e.Intercepts, rng.NormFloat64())
		e.NoiseVariances = append(e.NoiseVariances, 0.1+rng.ExpFloat64())
	}
	return posterior.Draw{Graph: g, Equations: e, LogWeight: rng.NormFloat64(),
		LogPrior: math.NaN(), LogLikelihood: math.NaN()}
}

// randomPosterior has n draws of d variables.
func randomPosterior(d, n int, rng *rand.Rand) *posterior.Posterior {
	p := &posterior.Posterior{Kind: posterior.Draws}
	for j := range d {
		p.Names = append(p.Names, string(rune('a'+j)))
	}
	for range n {
		p.Draws = append(p.Draws, randomDraw(randomGraph(d, 0.5, rng), rng))
	}
	p.Marginals = p.Frequencies()
	return p
}

// drawRNG is a generator for a property test.
func drawRNG(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }
