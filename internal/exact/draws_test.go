package exact_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/anneal"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// frequencies are the weighted frequencies of edges, and of i before j.
func frequencies(draws []exact.Draw, d int) (edges, before *mat.Dense) {
	edges, before = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	sum := 0.0
	for _, draw := range draws {
		w := math.Exp(draw.LogWeight)
		sum += w
		for _, e := range draw.Graph.Edges() {
			edges.Set(e.From, e.To, edges.At(e.From, e.To)+w)
		}
		for c, i := range draw.Order {
			for _, j := range draw.Order[c+1:] {
				before.Set(i, j, before.At(i, j)+w)
			}
		}
	}
	edges.Scale(1/sum, edges)
	before.Scale(1/sum, before)
	return edges, before
}

func logWeights(draws []exact.Draw) []float64 {
	logs := make([]float64, len(draws))
	for k, d := range draws {
		logs[k] = d.LogWeight
	}
	return logs
}

// along reports whether every edge points forwards in the order.
func along(g *dag.Graph, order []int) bool {
	for c, i := range order {
		for _, j := range order[:c+1] {
			if g.Has(i, j) {
				return false
			}
		}
	}
	return true
}

// Frequencies among draws are the marginals, weighted ones those of the posterior
// over graphs. 20,000 draws: .018 is five standard deviations of a frequency of one
// half; weighted ones have as many as their effective sample size says.
func TestDraws(t *testing.T) {
	const n = 20000
	for _, d := range []int{1, 2, largest()} {
		for name, prior := range priors(t, d) {
			t.Run(fmt.Sprintf("d=%d/%s", d, name), func(t *testing.T) {
				s := randomTable(d, -700, 1.5, uint64(d))
				if d > 2 {
					s[2][0b01011] += 2000 // more than one level of sums
				}
				_, o := posterior(t, s, prior, exact.Options{})
				draws := must.Get(o.Draws(context.Background(), n, 7))(t)
				weighted, _ := frequencies(draws, d)
				effective := anneal.EffectiveSize(logWeights(draws))
				want := enumerate(s, prior, false)
				near(t, "weighted frequency of the edge", weighted, want.edges,
					2.5/math.Sqrt(effective))
				for k, draw := range draws {
					if !along(draw.Graph, draw.Order) {
						t.Fatalf("draw %d: %v is not along %v", k, draw.Graph.Edges(), draw.Order)
					}
					draws[k].LogWeight = 0
				}
				edges, before := frequencies(draws, d)
				near(t, "frequency of the edge", edges, o.Edges(), 2.5/math.Sqrt(float64(n)))
				near(t, "frequency of the precedence", before, o.Precedence(),
					2.5/math.Sqrt(float64(n)))
			})
		}
	}
}

// Draw k is the same whatever the number of draws and of workers.
func TestDrawsDeterministic(t *testing.T) {
	s, prior := randomTable(6, 0, 2, 1), score.Fair(6)
	_, one := posterior(t, s, prior, exact.Options{Workers: 1})
	_, many := posterior(t, s, prior, exact.Options{Workers: 5})
	a := must.Get(one.Draws(context.Background(), 300, 5))(t)
	b := must.Get(many.Draws(context.Background(), 100, 5))(t)
	c := must.Get(many.Draws(context.Background(), 100, 6))(t)
	if !reflect.DeepEqual(a[:100], b) {
		t.Error("the first 100 of 300 draws of one worker differ from the 100 of five")
	}
	if reflect.DeepEqual(b, c) {
		t.Error("another seed gave the same draws")
	}
}

// Linear extensions of all graphs with up to five vertices are those counted one by
// one, and of larger ones those of closed formulas.
func TestLogExtensions(t *testing.T) {
	for d := 1; d <= 5; d++ {
		for _, g := range allGraphs[d]() {
			if got, want := math.Exp(exact.LogExtensions(g.graph())),
				g.extensions(1<<d-1); !(math.Abs(got-want) <= 1e-10) {
				t.Errorf("%v has %v linear extensions, want %v", g, got, want)
			}
		}
	}
	lnFactorial := func(n int) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
	empty, star, chain := dag.New(20), dag.New(20), dag.New(20)
	for j := 1; j < 20; j++ {
		star.Set(0, j, true)
		chain.Set(j, j-1, true)
	}
	// A complete bipartite graph with 10 sources and 10 sinks.
	layers := dag.New(20)
	for i := range 10 {
		for j := range 10 {
			layers.Set(i, 10+j, true)
		}
	}
	tests := []struct {
		name string
		g    *dag.Graph
		want float64
	}{{"empty", empty, lnFactorial(20)}, {"star", star, lnFactorial(19)}, {"chain", chain, 0},
		{"layers", layers, 2 * lnFactorial(10)}}
	for _, test := range tests {
		nearNumber(t, test.name, exact.LogExtensions(test.g), test.want, 1e-12*(1+test.want))
	}
}
