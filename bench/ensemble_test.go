package bench_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/bench"
	"tobac/dag"
)

func TestMixtureIgnoresCommonFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logp := rapid.SliceOfN(rapid.Float64Range(-1e5, 1e5), 1, 9).Draw(t, "log densities")
		graphs := make([]*dag.Graph, len(logp))
		for m := range graphs {
			graphs[m] = dag.New(2)
		}
		plain, err := bench.Mixture(graphs, logp)
		if err != nil {
			t.Fatal(err)
		}
		w := plain.Weights()
		if math.Abs(floats.Sum(w)-1) > 1e-12 || math.Abs(floats.LogSumExp(plain.LogWeights)) > 1e-12 {
			t.Fatalf("weights %v sum to %g", w, floats.Sum(w))
		}
		shifted := append([]float64(nil), logp...)
		floats.AddConst(-12345, shifted)
		moved, err := bench.Mixture(graphs, shifted)
		if err != nil {
			t.Fatal(err)
		}
		for m := range w {
			if !near(moved.Weights()[m], w[m], 1e-9) {
				t.Fatalf("weight %d is %g after a shift, was %g", m, moved.Weights()[m], w[m])
			}
			if want := logp[m] - logp[0]; !near(plain.LogWeights[m]-plain.LogWeights[0], want, 1e-10) { // log weights reach 2e5
				t.Fatalf("log weights differ by %g, want %g", plain.LogWeights[m]-plain.LogWeights[0], want)
			}
		}
		if ess := plain.EffectiveSampleSize(); ess < 1-1e-12 || ess > float64(len(w))*(1+1e-12) {
			t.Fatalf("effective sample size %g of %d", ess, len(w))
		}
	})
}

// Two particles with weights 1/4 and 3/4 stand for four with equal weights.
func TestWeightsStandForCopies(t *testing.T) {
	a, b := graph(t, 3, [2]int{0, 1}), graph(t, 3, [2]int{2, 1}, [2]int{0, 2})
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	weighted, err := bench.Mixture([]*dag.Graph{a, b}, []float64{0, math.Log(3)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := bench.Evaluate(weighted, truth, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := bench.Evaluate(bench.Empirical([]*dag.Graph{a, b, b, b}), truth, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !near(float64(got.EffectiveSampleSize), 1.6, 1e-12) { // 1/(1/16 + 9/16)
		t.Errorf("effective sample size %g, want 1.6", got.EffectiveSampleSize)
	}
	got.Particles, got.EffectiveSampleSize = want.Particles, want.EffectiveSampleSize
	compareReports(t, got, want, 1e-14)
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
			graphs[m] = randomDAG(5, 0.5, rng)
			count.Add(count, graphs[m].Matrix())
			edges += graphs[m].Size()
		}
		e := bench.Empirical(graphs)
		want := mat.NewDense(5, 5, nil)
		want.Apply(func(_, _ int, v float64) float64 { return v / float64(particles) }, count)
		if got := e.EdgeProbabilities(); !mat.Equal(got, want) {
			t.Errorf("%d particles: probabilities are not count/M", particles)
		}
		if got := e.ExpectedEdges(); got != float64(edges)/float64(particles) {
			t.Errorf("%d particles: %v expected edges, want %d/%d", particles, got, edges, particles)
		}
		if got := e.EffectiveSampleSize(); got != float64(particles) {
			t.Errorf("effective sample size %v of %d", got, particles)
		}
		// The same log density for all is the empirical distribution.
		same, err := bench.Mixture(graphs, slices.Repeat([]float64{-7777.7}, particles))
		if err != nil {
			t.Fatal(err)
		}
		if got := same.EdgeProbabilities(); !mat.Equal(got, want) {
			t.Errorf("%d particles of equal density: probabilities are not count/M", particles)
		}
	}
}

func TestEdgeProbabilitiesAreMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		probability := p.ensemble.EdgeProbabilities()
		want := mat.NewDense(p.truth.Len(), p.truth.Len(), nil)
		for m, w := range p.ensemble.Weights() {
			var term mat.Dense
			term.Scale(w, p.graphs[m].Matrix())
			want.Add(want, &term)
		}
		if !mat.EqualApprox(probability, want, 1e-14) {
			t.Fatalf("got\n%v\nwant\n%v", mat.Formatted(probability), mat.Formatted(want))
		}
		if mat.Max(probability) > 1 || mat.Min(probability) < 0 {
			t.Fatalf("out of [0, 1]:\n%v", mat.Formatted(probability))
		}
		if !near(mat.Sum(probability), p.ensemble.ExpectedEdges(), 1e-12) {
			t.Fatalf("sum %g, expected edges %g", mat.Sum(probability), p.ensemble.ExpectedEdges())
		}
	})
}

