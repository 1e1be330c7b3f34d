package score_test

import (
	"math"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/score"
)

// Over all acyclic graphs of four variables, listed one by one, the expected
// number of edges is the one asked for.
func TestSparseExpectsItsEdges(t *testing.T) {
	const d = 4
	for _, perNode := range []float64{0.1, 0.5, 1, 1.4} {
		p := must.Get(score.Sparse(d, perNode))(t)
		total, edges, graphs := 0.0, 0.0, 0
		for code := range 1 << (d * (d - 1)) {
			g, k := dag.New(d), 0
			for i := range d {
				for j := range d {
					if i != j {
						g.Set(i, j, code>>k&1 == 1)
						k++
					}
				}
			}
			if !g.Acyclic() {
				continue
			}
			graphs++
			logp := 0.0
			for j := range d {
				logp += p.LogPrior(j, g.Parents(j))
			}
			total += math.Exp(logp)
			edges += math.Exp(logp) * float64(g.Size())
		}
		if graphs != 543 {
			t.Fatalf("%d acyclic graphs of four variables, want 543", graphs)
		}
		if got := edges / total; !(math.Abs(got-d*perNode) <= 1e-6) {
			t.Errorf("%v edges per node: %v expected edges, want %v", perNode, got, d*perNode)
		}
	}
}

// Many variables: the odds tend to half of those along an order, because an
// edge may have either direction where cycles are rare.
func TestSparseOfManyVariables(t *testing.T) {
	const d, perNode = 120, 0.05
	p := must.Get(score.Sparse(d, perNode))(t)
	along := 2 * perNode / (d - 1)
	got := math.Exp(p.LogPrior(0, []int{1}) - p.LogPrior(0, nil))
	if want := along / (1 - along) / 2; !(math.Abs(got/want-1) <= 0.01) {
		t.Errorf("odds %v of an edge, want about %v", got, want)
	}
}

func TestSparseErrors(t *testing.T) {
	for _, perNode := range []float64{0, -1, 2, math.NaN()} {
		if _, err := score.Sparse(5, perNode); err == nil {
			t.Errorf("%v edges per node of 5 variables: no error", perNode)
		}
	}
}
