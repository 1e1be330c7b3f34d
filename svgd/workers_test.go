package svgd_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/svgd"
)

// TestWorkers: however many goroutines share out a step, every bit is the same.
func TestWorkers(t *testing.T) {
	svgd.ShareSmallWork(t)
	for _, kernel := range []svgd.Kernel{svgd.RBF{}, svgd.IMQ{}, svgd.Additive{}, svgd.Linear{},
		svgd.Grouped{Size: 1}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 9},
		svgd.Sum{svgd.IMQ{Beta: 1}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}},
		svgd.Blocks{nil, svgd.Grouped{}}} {
		start := gaussianBlocks(5, 61, 33, 530)
		for _, block := range start { // some particles are near others, or equal
			for m := 10; m < 20; m++ {
				block.SetRow(m, block.RawRowView(m/2))
				block.RawRowView(m)[0] += float64(m%3) / 64
			}
		}
		var want []*mat.Dense
		var neighbours []float64
		for _, workers := range []int{0, 2, 3, 8} {
			x := clone(start)
			var seen []float64
			s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic), Kernel: kernel,
				Workers:  workers,
				Recorder: func(s svgd.Stats) { seen = append(seen, s.Neighbours) }}
			run(t, &s, x, 0, 2)
			if workers == 0 {
				want, neighbours = x, seen
			} else if !sameBits(x, want) || fmt.Sprint(seen) != fmt.Sprint(neighbours) {
				t.Errorf("%T: %d workers give other bits than one", kernel, workers)
			}
		}
	}
}
