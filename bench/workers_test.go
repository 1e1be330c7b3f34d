package bench_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/svgd"
)

// The number of workers, also one above the number of particles, changes no bit of
// a score, and so none of a run.
func TestWorkersChangeNoBit(t *testing.T) {
	for _, row := range []struct {
		name    string
		problem func(workers int) *stepProblem
	}{
		{"linear", func(workers int) *stepProblem {
			return newStepProblem(t, 10, autograd.Compiled, workers)
		}},
		{"linear/one particle", func(workers int) *stepProblem {
			return newScaledProblem(t, stepLinear,
				scale{vars: 6, particles: 1, samples: 32, workers: workers}, autograd.Compiled)
		}},
		{"ffn", func(workers int) *stepProblem {
			return newModelStep(t, stepFFN, 4, 8, autograd.Compiled, workers)
		}},
		{"ffn/five particles", func(workers int) *stepProblem {
			return newScaledProblem(t, stepFFN,
				scale{vars: 5, particles: 5, samples: 16, workers: workers}, autograd.Compiled)
		}},
		{"dibs", func(workers int) *stepProblem {
			return newModelStep(t, stepDiBS, 5, 16, autograd.Compiled, workers)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var score, moved []*mat.Dense
			for _, workers := range []int{1, 3, 64} {
				p := row.problem(workers)
				got, x := cloneBlocks(p.start), cloneBlocks(p.start)
				if err := p.target.Score(got, p.start, stepNumber); err != nil {
					t.Fatal(err)
				}
				s := &svgd.Sampler{Target: p.target,
					Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}}
				if err := s.Run(context.Background(), x, stepNumber, stepNumber+3); err != nil {
					t.Fatal(err)
				}
				if workers == 1 {
					score, moved = got, x
				}
				sameBits(t, fmt.Sprintf("score with %d workers", workers), got, score)
				sameBits(t, fmt.Sprintf("particles after three steps with %d workers", workers), x,
					moved)
			}
		})
	}
}

func sameBits(t *testing.T, what string, got, want []*mat.Dense) {
	t.Helper()
	for b := range want {
		g, w := got[b].RawMatrix().Data, want[b].RawMatrix().Data
		for k := range w {
			if math.Float64bits(g[k]) != math.Float64bits(w[k]) {
				t.Fatalf("%s: block %d, number %d: got %v, want %v as with one worker", what, b, k,
					g[k], w[k])
			}
		}
	}
}
