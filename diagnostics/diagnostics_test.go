package diagnostics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/diagnostics"
	"tobac/posterior"
)

func graph(d int, edges ...dag.Edge) *dag.Graph {
	g, err := dag.FromEdges(d, edges)
	if err != nil {
		panic(err)
	}
	return g
}

func ExampleAbove() {
	c := diagnostics.Above("r_hat", 1.2, 1.1, 1.3, "the chains disagree")
	fmt.Println(c.Name, c.Verdict)
	fmt.Println(diagnostics.Worst([]diagnostics.Check{c, diagnostics.Below("ess", 12, 100, 25, "few samples")}))
	// Output:
	// r_hat doubtful
	// bad
}

// Thresholds belong to the better side; what is not known is doubtful; verdicts survive JSON.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		got  diagnostics.Check
		want diagnostics.Verdict
	}{
		{diagnostics.Above("", 1.1, 1.1, 1.3, ""), diagnostics.OK}, {diagnostics.Above("", math.Inf(1), 1.1, 1.3, ""), diagnostics.Bad},
		{diagnostics.Below("", 100, 100, 25, ""), diagnostics.OK}, {diagnostics.Below("", 99, 100, 25, ""), diagnostics.Doubtful},
		{diagnostics.Below("", math.NaN(), 100, 25, ""), diagnostics.Doubtful}, {diagnostics.Above("", math.NaN(), 1, 2, ""), diagnostics.Doubtful},
	} {
		if c.got.Verdict != c.want {
			t.Errorf("%+v, want %v", c.got, c.want)
		}
	}
	for v := diagnostics.OK; v <= diagnostics.Bad; v++ {
		text, err := json.Marshal(v)
		var back diagnostics.Verdict
		if err != nil || json.Unmarshal(text, &back) != nil || back != v {
			t.Errorf("%v became %s, then %v: %v", v, text, back, err)
		}
	}
	if err := new(diagnostics.Verdict).UnmarshalText([]byte("fine")); err == nil {
		t.Error("an unknown verdict is accepted")
	}
}

// Equivalent graphs are one class; graphs with a cycle are classes of their own.
func TestVariety(t *testing.T) {
	forward, backward := graph(3, dag.Edge{From: 0, To: 1}), graph(3, dag.Edge{From: 1, To: 0})
	cycle := dag.New(3)
	cycle.Set(0, 1, true)
	cycle.Set(1, 0, true)
	if graphs, classes := diagnostics.Variety([]*dag.Graph{forward, backward, forward, cycle}); graphs != 3 || classes != 2 {
		t.Errorf("%d graphs of %d classes, want 3 of 2", graphs, classes)
	}
}

// Independent draws from a product over edges have neither imbalance nor crowding; equal graphs
// have, and graphs that lost an edge.
func TestGraphChecks(t *testing.T) {
	const d, n = 8, 60
	rng := rand.New(rand.NewPCG(1, 2))
	p := mat.NewDense(d, d, nil)
	for i := range d {
		for j := i + 1; j < d; j++ {
			p.Set(i, j, rng.Float64())
		}
	}
	var draws, equal []*dag.Graph
	for range n {
		g := dag.New(d)
		for i := range d {
			for j := i + 1; j < d; j++ {
				g.Set(i, j, rng.Float64() < p.At(i, j))
			}
		}
		draws, equal = append(draws, g), append(equal, draws0(draws, g))
	}
	upper := func(i, j int) bool { return i < j }
	frequencies := func(all []*dag.Graph) mat.Matrix { return posterior.Uniform(all).EdgeProbabilities() }
	// 28 differences of about 0.05 each: their mean has a standard deviation of about 0.007.
	if v := diagnostics.Imbalance(frequencies(draws), p, n, upper); v > 0.02 {
		t.Errorf("imbalance %v of independent draws", v)
	}
	if v := diagnostics.Imbalance(frequencies(equal), p, n, upper); v < 0.2 {
		t.Errorf("imbalance %v of equal graphs", v)
	}
	if a, b := diagnostics.Crowding(draws, p), diagnostics.Crowding(equal, p); a > 0.01 || b < 0.99 {
		t.Errorf("crowding %v of draws, %v of equal graphs", a, b)
	}
	if v := diagnostics.Crowding(draws[:1], p); v != 0 {
		t.Errorf("crowding %v of one graph", v)
	}
}

