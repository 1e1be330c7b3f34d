package posterior_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/posterior"
)

// Components taken out one by one and mixed again are the whole: draws, weights,
// probabilities, means and standard deviations of weights. The tolerance allows
// for sums of at most 12 terms in another sequence.
func TestMixUndoesUnder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		var parts []*posterior.Posterior
		var logw []float64
		for k, c := range p.Components {
			parts, logw = append(parts, p.Under(k)), append(logw, c.LogWeight+3)
		}
		q := posterior.Mix(parts, logw)
		if !slices.Equal(q.Empirical().Graphs, p.Empirical().Graphs) ||
			!floats.EqualApprox(q.Empirical().LogWeights, p.Empirical().LogWeights, 1e-12) {
			t.Fatal("other graphs or weights")
		}
		if !nearMatrix(q.Probabilities, p.Probabilities, 1e-12) ||
			!nearMatrix(q.WeightMean, p.WeightMean, 1e-11) ||
			!nearMatrix(q.WeightSD, p.WeightSD, 1e-7) {
			t.Fatalf("marginals %v, want %v", q.Marginals, p.Marginals)
		}
		if !nearMatrix(q.Precedes(), p.Precedes(), 1e-12) {
			t.Fatal("other precedence")
		}
		for k := range p.Components {
			if !nearMatrix(q.Under(k).Probabilities, p.Under(k).Probabilities, 1e-12) {
				t.Fatalf("other probabilities under component %d", k)
			}
		}
	})
}

// The edges of an order are certain to point along it: p(i→j) > 0 only if i may
// precede j.
func TestPrecedesBoundsProbabilities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		precedes := p.Precedes()
		for i := range p.Names {
			for j := range p.Names {
				if p.Probabilities.At(i, j) > precedes.At(i, j)+1e-12 {
					t.Fatalf("p(%d→%d) = %v, but %d precedes with %v", i, j,
						p.Probabilities.At(i, j), i, precedes.At(i, j))
				}
				if i != j && !near(precedes.At(i, j)+precedes.At(j, i), 1, 1e-12) {
					t.Fatalf("%d and %d: one precedes the other with %v", i, j,
						precedes.At(i, j)+precedes.At(j, i))
				}
			}
		}
	})
}

// Frequencies agree with the definition: sums over weights, and the moments of
// the weights of draws that have the edge.
func TestFrequenciesAreMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		w := p.Empirical().Weights()
		for i := range p.Names {
			for j := range p.Names {
				sum, mean, square := 0.0, 0.0, 0.0
				for m, draw := range p.Draws {
					if draw.Graph.Has(i, j) && draw.Equations != nil {
						v := draw.Equations.Weights.At(i, j)
						mean, square = mean+w[m]*v, square+w[m]*v*v
					}
					if draw.Graph.Has(i, j) {
						sum += w[m]
					}
				}
				if !near(p.Probabilities.At(i, j), sum, 1e-12) {
					t.Fatalf("p(%d→%d) = %v, want %v", i, j, p.Probabilities.At(i, j), sum)
				}
				if p.WeightMean == nil {
					continue
				}
				wantMean, wantSD := math.NaN(), math.NaN()
				if sum > 0 {
					wantMean = mean / sum
					if p.Kind == posterior.Draws {
						wantSD = math.Sqrt(max(0, square/sum-wantMean*wantMean))
					}
				}
				// Squares lose half of the digits near 0.
				if !near(p.WeightMean.At(i, j), wantMean, 1e-11) ||
					!near(p.WeightSD.At(i, j), wantSD, 1e-6) {
					t.Fatalf("weight of %d→%d is %v ± %v, want %v ± %v", i, j,
						p.WeightMean.At(i, j), p.WeightSD.At(i, j), wantMean, wantSD)
				}
			}
		}
	})
}

