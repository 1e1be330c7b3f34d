package svgd_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/svgd"
)

// apply calls a kernel on memory full of ones, which it must overwrite.
func apply(k svgd.Kernel, score, x []*mat.Dense, work *svgd.Work) (driving, repulsive []*mat.Dense, neighbours float64) {
	driving, repulsive = zeros(x), zeros(x)
	for b := range x {
		one := func(int, int, float64) float64 { return 1 }
		driving[b].Apply(one, driving[b])
		repulsive[b].Apply(one, repulsive[b])
	}
	neighbours = k.Apply(driving, repulsive, score, x, work)
	return driving, repulsive, neighbours
}

// A scalar kernel carries scores by its Gram matrix.
func TestApplyIsTheGramMatrixTimesTheScores(t *testing.T) {
	x, score := gaussianBlocks(3, 7, 4, 5), gaussianBlocks(4, 7, 4, 5)
	for _, k := range []svgd.ScalarKernel{svgd.RBF{Bandwidth: svgd.Fixed(3)}, svgd.Additive{}, svgd.Linear{}} {
		gram, repulsion := evaluate(k, x)
		driving, repulsive, _ := apply(k, score, x, new(svgd.Work))
		for b := range x {
			var want mat.Dense
			want.Mul(gram, score[b])
			wantClose(t, "driving", driving[b], &want, 1e-13)
			wantClose(t, "repulsive", repulsive[b], repulsion[b], 0)
		}
	}
}

// Each group of coordinates moves as it does alone, whatever its neighbours are.
func TestGroupsMoveAlone(t *testing.T) {
	x, score := gaussianBlocks(5, 6, 5, 4), gaussianBlocks(6, 6, 5, 4)
	own := svgd.RBF{Bandwidth: svgd.Fixed(2)}
	work := new(svgd.Work)
	for range 2 { // the second call reuses memory
		driving, repulsive, neighbours := apply(svgd.Grouped{Kernel: own, Sizes: []int{2, 4}}, score, x, work)
		total, groups := 0.0, 0
		for _, g := range []struct{ block, from, to int }{{0, 0, 2}, {0, 2, 4}, {0, 4, 5}, {1, 0, 4}} {
			cut := func(m *mat.Dense) *mat.Dense {
				return mat.DenseCopyOf(m.Slice(0, 6, g.from, g.to))
			}
			alone := []*mat.Dense{cut(x[g.block])}
			d, r, n := apply(own, []*mat.Dense{cut(score[g.block])}, alone, new(svgd.Work))
			wantClose(t, "driving", cut(driving[g.block]), d[0], 1e-14)
			wantClose(t, "repulsive", cut(repulsive[g.block]), r[0], 1e-14)
			total, groups = total+n, groups+1
		}
		if want := total / float64(groups); neighbours != want {
			t.Errorf("%v neighbours, want the mean %v over the groups", neighbours, want)
		}
	}
}

// One group for each block is one kernel for each block.
func TestGroupedByBlocks(t *testing.T) {
	x, score := gaussianBlocks(7, 5, 3), gaussianBlocks(8, 5, 3)
	d, r, n := apply(svgd.Grouped{Kernel: svgd.RBF{}}, score, x, new(svgd.Work))
	wd, wr, wn := apply(svgd.RBF{}, score, x, new(svgd.Work))
	if !sameBits(d, wd) || !sameBits(r, wr) || n != wn {
		t.Error("a single group differs from its kernel")
	}
}

func TestGroupedPanics(t *testing.T) {
	x := gaussianBlocks(9, 4, 3)
	wantPanic(t, "svgd: 2 sizes of groups for 1 blocks", func() { apply(svgd.Grouped{Sizes: []int{1, 1}}, x, x, new(svgd.Work)) })
	wantPanic(t, "svgd: groups of 0 coordinates in block 0", func() { apply(svgd.Grouped{Sizes: []int{0}}, x, x, new(svgd.Work)) })
}
