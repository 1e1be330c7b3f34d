package graphchains

import (
	"slices"
	"testing"

	"tobac/dag"
	"tobac/score"
)

// weighed scores a variable by its number times its number of parents.
type weighed float64

func (w weighed) Vars() int { return 2 }
func (w weighed) LogScore(j int, parents []int) float64 {
	return float64(w) * float64(j*len(parents))
}

// Of two searches the graphs of the better one come first, and are alone where the other ended far
// behind.
func TestTogether(t *testing.T) {
	one, other := dag.New(2), dag.New(2)
	one.Set(0, 1, true)
	other.Set(1, 0, true)
	a, b := []*dag.Graph{one, other}, []*dag.Graph{other, one}
	for _, c := range []struct {
		weight weighed
		x, y   []*dag.Graph
		want   []*dag.Graph
		apart  float64
	}{
		{5, a, b, []*dag.Graph{one, other, other, one}, 5},
		{5, b, a, []*dag.Graph{one, other, other, one}, 5},
		{50, b, a, a, 50},
	} {
		got := together(c.weight, score.Uniform(2), c.x, c.y)
		if !slices.Equal(got.graphs, c.want) || got.apart != c.apart {
			t.Errorf("weight %v: %d graphs, %v apart, want %d, %v", c.weight, len(got.graphs),
				got.apart, len(c.want), c.apart)
		}
	}
}
