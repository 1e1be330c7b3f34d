package models_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/models"

	"gonum.org/v1/gonum/mathext"
)

// TestPriors compares values and gradients with the formulas, at edge
// probabilities and at a hard graph, and the gradients with differences.
func TestPriors(t *testing.T) {
	rng := newRand(21)
	const d = 5
	column := func(g []float64, j int) float64 {
		sum := 0.0
		for i := range d {
			sum += g[i*d+j]
		}
		return sum
	}
	tests := []struct {
		name  string
		prior models.GraphPrior
		value func(g []float64) float64
		slope func(g []float64, j int) float64 // ∂/∂g_ij, the same for all i
		exact float64                          // relative error of slope
	}{
		{
			"Erdős–Rényi", models.ErdosRenyi(0.3),
			func(g []float64) float64 {
				edges := 0.0
				for j := range d {
					edges += column(g, j)
				}
				return edges*math.Log(0.3) + (d*(d-1)/2-edges)*math.Log(0.7)
			},
			func([]float64, int) float64 { return math.Log(0.3) - math.Log(0.7) }, 1e-14,
		},
		{
			"scale free", models.ScaleFree(),
			func(g []float64) float64 {
				sum := 0.0
				for j := range d {
					sum -= 3 * math.Log(1+column(g, j))
				}
				return sum
			},
			func(g []float64, j int) float64 { return -3 / (1 + column(g, j)) }, 1e-14,
		},
		{
			"fair", models.FairPrior(),
			func(g []float64) float64 {
				sum := 0.0
				for j := range d {
					c := column(g, j)
					a, _ := math.Lgamma(c + 1)
					b, _ := math.Lgamma(d - c)
					all, _ := math.Lgamma(d)
					sum += a + b - all
				}
				return sum
			},
			func(g []float64, j int) float64 {
				return mathext.Digamma(column(g, j)+1) - mathext.Digamma(d-column(g, j))
			}, 1e-10, // of gonum's digamma function
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, tg := range graphs(rng, d) {
				b := autograd.NewBuilder("prior")
				g := b.Input("g", autograd.Shape{d, d})
				y := tt.prior.LogProb(g)
				out := evaluate(t, []*autograd.Node{g}, [][]float64{tg.g}, y, b.Grad(y, g)[0])
				check(t, tg.kind+": value", out[0], []float64{tt.value(tg.g)}, 1e-14)
				want := make([]float64, d*d)
				for e := range want {
					want[e] = tt.slope(tg.g, e%d)
				}
				check(t, tg.kind+": gradient", out[1], want, tt.exact)
				if err := gradtest.CheckGraph(y, []gradtest.Argument{{Node: g, Values: tg.g}},
					gradtest.Options{}); err != nil {
					t.Errorf("%s: %v", tg.kind, err)
				}
			}
		})
	}
	t.Run("uniform", func(t *testing.T) {
		b := autograd.NewBuilder("prior")
		g := b.Input("g", autograd.Shape{d, d})
		out := evaluate(t, []*autograd.Node{g}, [][]float64{uniforms(rng, d*d)},
			models.UniformPrior().LogProb(g))
		check(t, "value", out[0], []float64{0}, 0)
	})
}

// TestErdosRenyiNormalised sums the prior over all 64 graphs of one order on
// four variables: exactly one.
func TestErdosRenyiNormalised(t *testing.T) {
	const d = 4
	b := autograd.NewBuilder("prior")
	graph := b.Axis("graph", 1<<6)
	g := b.Input("g", autograd.Shape{d, d}, graph)
	total := models.ErdosRenyi(0.2).LogProb(g).LogSumExpOver(graph)
	out := evaluate(t, []*autograd.Node{g}, [][]float64{allGraphs(d)}, total)
	check(t, "log of the sum", out[0], []float64{0}, 1e-14)
}

func TestEdgeProbability(t *testing.T) {
	// d, edges per node, p and ln(p/(1−p)) of tobac.md, section 2.1.
	for _, row := range []struct {
		vars       int
		edges      float64
		p, logOdds float64
	}{
		{10, 2, 0.4444, -0.2231}, {11, 2, 0.4, -0.4055}, {20, 2, 0.2105, -1.3218},
		{50, 2, 0.0816, -2.4204},
		{10, 4, 0.8889, 2.0794}, {20, 4, 0.4211, -0.3185}, {50, 4, 0.1633, -1.6341},
		{2, 0.25, 0.5, 0},
	} {
		p, err := models.EdgeProbability(row.vars, row.edges)
		if err != nil || !(math.Abs(p-row.p) <= 5e-5) ||
			!(math.Abs(math.Log(p/(1-p))-row.logOdds) <= 5e-5) {
			t.Errorf("%d variables, %v edges per node: got p = %v, error %v; want %v", row.vars,
				row.edges, p, err, row.p)
		}
	}
	for _, row := range []struct {
		vars  int
		edges float64
		want  string
	}{
		{5, 2, "edges per node 2 on 5 variables makes the edge probability 1; want 0 < edges per " +
			"node < 2"},
		{4, 2, "edges per node 2 on 4 variables makes the edge probability 1.333; want 0 < edges " +
			"per node < 1.5"},
		{20, 0, "edges per node 0 on 20 variables makes the edge probability 0; want 0 < edges " +
			"per node < 9.5"},
		{20, -1, "edges per node -1 on 20 variables makes the edge probability -0.1053; want 0 < " +
			"edges per node < 9.5"},
		{20, math.NaN(), "edges per node NaN on 20 variables makes the edge probability NaN; " +
			"want 0 < edges per node < 9.5"},
	} {
		_, err := models.EdgeProbability(row.vars, row.edges)
		checkError(t, "EdgeProbability", err, row.want)
	}
	for _, p := range []float64{0, 1, 1.5, math.NaN()} {
		checkPanic(t, "want 0 < p < 1", func() {
			models.ErdosRenyi(p).LogProb(autograd.NewBuilder("prior").Input("g",
				autograd.Shape{3, 3}))
		})
	}
}
