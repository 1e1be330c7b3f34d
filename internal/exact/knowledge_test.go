package exact_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/exact"
	"tobac/score"
)

// randomKnowledge adds statements of every kind that some graph fulfils: those that agree
// with a random order.
func randomKnowledge(p *score.Prior, rng *rand.Rand) {
	d := p.Vars()
	order := rng.Perm(d)
	for a, i := range order {
		for b, j := range order {
			switch chance := rng.Float64(); {
			case i == j:
			case a < b && chance < 0.2:
				p.Require(i, j)
			case a > b && chance < 0.4:
				p.Forbid(i, j)
			case chance < 0.7:
				p.MultiplyOdds(i, j, math.Exp(2*rng.NormFloat64()))
			}
		}
	}
	if rng.IntN(2) == 0 {
		tier := make([]int, d)
		for a, j := range order {
			tier[j] = a * 2 / d
			if rng.IntN(4) == 0 {
				tier[j] = -1
			}
		}
		p.Tiers(tier)
	}
}

// Under random statements the posteriors over orders and over graphs, and their
// evidences, are those of the sum over all graphs, and draws fulfil the statements.
func TestRandomKnowledgeEnumerated(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 8))
			d := 2 + int(seed)%4
			if d > largest() {
				t.Skip("29,281 graphs")
			}
			s := randomTable(d, -50, 3, seed)
			prior := []*score.Prior{score.Uniform(d), score.Fair(d), score.ScaleFree(d)}[seed%3]
			randomKnowledge(prior, rng)
			_, o := posterior(t, s, prior, exact.Options{})
			want := enumerate(s, prior, true)
			nearNumber(t, "log evidence over orders", o.LogEvidence(), want.logEvidence, 1e-10)
			near(t, "over orders, edge", o.Edges(), want.edges, 1e-10)
			g, err := o.Graphs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want = enumerate(s, prior, false)
			nearNumber(t, "log evidence over graphs", g.LogEvidence(), want.logEvidence, 1e-10)
			near(t, "over graphs, edge", g.Edges(), want.edges, 1e-10)
			draws, err := o.Draws(t.Context(), 50, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, draw := range draws {
				for j := range d {
					if math.IsInf(prior.LogPrior(j, draw.Graph.Parents(j)), -1) {
						t.Fatalf("draw with the edges %v", draw.Graph.Edges())
					}
				}
			}
		})
	}
}
