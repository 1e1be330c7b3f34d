package estimated

import (
	"context"
	"math"
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/mat"
)

// Chains under a table have the edge probabilities and the sets of parents of sums over all graphs.
func TestChainsUnderATable(t *testing.T) {
	const d = 6
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: 1, Seed: 2}))(t)
	sim := must.Get(dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 50, Seed: 2}))(t)
	ctx, p := context.Background(), engine.Problem{Workers: 2}
	prior := must.Get(tablePrior(&p, d))(t)
	gaussian := must.Get(nodescore.NewGP(sim.Train.X, nil, nodescore.GPOptions{}))(t)
	table := must.Get(newNetworkTable(ctx, gaussian.Integrated(), prior,
		mcmc.Options{Seed: 1, Workers: 2}))(t)
	got := must.Get(table.sampleUnder(ctx, table.pool))(t)
	graphs := must.Get(table.graphs.(summedTable).orders.Graphs(ctx))(t)
	var off mat.Dense
	off.Sub(got.edges(), graphs.Edges())
	off.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &off)
	if v := mat.Max(&off); v > 0.05 {
		t.Errorf("edge probabilities of chains differ by up to %.3f from\n%.2f\n, they are\n%.2f",
			v, mat.Formatted(graphs.Edges()), mat.Formatted(got.edges()))
	}
	for j := range d {
		sum := make([]float64, d)
		total := 0.0
		for _, w := range got.probable(j, 0) {
			total += w.probability
			for _, i := range w.Set {
				sum[i] += w.probability
			}
		}
		for i, v := range sum {
			if want := graphs.Edges().At(i, j); math.Abs(v-want) > 0.06 {
				t.Errorf("sets of parents of %d have %d with a probability of %.3f, want %.3f", j,
					i, v, want)
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Errorf("probabilities of the sets of parents of %d sum to %v", j, total)
		}
		for _, w := range got.probable(j, 0.2) {
			if w.probability < 0.2 || w.Of != j {
				t.Errorf("set %v of %d with a probability of %v, want at least 0.2 of %d", w.Set,
					w.Of, w.probability, j)
			}
		}
	}
	best := must.Get(got.best(ctx))(t)
	want := must.Get(table.graphs.best(ctx))(t)
	logP := func(g interface{ Parents(int) []int }) (sum float64) {
		for j := range d {
			sum += table.pool.LogScore(j, g.Parents(j)) + prior.LogPrior(j, g.Parents(j))
		}
		return sum
	}
	if a, b := logP(best), logP(want); a < b-1e-9 {
		t.Errorf("the best graph of the chains has log density %v, the best of all %v", a, b)
	}
}