// Particles that know the spread of their weights given the graph: the law of
// total variance. Two particles alike with N(1, 0.3²) and N(2, 0.4²).
func TestSpreadOfParticles(t *testing.T) {
	g := graph(t, 2, [2]int{0, 1})
	draw := func(mean, sd float64) posterior.Draw {
		e := &posterior.Equations{Weights: mat.NewDense(2, 2, []float64{0, mean, 0, 0}),
			NoiseVariances: []float64{1, 1}}
		if sd > 0 {
			e.WeightSD = mat.NewDense(2, 2, []float64{0, sd, 0, 0})
		}
		return posterior.Draw{Graph: g, Equations: e}
	}
	for _, row := range []struct {
		name string
		sd   [2]float64
		kind posterior.Kind
		want float64
	}{
		{"particles that know it", [2]float64{0.3, 0.4}, posterior.Particles,
			math.Sqrt(0.25 + (0.09+0.16)/2)},
		{"particles that do not", [2]float64{}, posterior.Particles, math.NaN()},
		{"one of them does not", [2]float64{0.3, 0}, posterior.Particles, math.NaN()},
		{"draws", [2]float64{}, posterior.Draws, 0.5},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &posterior.Posterior{Names: []string{"x", "y"}, Kind: row.kind,
				Draws: []posterior.Draw{draw(1, row.sd[0]), draw(2, row.sd[1])}}
			m := p.Frequencies()
			if m.WeightMean.At(0, 1) != 1.5 || !near(m.WeightSD.At(0, 1), row.want, 1e-15) {
				t.Errorf("got %v ± %v, want 1.5 ± %v", m.WeightMean.At(0, 1), m.WeightSD.At(0, 1),
					row.want)
			}
			if !math.IsNaN(m.WeightMean.At(1, 0)) || !math.IsNaN(m.WeightSD.At(1, 0)) {
				t.Errorf("an edge that is never there has the weight %v ± %v, want NaN",
					m.WeightMean.At(1, 0), m.WeightSD.At(1, 0))
			}
		})
	}
}

// Draws with a cycle count nowhere but in Cyclic.
func TestCyclicDraws(t *testing.T) {
	cycle := graph(t, 2, [2]int{0, 1}, [2]int{1, 0})
	p := &posterior.Posterior{Names: []string{"x", "y"}, Draws: []posterior.Draw{{Graph: cycle},
		{Graph: graph(t, 2, [2]int{0, 1})}, {Graph: dag.New(2)}, {Graph: cycle}}}
	p.Marginals = p.Frequencies()
	if p.Cyclic() != 2 || p.Probabilities.At(0, 1) != 0.5 || p.Probabilities.At(1, 0) != 0 {
		t.Errorf("%d cyclic, probabilities %v", p.Cyclic(), p.Probabilities)
	}
	p.Draws = p.Draws[:1]
	if m := p.Frequencies(); mat.Norm(m.Probabilities, 1) != 0 || len(m.Edges()) != 0 {
		t.Errorf("probabilities %v of nothing but cycles", m.Probabilities)
	}
}

// The consensus graph is acyclic, holds every edge above one half that closes no
// cycle, and with its undirected pairs covers all pairs joined above one half.
func TestConsensusLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		d := rapid.IntRange(2, 6).Draw(t, "d")
		m := posterior.Marginals{Probabilities: mat.NewDense(d, d, nil)}
		for i := range d {
			for j := range i {
				a, b := float64(rng.IntN(11))/10, rng.Float64()
				m.Probabilities.Set(i, j, a*b)
				m.Probabilities.Set(j, i, a*(1-b))
			}
		}
		g, w := m.Consensus()
		if !g.Acyclic() || w != nil {
			t.Fatal("consensus has a cycle, or weights")
		}
		covered := dag.New(d)
		for _, e := range append(m.Undirected(), rows(m, g)...) {
			if covered.Has(e.Source, e.Target) || covered.Has(e.Target, e.Source) {
				t.Fatalf("%d and %d are joined twice", e.Source, e.Target)
			}
			covered.Set(e.Source, e.Target, true)
		}
		for _, e := range m.EdgesFrom(0) {
			if joined := covered.Has(e.Source, e.Target) ||
				covered.Has(e.Target, e.Source); joined != (e.Adjacent > 0.5) {
				t.Fatalf("%d and %d are joined with %v, covered %v", e.Source, e.Target, e.Adjacent,
					joined)
			}
			if e.Probability > 0.5 && !g.Has(e.Source, e.Target) {
				h := g.Clone()
				h.Set(e.Source, e.Target, true)
				if h.Acyclic() {
					t.Fatalf("%d→%d with %v is missing", e.Source, e.Target, e.Probability)
				}
			}
		}
	})
}