// The particles that remain may have weights that are 0 in float64 beside those
// that are dropped.
func TestAcyclicRenormalisesInLogSpace(t *testing.T) {
	cycle := graph(t, 2, [2]int{0, 1}, [2]int{1, 0})
	edge, empty := graph(t, 2, [2]int{0, 1}), dag.New(2)
	e, err := bench.Mixture([]*dag.Graph{cycle, edge, cycle, empty}, []float64{0, -5000, -1, -5000 + math.Log(3)})
	if err != nil {
		t.Fatal(err)
	}
	kept, index := e.Acyclic()
	if !slices.Equal(index, []int{1, 3}) || kept.Graphs[0] != edge || kept.Graphs[1] != empty {
		t.Fatalf("kept %v", index)
	}
	if w := kept.Weights(); !floats.EqualApprox(w, []float64{0.25, 0.75}, 1e-12) {
		t.Errorf("weights %v, want 0.25 and 0.75", w)
	}
	if kept, index := bench.Empirical([]*dag.Graph{cycle}).Acyclic(); kept != nil || index != nil {
		t.Errorf("kept %v of one cyclic graph", index)
	}
}

func TestEnsembleFaults(t *testing.T) {
	two := []*dag.Graph{dag.New(3), dag.New(3)}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := bench.Mixture(two, []float64{0, bad})
		if err == nil || !strings.HasPrefix(err.Error(), "bench: log density of particle 1 is ") {
			t.Errorf("log density %g: error %v", bad, err)
		}
	}
	for name, f := range map[string]func(){
		"no graphs":           func() { bench.Empirical(nil) },
		"vertices differ":     func() { bench.Empirical([]*dag.Graph{dag.New(3), dag.New(4)}) },
		"lengths differ":      func() { _, _ = bench.Mixture(two, []float64{0}) },
		"values differ":       func() { bench.Empirical(two).NegLL([]float64{1}) },
		"graphs of two sizes": func() { bench.SHD(dag.New(2), dag.New(3)) },
		"scores of two sizes": func() { bench.AUROC(mat.NewDense(2, 2, nil), dag.New(3), bench.OffDiagonal) },
		"score NaN":           func() { bench.AUROC(matrix([]float64{0, math.NaN()}, []float64{0, 0}), dag.New(2), 0) },
		"convention":          func() { bench.AUROC(mat.NewDense(2, 2, nil), dag.New(2), 2) },
		"order of two sizes":  func() { bench.ViolatedEdges([]int{0}, dag.New(2)) },
		"truth of two sizes":  func() { _, _ = bench.Evaluate(bench.Empirical(two), dag.New(2), nil) },
		"held-out lengths": func() {
			_, _ = bench.Evaluate(bench.Empirical(two), nil, &bench.HeldOut{Particles: make([]bench.LogDensity, 3)})
		},
		"log weights": func() { _, _ = bench.Evaluate(&bench.Ensemble{Graphs: two}, nil, nil) },
	} {
		if message, ok := panics(f).(string); !ok || !strings.HasPrefix(message, "bench: ") {
			t.Errorf("%s: panic %q, want one that starts with bench:", name, message)
		}
	}
}
