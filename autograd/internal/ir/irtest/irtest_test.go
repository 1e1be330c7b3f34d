package irtest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
)

// Random functions are sound and finite, have operations of every class, and this
// package computes them as the reference of package exec does.
func TestRandom(t *testing.T) {
	classes, overs := map[ir.Class]bool{}, map[ir.Over]bool{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := irtest.Random(rng, 20, 3, 2, 4)
		if err := f.Verify(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var in [][]float64
		var src []exec.Feed
		for _, v := range f.Inputs {
			in = append(in, irtest.Numbers(rng, f, v))
			src = append(src, exec.Feed{Data: in[len(in)-1]})
		}
		var dst [][]float64
		for _, v := range f.Outputs {
			dst = append(dst, make([]float64, irtest.Size(f, v)))
		}
		for _, v := range f.Values {
			if v.Op != nil {
				classes[v.Class()], overs[v.Op.Over] = true, true
			}
		}
		got, err := irtest.Eval(f, in)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := exec.NewReference(f, false).Eval(dst, src); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range dst {
			for k, want := range dst[i] {
				if !irtest.Near(got[i][k], want) || math.IsNaN(want) {
					t.Fatalf("seed %d, output %d: got %v, want %v", seed, i, got[i][k], want)
				}
			}
		}
	}
	if len(classes) != int(ir.Crossing)+1 || len(overs) != int(ir.OverUnstack)+1 {
		t.Errorf("functions have classes %v and cross axes by %v, want all", classes, overs)
	}
}