// rows are the rows of the table for the edges of a graph.
func rows(m posterior.Marginals, g *dag.Graph) (list []posterior.Edge) {
	for _, e := range m.EdgesFrom(0) {
		if g.Has(e.Source, e.Target) {
			list = append(list, e)
		}
	}
	return list
}

func TestEdgeTable(t *testing.T) {
	m := posterior.Marginals{
		Probabilities: mat.NewDense(3, 3, []float64{0, 0.5, 0.004, 0.5, 0, 0.9, 0.005, 0.3, 0}),
		WeightMean:    mat.NewDense(3, 3, []float64{0, 2, 1, -2, 0, 1, 1, 4, 0}),
	}
	want := [][2]int{{1, 2}, {0, 1}, {1, 0}, {2, 1}, {2, 0}}
	edges := m.Edges()
	for k, e := range edges {
		if k >= len(want) || [2]int{e.Source, e.Target} != want[k] {
			t.Fatalf("edges %v, want %v", edges, want)
		}
	}
	if len(edges) != len(want) || len(m.EdgesFrom(0)) != 6 {
		t.Errorf("%d edges from the floor on and %d in all, want 5 and 6", len(edges),
			len(m.EdgesFrom(0)))
	}
	if first := edges[0]; first.Adjacent != 1 || first.WeightMean != 1 ||
		!math.IsNaN(first.WeightSD) {
		t.Errorf("first edge %+v, want adjacent with 1 (0.9 + 0.3) and weight 1", first)
	}
	if u := m.Undirected(); len(u) != 1 || u[0].Source != 0 || u[0].Target != 1 ||
		u[0].Adjacent != 1 {
		t.Errorf("undirected %+v, want 0 and 1", u)
	}
}

func TestPosteriorFaults(t *testing.T) {
	one := &posterior.Posterior{Names: []string{"x", "y"},
		Draws: []posterior.Draw{{Graph: dag.New(2)}}}
	one.Marginals = one.Frequencies()
	other := *one
	other.Names = []string{"x", "z"}
	scaled := *one
	scaled.Standardization = &posterior.Standardization{Mean: []float64{0, 0}, SD: []float64{1, 1}}
	for name, f := range map[string]func(){
		"no parts": func() { posterior.Mix(nil, nil) },
		"weights": func() {
			posterior.Mix([]*posterior.Posterior{one}, []float64{0, 0})
		},
		"NaN weight": func() {
			posterior.Mix([]*posterior.Posterior{one}, []float64{math.NaN()})
		},
		"names": func() {
			posterior.Mix([]*posterior.Posterior{one, &other}, []float64{0, 0})
		},
		"scales": func() {
			posterior.Mix([]*posterior.Posterior{one, &scaled}, []float64{0, 0})
		},
		"no component":    func() { one.Under(1) },
		"no graphs":       func() { posterior.Uniform(nil) },
		"vertices differ": func() { posterior.Uniform([]*dag.Graph{dag.New(3), dag.New(4)}) },
		"no draws":        func() { (&posterior.Posterior{}).Empirical() },
		"columns":         func() { scaled.Standardization.Apply(mat.NewDense(1, 3, nil)) },
		"components of fewer": func() {
			q := *one
			q.Components = []posterior.Component{{Draws: 2}}
			q.Empirical()
		},
	} {
		if message, ok := panics(f).(string); !ok || !strings.HasPrefix(message, "posterior: ") {
			t.Errorf("%s: panic %q, want one that starts with posterior:", name, message)
		}
	}
}
