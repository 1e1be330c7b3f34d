package bench_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/bench/internal/handwritten"
	"tobac/internal/vector"
	"tobac/models"
	"tobac/svgd"
)

// plainNoise is models.SeededNoise without assembly: the baseline draws in plain Go
// too.
type plainNoise uint64

func (n plainNoise) Fill(dst []float64, purpose models.Purpose, step, particle int) {
	vector.Portable.FillUniform(dst, models.StreamSeed(uint64(n), purpose, step, particle))
}

// handwritten is the target of the problem in plain Go.
func (p *stepProblem) handwritten(tb testing.TB, samples, workers int) *handwritten.Target {
	tb.Helper()
	_, d := p.data.Dims()
	cfg := handwritten.Config{
		NoiseVariance: 0.1, EdgeVariance: 1, Particles: 30, Samples: samples, Rank: d - 1, AlphaRate: 0.05, Tau: 1,
		Estimator: models.Joint, Prior: p.prior, Noise: plainNoise(1), Workers: workers,
	}
	var target *handwritten.Target
	var err error
	if p.hidden > 0 {
		target, err = handwritten.NewNetwork(p.data, p.hidden, cfg)
	} else {
		target, err = handwritten.New(p.data, nil, cfg)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(target.Close)
	return target
}

// The baseline does the work of the engines: same noise, same scores, for the
// linear model at every size that is timed, for networks at a smaller one.
func TestHandwrittenAgrees(t *testing.T) {
	agree := func(t *testing.T, p *stepProblem, samples int) {
		score := func(target svgd.Scorer) []*mat.Dense {
			dst := cloneBlocks(p.start)
			if err := target.Score(dst, p.start, stepNumber); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		compareScores(t, "handwritten", score(p.handwritten(t, samples, 2)), score(p.target))
	}
	for _, d := range []int{10, 20, 50} {
		t.Run(fmt.Sprintf("linear/d=%d", d), func(t *testing.T) {
			agree(t, newStepProblem(t, d, autograd.Compiled, 2), 128)
		})
	}
	t.Run("ffn/d=5", func(t *testing.T) { agree(t, newModelStep(t, stepFFN, 5, 16, autograd.Compiled, 2), 16) })
}
