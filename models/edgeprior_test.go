package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

type relabeller interface {
	Relabel(order []int) models.GraphPrior
}

func newEdgePrior(t *testing.T, d int, p ...float64) models.ModularPrior {
	t.Helper()
	prior := must.Get(models.NewEdgePrior(mat.NewDense(d, d, p)))(t)
	return prior
}

// TestEdgePrior compares values with the sum over pairs and gradients with the
// log odds and with differences, at edge probabilities and hard graphs.
func TestEdgePrior(t *testing.T) {
	const d = 5
	rng := newRand(111)
	p := uniforms(rng, d*d)
	prior := newEdgePrior(t, d, p...)
	for _, tg := range graphs(rng, d) {
		b := autograd.NewBuilder("prior")
		g := b.Input("g", autograd.Shape{d, d})
		y := prior.LogProb(g)
		out := evaluate(t, []*autograd.Node{g}, [][]float64{tg.g}, y, b.Grad(y, g)[0])
		value, slope := 0.0, make([]float64, d*d)
		for e, q := range p {
			if e/d != e%d {
				value += tg.g[e]*math.Log(q) + (1-tg.g[e])*math.Log(1-q)
				slope[e] = math.Log(q) - math.Log(1-q)
			}
		}
		check(t, tg.kind+": value", out[0], []float64{value}, 1e-14)
		check(t, tg.kind+": gradient", out[1], slope, 1e-14)
		if err := gradtest.CheckGraph(y, []gradtest.Argument{{Node: g, Values: tg.g}},
			gradtest.Options{}); err != nil {
			t.Errorf("%s: %v", tg.kind, err)
		}
	}
}

// TestEdgePriorLaws: over the graphs of one order it sums to one, however
// different its probabilities; with equal ones it is the Erdős–Rényi prior.
func TestEdgePriorLaws(t *testing.T) {
	const d = 4
	rng := newRand(112)
	different, equal := make([]float64, d*d), make([]float64, d*d)
	for _, e := range autograd.StrictUpper(d) {
		different[e], equal[e] = rng.Float64(), 0.2
	}
	b := autograd.NewBuilder("prior")
	graph := b.Axis("graph", 1<<6)
	g := b.Input("g", autograd.Shape{d, d}, graph)
	total := newEdgePrior(t, d, different...).LogProb(g).LogSumExpOver(graph)
	gap := newEdgePrior(t, d, equal...).LogProb(g).Sub(
		models.ErdosRenyi(0.2).LogProb(g)).Abs().SumOver(graph)
	out := evaluate(t, []*autograd.Node{g}, [][]float64{allGraphs(d)}, total, gap)
	check(t, "log of the sum", out[0], []float64{0}, 1e-13)
	check(t, "difference from Erdős–Rényi", out[1], []float64{0}, 1e-12)
}

// TestEdgePriorRelabel: relabelling prior and graph together changes nothing.
func TestEdgePriorRelabel(t *testing.T) {
	const d = 4
	rng := newRand(113)
	prior, order := newEdgePrior(t, d, uniforms(rng, d*d)...), []int{2, 0, 3, 1}
	original := uniforms(rng, d*d)
	relabelled := make([]float64, d*d)
	for a, i := range order {
		for b, j := range order {
			relabelled[a*d+b] = original[i*d+j]
		}
	}
	value := func(prior models.GraphPrior, at []float64) []float64 {
		g := autograd.NewBuilder("prior").Input("g", autograd.Shape{d, d})
		return evaluate(t, []*autograd.Node{g}, [][]float64{at}, prior.LogProb(g))[0]
	}
	check(t, "log prior", value(prior.(relabeller).Relabel(order), relabelled),
		value(prior, original), 1e-14)
	checkPanic(t, "models: order of 2 variables for an edge prior of 4", func() {
		prior.(relabeller).Relabel([]int{0, 1})
	})
}

