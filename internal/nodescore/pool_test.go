package nodescore_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"tobac/internal/nodescore"
	"tobac/score"
)

// A pool of all sets of at most two parents is the scorer that they come from, as its own bound on
// the parents makes it; what is put in again has the later score, and others score −Inf.
func TestPool(t *testing.T) {
	const d = 5
	gp := newGP(t, normals(3, 12, d), nil, nodescore.GPOptions{MaxParents: 2}).At(0.5)
	pool := nodescore.NewPool(d)
	for _, right := range []bool{false, true} {
		for j := range d {
			for set := range 1 << d {
				var parents []int
				for i := range d {
					if set>>i&1 == 1 {
						parents = append(parents, i)
					}
				}
				if len(parents) > 2 || slices.Contains(parents, j) {
					continue
				}
				v := -1.5
				if right {
					v = gp.LogScore(j, parents)
				}
				if pool.Put(j, parents, v); !pool.Has(j, parents) ||
					pool.LogScore(j, parents) != v {
					t.Fatalf("set %v of variable %d is not there", parents, j)
				}
			}
		}
	}
	if n := len(pool.Sets(2)); n != 1+4+6 {
		t.Errorf("%d sets, want 11", n)
	}
	if err := score.Check(context.Background(), pool); err != nil {
		t.Error(err)
	}
	got, want := make([]float64, 16), make([]float64, 16)
	pool.LogScores(got, 1, []int{0, 2, 3, 4})
	gp.LogScores(want, 1, []int{0, 2, 3, 4})
	if !slices.Equal(got, want) {
		t.Errorf("scores %v, want %v", got, want)
	}
	pool.LogScoresGiven(got[:4], 1, []int{0, 4}, []int{3})
	if want := []float64{gp.LogScore(1, []int{3}), gp.LogScore(1, []int{0, 3}),
		gp.LogScore(1, []int{3, 4}), math.Inf(-1)}; !slices.Equal(got[:4], want) {
		t.Errorf("scores beside a parent %v, want %v", got[:4], want)
	}
	if v := pool.LogScore(0, []int{1, 2, 3}); pool.Has(0, []int{1, 2, 3}) || !math.IsInf(v, -1) {
		t.Errorf("score %v of a set that is not there", v)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for NaN")
		}
	}()
	pool.Put(0, nil, math.NaN())
}
