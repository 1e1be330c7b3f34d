package bench_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/bench/internal/handwritten"
	"tobac/models"
	"tobac/svgd"
)

// handwritten is the target of the problem in plain Go.
func (p *stepProblem) handwritten(tb testing.TB, workers int) *handwritten.Target {
	tb.Helper()
	_, d := p.data.Dims()
	target, err := handwritten.New(p.data, nil, handwritten.Config{
		NoiseVariance: 0.1, EdgeVariance: 1, Particles: 30, Samples: 128, Rank: d - 1, AlphaRate: 0.05, Tau: 1,
		Estimator: models.Joint, Prior: p.prior, Noise: models.SeededNoise(1), Workers: workers,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(target.Close)
	return target
}

// The yardstick does the work of the engines: same noise, same scores, at every
// size that is timed.
func TestHandwrittenAgrees(t *testing.T) {
	for _, d := range []int{10, 20, 50} {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			p := newStepProblem(t, d, autograd.Compiled, 2)
			score := func(target svgd.Scorer) []*mat.Dense {
				dst := cloneBlocks(p.start)
				if err := target.Score(dst, p.start, stepNumber); err != nil {
					t.Fatal(err)
				}
				return dst
			}
			want, got := score(p.target), score(p.handwritten(t, 2))
			for b := range want {
				m, cols := want[b].Dims()
				for i := range m {
					for j := range cols {
						g, w := got[b].At(i, j), want[b].At(i, j)
						if !(math.Abs(g-w) <= 1e-9*math.Max(1, math.Abs(w))) {
							t.Fatalf("block %d, particle %d, coordinate %d: got %.15g, want %.15g", b, i, j, g, w)
						}
					}
				}
			}
		})
	}
}
