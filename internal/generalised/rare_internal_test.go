package generalised

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/nodescore"
)

// A level of eight rows does not depend on a category of twelve levels: tables with many
// pseudo-counts, under which eight rows are improbable, do not count for it.
func TestRareLevels(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.Set(i, 0, float64(min(rng.IntN(12), rng.IntN(12))))
		if i < 8 {
			x.Set(i, 1, 1)
		}
	}
	s := must.Get(New(x, nil, []Variable{{Kind: dataset.Categorical, Levels: 12},
		{Kind: dataset.Binary, Levels: 2}}, Options{Base: nodescore.NewPool(2)}))(t)
	for j := range 2 {
		if gain := s.fitted(j, []int{1 - j}) - s.fitted(j, nil); gain > 0 {
			t.Errorf("column %d gains %.1f nats by the other, want none", j, gain)
		}
	}
}
