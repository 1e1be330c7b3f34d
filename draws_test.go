package tobac_test

import (
	"context"
	"math"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Frequencies of weighted draws are the listed probabilities, although the posterior mixes parts
// whose graphs differ in their numbers of linear extensions: within three standard errors, and .02
// for rare edges whose draws weigh much.
func TestDrawsFollowTheListedProbabilities(t *testing.T) {
	tables := completedTables(noisy(t), 3)
	for seed := range uint64(3) {
		r := fit(t, tables.Table(int(seed)), tobac.Config{Model: sem.Linear{}, Seed: seed})
		drawn, ess := r.Frequencies().Probabilities, r.Empirical().EffectiveSampleSize()
		for i := range 5 {
			for j := range 5 {
				v := r.Probabilities.At(i, j)
				if math.Abs(drawn.At(i, j)-v) > 3*math.Sqrt(v*(1-v)/ess)+0.02 {
					t.Errorf("seed %d, edge %d -> %d: frequency %.3f among draws worth %.0f, "+
						"probability %.3f", seed, i, j, drawn.At(i, j), ess, v)
				}
			}
		}
	}
}

// Draws follow the listed probabilities where these average over hypotheses of different
// numbers of edges, whose graphs have different numbers of orders.
func TestDrawsOfPartsFollowThePosterior(t *testing.T) {
	// Many variables in a few rows leave the number of edges open. The sum over graphs of the same
	// part is exact.
	const d = 8
	table := chainTable(d, 14, 3)
	edges, sd, all := 0.0, 0.0, 8
	for seed := range all {
		r := must.Get(tobac.Fit(context.Background(), table,
			tobac.Config{Model: sem.BGe{}, Engine: &sums.Exact{}, Seed: uint64(seed)}))(t)
		e := r.Empirical()
		mean := e.ExpectedEdges()
		variance := e.Expectation(func(g *dag.Graph) int { return g.Size() * g.Size() }) - mean*mean
		edges += (mean - mat.Sum(r.Probabilities)) / float64(all)
		sd += variance / e.EffectiveSampleSize() / float64(all*all)
	}
	if sd = math.Sqrt(sd); math.Abs(edges) > 4*sd {
		t.Errorf("draws have %.3f more edges than the listed probabilities, standard error %.3f",
			edges, sd)
	}
}

// A posterior whose draws are worth little has others, with equal
// weights: the sparse graphs of many variables have very different numbers of orders.
func TestMoreDraws(t *testing.T) {
	table := chainTable(14, 60, 5)
	r, err := tobac.Fit(context.Background(), table, tobac.Config{Model: sem.BGe{AlphaLambda: 16},
		Engine: &sums.Exact{}, Prior: background.Prior{EdgesPerNode: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// A thousand draws of order and graph are worth about thirty.
	worth := r.Empirical().EffectiveSampleSize()
	if worth < 990 || worth != float64(len(r.Draws)) {
		t.Errorf("%d draws are worth %.0f", len(r.Draws), worth)
	}
	p := r.Frequencies().Probabilities
	for i := range 14 {
		for j := range 14 {
			want := r.Probabilities.At(i, j)
			// The draws of chains depend on each other: five sigmas of a quarter of them.
			if math.Abs(p.At(i, j)-want) > 5*math.Sqrt(want*(1-want)/(worth/4))+1e-3 {
				t.Errorf("edge %d to %d has the frequency %.3f, listed %.3f", i, j, p.At(i, j),
					want)
			}
		}
	}
}
