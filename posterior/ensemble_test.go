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
	"tobac/internal/must"
	"tobac/posterior"
)

func TestWeightedIgnoresCommonFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logp := rapid.SliceOfN(rapid.Float64Range(-1e5, 1e5), 1, 9).Draw(t, "log densities")
		graphs := make([]*dag.Graph, len(logp))
		for m := range graphs {
			graphs[m] = dag.New(2)
		}
		plain := must.Get(posterior.Weighted(graphs, logp))(t)
		w := plain.Weights()
		if !(math.Abs(floats.Sum(w)-1) <= 1e-12) ||
			!(math.Abs(floats.LogSumExp(plain.LogWeights)) <= 1e-12) {
			t.Fatalf("weights %v sum to %g", w, floats.Sum(w))
		}
		shifted := append([]float64(nil), logp...)
		floats.AddConst(-12345, shifted)
		moved := must.Get(posterior.Weighted(graphs, shifted))(t)
		for m := range w {
			if !near(moved.Weights()[m], w[m], 1e-9) {
				t.Fatalf("weight %d is %g after a shift, was %g", m, moved.Weights()[m], w[m])
			}
			// log weights reach 2e5
			if want := logp[m] - logp[0]; !near(plain.LogWeights[m]-plain.LogWeights[0], want,
				1e-10) {
				t.Fatalf("log weights differ by %g, want %g",
					plain.LogWeights[m]-plain.LogWeights[0], want)
			}
		}
		if ess := plain.EffectiveSampleSize(); ess < 1-1e-12 || ess > float64(len(w))*(1+1e-12) {
			t.Fatalf("effective sample size %g of %d", ess, len(w))
		}
	})
}

// Equal weights give exact fractions: 49 of 49 particles is 1, and equal counts
// are equal probabilities whatever particles they come from.
func TestUniformProbabilitiesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, particles := range []int{3, 7, 30, 49, 1000} {
		graphs := make([]*dag.Graph, particles)
		count := mat.NewDense(5, 5, nil)
		edges := 0
		for m := range graphs {
			graphs[m] = randomDAG(rng.Perm(5), 0.5, rng)
			count.Add(count, graphs[m].Matrix())
			edges += graphs[m].Size()
		}
		e := posterior.Uniform(graphs)
		want := mat.NewDense(5, 5, nil)
		want.Apply(func(_, _ int, v float64) float64 { return v / float64(particles) }, count)
		if got := e.EdgeProbabilities(); !mat.Equal(got, want) {
			t.Errorf("%d particles: probabilities are not count/M", particles)
		}
		if got := e.ExpectedEdges(); got != float64(edges)/float64(particles) {
			t.Errorf("%d particles: %v expected edges, want %d/%d", particles, got, edges,
				particles)
		}
		if got := e.EffectiveSampleSize(); got != float64(particles) {
			t.Errorf("effective sample size %v of %d", got, particles)
		}
		// The same log density for all is the empirical distribution.
		same :=
			must.Get(posterior.Weighted(graphs, slices.Repeat([]float64{-7777.7}, particles)))(t)
		if got := same.EdgeProbabilities(); !mat.Equal(got, want) {
			t.Errorf("%d particles of equal density: probabilities are not count/M", particles)
		}
	}
}

func TestEdgeProbabilitiesAreMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		e := p.Empirical()
		probability := e.EdgeProbabilities()
		want := mat.NewDense(len(p.Names), len(p.Names), nil)
		for m, w := range e.Weights() {
			var term mat.Dense
			term.Scale(w, e.Graphs[m].Matrix())
			want.Add(want, &term)
		}
		if !mat.EqualApprox(probability, want, 1e-14) {
			t.Fatalf("got\n%v\nwant\n%v", mat.Formatted(probability), mat.Formatted(want))
		}
		if mat.Max(probability) > 1 || mat.Min(probability) < 0 {
			t.Fatalf("out of [0, 1]:\n%v", mat.Formatted(probability))
		}
		if !near(mat.Sum(probability), e.ExpectedEdges(), 1e-12) {
			t.Fatalf("sum %g, expected edges %g", mat.Sum(probability), e.ExpectedEdges())
		}
	})
}

// The particles that remain may have weights that are 0 in float64 beside those
// that are dropped.
func TestAcyclicRenormalisesInLogSpace(t *testing.T) {
	cycle := graph(t, 2, [2]int{0, 1}, [2]int{1, 0})
	edge, empty := graph(t, 2, [2]int{0, 1}), dag.New(2)
	e := must.Get(posterior.Weighted([]*dag.Graph{cycle, edge, cycle, empty},
		[]float64{0, -5000, -1, -5000 + math.Log(3)}))(t)
	kept, index := e.Acyclic()
	if !slices.Equal(index, []int{1, 3}) || kept.Graphs[0] != edge || kept.Graphs[1] != empty {
		t.Fatalf("kept %v", index)
	}
	if w := kept.Weights(); !floats.EqualApprox(w, []float64{0.25, 0.75}, 1e-12) {
		t.Errorf("weights %v, want 0.25 and 0.75", w)
	}
	if kept, index := posterior.Uniform([]*dag.Graph{cycle}).Acyclic(); kept != nil ||
		index != nil {
		t.Errorf("kept %v of one cyclic graph", index)
	}
}

