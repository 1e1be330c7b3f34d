package trust

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/must"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// sixColumns have a hidden common cause of a to d, which p and q cause as well; or, if none is
// hidden, edges of the same graph.
func sixColumns(rng *rand.Rand, g *dag.Graph, hidden bool) *dataset.Table {
	const n = 2000
	data := &dataset.Table{Names: strings.Fields("a b c d p q"), X: mat.NewDense(n, 6, nil)}
	for i := range n {
		row := data.X.RawRowView(i)
		h := rng.NormFloat64()
		for _, j := range []int{4, 5, 0, 1, 2, 3} {
			row[j] = rng.NormFloat64()
			if hidden && j < 4 {
				row[j] += h
			}
			for k, v := range g.Parents(j) {
				if !hidden || v > 3 {
					row[j] += (0.5 + 0.2*float64(k)) * row[v]
				}
			}
		}
	}
	return data
}

// Without the edges of a graph that the data need, a hidden cause explains nothing more: of two
// variables it is an edge, of three the edges between them, which normal noise cannot tell from it.
// Of four it has fewer parameters, and parents of two effects need no edges to the others.
func TestFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	g := dag.New(6)
	for j := range 4 {
		for i := range j {
			g.Set(i, j, true)
		}
	}
	g.Set(4, 0, true)
	g.Set(5, 1, true)
	for _, hidden := range []bool{true, false} {
		data := sixColumns(rng, g, hidden)
		c := correlations{inspect.Correlations(data), 2000}
		alone := dag.New(6)
		for _, e := range []dag.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}} {
			alone.Set(e.From, e.To, true)
		}
		for _, effects := range [][]int{{0, 1}, {0, 1, 2}} {
			got := c.improvement(alone, effects)
			if len(effects) == 2 && math.Abs(got) > 0.1 || !(got < 0.1) {
				t.Errorf("hidden %v, effects %v: %v nats more than equivalent edges", hidden,
					effects, got)
			}
		}
		if got := c.improvement(g, []int{0, 1, 2, 3}) > betterHidden; got != hidden {
			t.Errorf("hidden %v, but %v that it explains more", hidden, got)
		}
		for _, m := range []sem.Model{sem.BGe{}, sem.Linear{}} {
			scored, _ := sem.As[sem.Scored](m)
			_, warnings := must.Two(WholeTrust.Hidden(t.Context(), data, scored,
				score.NewFunc(6, func(int, []int) float64 { return 0 }),
				Said{Graph: g, Adjacent: g.Edges()}, 1))(t)
			want := hidden && sem.TraitsOf(scored).Equivalent
			if got := len(warnings) > 0; got != want || want &&
				!strings.Contains(warnings[0], `"a", "b", "c", "d" (by `) {
				t.Errorf("hidden %v, %v: warnings %q", hidden, m, warnings)
			}
		}
	}
}
