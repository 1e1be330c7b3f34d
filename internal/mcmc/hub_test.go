package mcmc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// A variable with many more parents than candidates keeps them all, also where each of them is
// worth thousands of nats.
func TestHub(t *testing.T) {
	const d, n = 30, 300
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	for r := range n {
		row := x.RawRowView(r)
		for i := range d - 1 {
			row[i] = rng.NormFloat64()
			row[d-1] += 20 * row[i]
		}
		row[d-1] += rng.NormFloat64()
	}
	s := must.Get(score.NewLinear(x, nil,
		score.LinearOptions{NoiseVariance: 1, EdgeVariance: 100}))(t)
	opt := mcmc.Options{Candidates: 5, Chains: 2, WarmUp: 10, Seed: 1}
	sampler, err := mcmc.New(context.Background(), s, score.Fair(d), opt)
	if err == nil {
		err = sampler.Advance(context.Background(), 30)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := must.Get(sampler.Result())(t)
	for i := range d - 1 {
		if p := r.Edges.At(i, d-1); !(p > 0.999) {
			t.Errorf("parent %d of %d has the probability %v, want 1", i, d-1, p)
		}
	}
	for _, draw := range r.Draws {
		if got := len(draw.Graph.Parents(d - 1)); got != d-1 {
			t.Fatalf("a draw has %d parents of %d, want all", got, d-1)
		}
	}
}

// Of a score that tells no directions by itself, chains with few candidates have the edge
// probabilities of the sum over all graphs: likely parents can be turned around.
func TestFewCandidatesAgainstSums(t *testing.T) {
	const d = 9
	ctx := context.Background()
	g := dag.New(d)
	for j := range d {
		for i := range j {
			g.Set(i, j, (7*i+13*j)%100 < 30)
		}
	}
	data := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 150, Seed: 1}))(t)
	s := must.Get(score.NewBGe(data.Train.X, nil, score.BGeOptions{}))(t)
	prior := must.Get(score.ErdosRenyi(d, 0.3))(t)
	p := must.Get(exact.New(ctx, s, prior, exact.Options{Workers: 2}))(t)
	orders := must.Get(p.Orders(ctx))(t)
	graphs := must.Get(orders.Graphs(ctx))(t)
	want := graphs.Edges()
	r := run(t, s, prior, mcmc.Options{Candidates: 3, WarmUp: 300, Seed: 1}, 3000)
	for i := range d {
		for j := range d {
			if got, want := r.Edges.At(i, j), want.At(i, j); !(math.Abs(got-want) <= 0.06) {
				t.Errorf("%d → %d: probability %.3f, want %.3f", i, j, got, want)
			}
		}
	}
}