func TestWeightedFaults(t *testing.T) {
	two := []*dag.Graph{dag.New(3), dag.New(3)}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := posterior.Weighted(two, []float64{0, bad})
		if err == nil || !strings.HasPrefix(err.Error(), "posterior: log density of draw 2 is ") {
			t.Errorf("log density %g: error %v", bad, err)
		}
		p := &posterior.Posterior{Draws: []posterior.Draw{{Graph: two[0]},
			{Graph: two[1], LogPrior: bad}}}
		if _, err := p.ByDensity(); err == nil ||
			!strings.HasPrefix(err.Error(), "posterior: log density of draw 2 is ") {
			t.Errorf("log prior %g: error %v", bad, err)
		}
	}
	if message := panics(func() {
		_, _ = posterior.Weighted(two, []float64{0})
	}); message != "posterior: 1 log densities for 2 graphs" {
		t.Errorf("lengths that differ: %v", message)
	}
}

// Two components, worked by hand: weights 3/4 and 1/4. Alike, the edges have ¾·½
// and ¼·⅔; by density ¾·¾ and ¼·½.
func TestComponentsShareWeights(t *testing.T) {
	forward, backward, none := graph(t, 2, [2]int{0, 1}), graph(t, 2, [2]int{1, 0}), dag.New(2)
	p := &posterior.Posterior{
		Names: []string{"x", "y"},
		Draws: []posterior.Draw{{Graph: forward, LogLikelihood: math.Log(3)}, {Graph: none},
			{Graph: backward}, {Graph: backward}, {Graph: none, LogPrior: math.Log(2)}},
		Components: []posterior.Component{
			{Order: []int{0, 1}, Draws: 2, Weight: 0.75, LogWeight: math.Log(0.75)},
			{Order: []int{1, 0}, Draws: 3, Weight: 0.25, LogWeight: math.Log(0.25)},
		},
	}
	byDensity := must.Get(p.ByDensity())(t)
	for _, row := range []struct {
		name              string
		e                 *posterior.Ensemble
		forward, backward float64
	}{{"alike", p.Empirical(), 3.0 / 8, 1.0 / 6}, {"by density", byDensity, 9.0 / 16, 1.0 / 8}} {
		q := row.e.EdgeProbabilities()
		if !(math.Abs(q.At(0, 1)-row.forward) <= 1e-15) ||
			!(math.Abs(q.At(1, 0)-row.backward) <= 1e-15) {
			t.Errorf("%s: got %v and %v, want %v and %v", row.name, q.At(0, 1), q.At(1, 0),
				row.forward, row.backward)
		}
		if total := floats.Sum(row.e.Weights()); !(math.Abs(total-1) <= 1e-15) {
			t.Errorf("%s: weights sum to %v, want 1", row.name, total)
		}
	}
	if m := p.Frequencies(); !(math.Abs(m.Probabilities.At(0, 1)-3.0/8) <= 1e-15) {
		t.Errorf("frequency %v, want 3/8", m.Probabilities.At(0, 1))
	}
	p.Components = p.Components[:1]
	if message := panics(func() {
		p.Empirical()
	}); message != "posterior: components of 2 draws, there are 5" {
		t.Errorf("components that lack draws: %v", message)
	}
}

// A mixture says of each part where it comes from, once, and keeps the marginals of a part that is
// a single component.
func TestMixtureKeepsWhereItsPartsComeFrom(t *testing.T) {
	read := func(engine, model string) *posterior.Posterior {
		p := must.Get(posterior.Read(strings.NewReader(sample(t)), "sample"))(t)
		p.Engine, p.Model = engine, model
		return p
	}
	a, b, c := read("exact", "bge"), read("", "linear"), read("svgd", "bge")
	m := posterior.Mix([]*posterior.Posterior{a, b, c}, []float64{0, math.Log(2), 0})
	if m.Engine != "exact + svgd" || m.Model != "bge + linear" {
		t.Errorf("engine %q, model %q", m.Engine, m.Model)
	}
	if len(m.Components) != 3 || m.Components[1].Weight != 0.5 {
		t.Fatalf("components %+v", m.Components)
	}
	for k, p := range []*posterior.Posterior{a, b, c} {
		if got := m.Components[k].Marginals; got == nil || got.Probabilities != p.Probabilities {
			t.Errorf("component %d has not the marginals of its part", k)
		}
	}
	for i := range m.Names {
		if w := m.WeightMean.At(i, i); !math.IsNaN(w) {
			t.Errorf("a weight of %s on itself: %v", m.Names[i], w)
		}
	}
	twice := posterior.Mix([]*posterior.Posterior{m, m}, []float64{0, 0})
	if len(twice.Components) != 6 {
		t.Fatalf("%d components of a mixture of mixtures", len(twice.Components))
	}
	for k, component := range twice.Components {
		if component.Marginals != m.Components[k%3].Marginals {
			t.Errorf("component %d of a mixture of mixtures has other marginals than before", k)
		}
	}
}

// Every way of being no permutation is an error, no panic.
func TestOrdersThatAreNone(t *testing.T) {
	for _, order := range [][]int{{0, 2}, {2, 0}, {-1, 0}, {0, 0}, {1}, {0, 1, 2}} {
		p := must.Get(posterior.Read(strings.NewReader(sample(t)), "sample"))(t)
		p.Components[0].Order = order
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "order") {
			t.Errorf("order %v: error %v", order, err)
		}
	}
}
