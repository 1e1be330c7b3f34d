package exact_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// The normalisers are the sums of the prior over all graphs, with and without their
// linear extensions.
func TestLogPriorEnumerated(t *testing.T) {
	for d := 1; d <= largest(); d++ {
		for name, prior := range priors(t, d) {
			t.Run(fmt.Sprintf("d=%d/%s", d, name), func(t *testing.T) {
				s := randomTable(d, 0, 0, 1)
				got :=
					must.Get(exact.LogPriorOrders(context.Background(), prior, exact.Options{}))(t)
				nearNumber(t, "ln of the sum over orders", got,
					enumerate(s, prior, true).logEvidence, 1e-12)
				got =
					must.Get(exact.LogPriorGraphs(context.Background(), prior, exact.Options{}))(t)
				nearNumber(t, "ln of the sum over graphs", got,
					enumerate(s, prior, false).logEvidence, 1e-12)
			})
		}
	}
}

// The uniform prior sums to the number of acyclic graphs, OEIS A003024.
func TestLogPriorCountsGraphs(t *testing.T) {
	tests := []struct {
		d    int
		want float64
	}{{6, 3781503}, {7, 1138779265}, {8, 783702329343}, {9, 1213442454842881},
		{10, 4175098976430598143}}
	for _, test := range tests {
		got := must.Get(exact.LogPriorGraphs(context.Background(), score.Uniform(test.d),
			exact.Options{}))(t)
		nearNumber(t, fmt.Sprintf("ln of the number of graphs with %d vertices", test.d), got,
			math.Log(test.want), 1e-13*got)
	}
}

// Priors of the number of parents alone have sums of their own, which are those of
// the general way: up to 12 variables, of which fewer than 1e-11 of the sum is lost
// to cancellation.
func TestLogPriorTwoWays(t *testing.T) {
	for _, d := range []int{6, 9, 12} {
		sparse := must.Get(score.ErdosRenyi(d, 1e-6))(t)
		bounded := score.Fair(d)
		bounded.MaxParents(3)
		for name, prior := range map[string]*score.Prior{"uniform": score.Uniform(d),
			"sparse": sparse, "bounded": bounded} {
			_, o := posterior(t, randomTable(d, 0, 0, 1), prior, exact.Options{})
			got := must.Get(exact.LogPriorOrders(context.Background(), prior, exact.Options{}))(t)
			nearNumber(t, name+": sum over orders", got, o.LogEvidence(), 1e-12)
			got = must.Get(exact.LogPriorGraphs(context.Background(), prior, exact.Options{}))(t)
			nearNumber(t, name+": sum over graphs", got, graphs(t, o).LogEvidence(), 1e-11)
		}
	}
}

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
			g := must.Get(o.Graphs(t.Context()))(t)
			want = enumerate(s, prior, false)
			nearNumber(t, "log evidence over graphs", g.LogEvidence(), want.logEvidence, 1e-10)
			near(t, "over graphs, edge", g.Edges(), want.edges, 1e-10)
			draws := must.Get(o.Draws(t.Context(), 50, seed))(t)
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
