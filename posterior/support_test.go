package posterior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/posterior"
)

// graph builds a graph from pairs of vertices.
func graph(t testing.TB, d int, pairs ...[2]int) *dag.Graph {
	t.Helper()
	edges := make([]dag.Edge, len(pairs))
	for i, p := range pairs {
		edges[i] = dag.Edge{From: p[0], To: p[1]}
	}
	return must.Get(dag.FromEdges(d, edges))(t)
}

// randomDAG draws every edge along an order with probability p.
func randomDAG(order []int, p float64, rng *rand.Rand) *dag.Graph {
	g := dag.New(len(order))
	for b := range order {
		for a := range b {
			g.Set(order[a], order[b], rng.Float64() < p)
		}
	}
	return g
}

// randomEquations draws equations on a graph.
func randomEquations(g *dag.Graph, rng *rand.Rand) *posterior.Equations {
	d := g.Len()
	e := &posterior.Equations{Weights: mat.NewDense(d, d, nil)}
	for _, edge := range g.Edges() {
		e.Weights.(*mat.Dense).Set(edge.From, edge.To, rng.NormFloat64())
	}
	for range d {
		e.NoiseVariances = append(e.NoiseVariances, 0.1+rng.ExpFloat64())
	}
	if rng.IntN(2) == 0 {
		for range d {
			e.Intercepts = append(e.Intercepts, rng.NormFloat64())
		}
	}
	return e
}

// drawPosterior draws a posterior on 2 to 6 variables with several components of
// a few draws each; linear posteriors have equations, others parameters.
func drawPosterior(t *rapid.T) *posterior.Posterior {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 17))
	d := rapid.IntRange(2, 6).Draw(t, "d")
	p := &posterior.Posterior{
		Engine: rapid.SampledFrom([]string{"exact", "svgd"}).Draw(t, "engine"), Model: "linear",
		Settings: "steps 10\nseed 3",
		Kind: rapid.SampledFrom([]posterior.Kind{posterior.Particles, posterior.Draws}).Draw(t,
			"kind"),
	}
	for j := range d {
		p.Names = append(p.Names, string(rune('a'+j)))
	}
	linear := rapid.Bool().Draw(t, "linear")
	total := 0.0
	for range rapid.IntRange(1, 3).Draw(t, "components") {
		c := posterior.Component{Order: rng.Perm(d), Draws: 1 + rng.IntN(4), Weight: rng.Float64() +
			0.01, Count: rng.IntN(9), NoiseVariance: rng.Float64(), LogEvidence: rng.NormFloat64()}
		total += c.Weight
		for range c.Draws {
			draw := posterior.Draw{Graph: randomDAG(c.Order, 0.5, rng),
				LogWeight: rng.NormFloat64(), LogPrior: rng.NormFloat64(),
				LogLikelihood: 100 * rng.NormFloat64()}
			if linear {
				draw.Equations = randomEquations(draw.Graph, rng)
			} else {
				draw.Parameters = []float64{rng.NormFloat64(), rng.NormFloat64()}
			}
			p.Draws = append(p.Draws, draw)
		}
		if linear && rng.IntN(2) == 0 {
			c.Empty = randomEquations(dag.New(d), rng)
		}
		p.Components = append(p.Components, c)
	}
	for k := range p.Components {
		c := &p.Components[k]
		c.Weight /= total
		c.LogWeight = math.Log(c.Weight)
	}
	p.Marginals = p.Frequencies()
	return p
}

func near(got, want, tol float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) ||
		math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))
}

// nearMatrix reports whether two matrices, or two nils, agree to tol, NaN with NaN.
func nearMatrix(got, want *mat.Dense, tol float64) bool {
	if got == nil || want == nil {
		return got == want
	}
	r, c := want.Dims()
	if gr, gc := got.Dims(); gr != r || gc != c {
		return false
	}
	for i := range r {
		for j := range c {
			if !near(got.At(i, j), want.At(i, j), tol) {
				return false
			}
		}
	}
	return true
}

func panics(f func()) (message any) {
	defer func() { message = recover() }()
	f()
	return nil
}