// draws0 is the first of a list, or g.
func draws0(list []*dag.Graph, g *dag.Graph) *dag.Graph {
	if len(list) == 0 {
		return g
	}
	return list[0]
}

// The difference that independent draws explain is the one that they have, within a tenth.
func TestCompare(t *testing.T) {
	const d, n = 12, 400
	rng := rand.New(rand.NewPCG(3, 4))
	p := mat.NewDense(d, d, nil)
	p.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0
		}
		return 0.1 + 0.8*rng.Float64()
	}, p)
	sample := func() posterior.Marginals {
		m := mat.NewDense(d, d, nil)
		m.Apply(func(i, j int, _ float64) float64 {
			hits := 0
			for range n {
				if rng.Float64() < p.At(i, j) {
					hits++
				}
			}
			return float64(hits) / n
		}, m)
		return posterior.Marginals{Probabilities: m}
	}
	a, b := sample(), sample()
	got := diagnostics.Compare(a, b, [2]*mat.Dense{diagnostics.SamplingErrors(a.Probabilities, n), diagnostics.SamplingErrors(b.Probabilities, n)})
	if !(math.Abs(got.Mean/got.Explained-1) < 0.15) || got.Greatest < got.Mean || got.Greatest != math.Abs(a.Probabilities.At(got.Source, got.Target)-b.Probabilities.At(got.Source, got.Target)) {
		t.Errorf("%+v", got)
	}
	if same := diagnostics.Compare(a, a, [2]*mat.Dense{}); same.Mean != 0 || same.Greatest != 0 || same.Explained != 0 {
		t.Errorf("%+v of a posterior and itself", same)
	}
}

// Components of equal weight whose probabilities differ by 2δ have the standard error δ, whatever
// the others; one alone says nothing.
func TestComponentErrors(t *testing.T) {
	const d = 3
	part := func(v float64) posterior.Component {
		p := mat.NewDense(d, d, nil)
		p.Set(0, 1, 0.5+v)
		p.Set(1, 2, 0.25)
		return posterior.Component{Weight: 0.5, Marginals: &posterior.Marginals{Probabilities: p}}
	}
	whole := part(0)
	p := &posterior.Posterior{Names: []string{"a", "b", "c"}, Marginals: *whole.Marginals, Components: []posterior.Component{part(0.2), part(-0.2)}}
	got, want := diagnostics.ComponentErrors(p), mat.NewDense(d, d, nil)
	want.Set(0, 1, 0.2)
	if got == nil || !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
	p.Components = p.Components[:1]
	if got := diagnostics.ComponentErrors(p); got != nil {
		t.Errorf("one component: got %v", got)
	}
}

// A trace that has levelled off has no trend, whatever its noise; one that still rises has.
func TestTrend(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	level, rise := make([]float64, 100), make([]float64, 100)
	for k := range level {
		level[k] = -1000*math.Exp(-float64(k)/8) + rng.NormFloat64()
		rise[k] = float64(k) + rng.NormFloat64()
	}
	if v := diagnostics.Trend(level); v > 0.01 {
		t.Errorf("trend %v of a level trace", v)
	}
	if v := diagnostics.Trend(rise); !(v > 0.25 && v < 0.4) {
		t.Errorf("trend %v of a straight line, want a third", v)
	}
	// Quarters of the means 0, 5, 8 and 9, and the values m ± 1: the noise is √((4/3 + 4/3)/4), of
	// which twice is taken off the change of 1; and of 4.
	for last, want := range map[float64]float64{9: 0, 12: (4 - 2*math.Sqrt(2./3)) / 12, 1: (7 - 2*math.Sqrt(2./3)) / 1} {
		var trace []float64
		for _, m := range []float64{0, 5, 8, last} {
			trace = append(trace, m-1, m+1, m+1, m-1)
		}
		if v := diagnostics.Trend(trace); !(math.Abs(v-want) <= 1e-12) {
			t.Errorf("trend %v to %v, want %v", v, last, want)
		}
	}
	if v := diagnostics.Trend(make([]float64, 40)); v != 0 {
		t.Errorf("trend %v of zeros", v)
	}
	if v := diagnostics.Trend(rise[:7]); !math.IsNaN(v) {
		t.Errorf("trend %v of seven points", v)
	}
}