func TestEdgePriorErrors(t *testing.T) {
	for _, tt := range []struct {
		p    *mat.Dense
		want string
	}{
		{mat.NewDense(2, 3, nil), "models: edge prior: got a 2×3 matrix, want a square one"},
		{&mat.Dense{}, "models: edge prior: got a 0×0 matrix, want a square one"},
		{mat.NewDense(2, 2, []float64{0, 1.1, 0, 0}),
			"models: edge prior: probability of the edge 0 → 1 is 1.1, want a number from 0 to 1"},
		{mat.NewDense(2, 2, []float64{0, 0, -0.1, 0}), "models: edge prior: probability of the " +
			"edge 1 → 0 is -0.1, want a number from 0 to 1"},
		{mat.NewDense(2, 2, []float64{0, math.NaN(), 0, 0}),
			"models: edge prior: probability of the edge 0 → 1 is NaN, want a number from 0 to 1"},
	} {
		_, err := models.NewEdgePrior(tt.p)
		checkError(t, "NewEdgePrior", err, tt.want)
	}
	newEdgePrior(t, 2, math.NaN(), 0.5, 0.5, -7) // the diagonal is not looked at

	lik := testedLikelihoods(t, 114, 4, 3)["BGe"]
	for _, tt := range []struct {
		name      string
		prior     models.ModularPrior
		embedding models.Embedding
		want      string
	}{
		{"size", newEdgePrior(t, 2, 0, 0.5, 0, 0), models.OrderedPairs,
			"models: TOBAC: the graph prior is for 2 variables, want 3"},
		{"against the order", newEdgePrior(t, 3, 0, .5, .5, 0, 0, .5, 1, 0, 0), models.OrderedPairs,
			"models: TOBAC: the graph prior makes the edge 2 → 0 certain, against the order"},
		{"certain cycle", newEdgePrior(t, 3, 0, 1, .5, .5, 0, 1, 1, .5, 0), models.AllPairs,
			"models: TOBAC: the edges that the graph prior makes certain: graph has a cycle: 0 " +
				"-> 1 -> 2 -> 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewTOBAC(lik, models.TOBACConfig{Particles: 1, Samples: 1,
				Prior: tt.prior, Embedding: tt.embedding})
			checkError(t, "NewTOBAC", err, tt.want)
		})
	}
}

// TestFixedEdges asserts that probabilities of 0 and 1 hold exactly, everywhere
// and at every step: in edge probabilities, samples and the limit, with and
// without an order, while the other edges are sampled as before; and that the
// score stays finite.
func TestFixedEdges(t *testing.T) {
	const d = 4
	prior := newEdgePrior(t, d,
		0, 1, 0, .5,
		.5, 0, .5, .5,
		.5, .5, 0, 1,
		0, .5, .5, 0)
	want := map[int]float64{1: 1, 2: 0, 11: 1} // cells of the upper triangle
	for _, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
		if embedding == models.AllPairs {
			want[12] = 0
		}
		for _, gradient := range []models.Gradient{models.Reparameterised, models.ScoreFunction} {
			t.Run(fmt.Sprintf("embedding=%d/%v", embedding, gradient), func(t *testing.T) {
				target := newTOBAC(t, testedLikelihoods(t, 115, 6, d)["linear"], models.TOBACConfig{
					Particles: 20, Samples: 10, AlphaRate: 0.5, Prior: prior, Embedding: embedding,
					Gradient: gradient,
				})
				x := target.Init()
				seen := map[int]int{} // limit graphs with the edge
				for _, step := range []int{0, 2, 50} {
					score(t, target, x, step)
					s := must.Get(target.Samples([][]float64{x[0].RawMatrix().Data,
						x[1].RawMatrix().Data}, step))(t)
					for cell, v := range want {
						for k := cell; k < len(s.Graphs); k += d * d {
							if s.Graphs[k] != v {
								t.Fatalf("step %d: entry %d of a sample is %v, want %v", step, cell,
									s.Graphs[k], v)
							}
						}
						for k := cell; k < len(s.EdgeProbs); k += d * d {
							if s.EdgeProbs[k] != v {
								t.Fatalf("step %d: probability of entry %d is %v, want %v", step,
									cell, s.EdgeProbs[k], v)
							}
						}
					}
				}
				for m := range 20 {
					for _, e := range target.HardGraph(x[0].RawRowView(m)).Edges() {
						seen[e.From*d+e.To]++
					}
				}
				for cell := range d * d {
					i, j := cell/d, cell%d
					v, fixed := want[cell]
					switch possible := i < j || embedding == models.AllPairs && i != j; {
					case fixed && seen[cell] != 20*int(v), !possible && seen[cell] != 0:
						t.Errorf("%d of 20 limit graphs have the edge %d → %d", seen[cell], i, j)
					case possible && !fixed && (seen[cell] == 0 || seen[cell] == 20):
						t.Errorf("%d of 20 limit graphs have the edge %d → %d, which is open",
							seen[cell], i, j)
					}
				}
			})
		}
	}
}
