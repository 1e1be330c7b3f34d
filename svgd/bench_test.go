package svgd_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/svgd"
)

// quadratic is the score −x of a standard normal, at next to no cost.
func quadratic(dst, x []*mat.Dense, _ int) error {
	for b, xb := range x {
		dst[b].Scale(-1, xb)
	}
	return nil
}

// BenchmarkStep has the shapes of the paper's linear experiment at d = 20:
// 30 particles of 760 + 400 numbers.
func BenchmarkStep(b *testing.B) {
	kernels := []struct {
		name   string
		kernel svgd.ScalarKernel
	}{
		{"rbf-fixed", svgd.RBF{Bandwidth: svgd.Fixed(500)}},
		{"rbf-median", svgd.RBF{}},
		{"additive", svgd.Additive{Bandwidths: []float64{5, 500}}},
		{"linear", svgd.Linear{}},
	}
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic), Kernel: k.kernel}
			benchmarkSteps(b, &s)
		})
	}
	b.Run("additive-recorded", func(b *testing.B) {
		s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic),
			Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}}
		s.Recorder = func(svgd.Stats) {}
		benchmarkSteps(b, &s)
	})
}

func benchmarkSteps(b *testing.B, s *svgd.Sampler) {
	x := gaussianBlocks(1, 30, 760, 400)
	if err := s.Run(b.Context(), x, 0, 2); err != nil { // allocates the workspace
		b.Fatal(err)
	}
	b.ReportAllocs()
	for t := 2; b.Loop(); t++ {
		must.Do(b, s.Step(x, t))
	}
}

// BenchmarkCoordinates is one kernel for each of p coordinates of M particles that move a little
// between calls, as they do in a run: 190 are the scores of the ordered pairs of 20 variables, 400
// of all of them.
func BenchmarkCoordinates(b *testing.B) {
	for _, c := range []struct{ particles, coordinates int }{{30, 190}, {30, 400}, {100, 400},
		{30, 2000}, {30, 20000}} {
		for name, k := range map[string]svgd.Kernel{"rbf": svgd.RBF{}, "imq": svgd.IMQ{},
			"imq-0.85": svgd.IMQ{Beta: 0.85}, "rbf-fixed": svgd.RBF{Bandwidth: svgd.Fixed(1)}} {
			b.Run(fmt.Sprintf("%s/M=%d/p=%d", name, c.particles, c.coordinates),
				func(b *testing.B) {
					x, score := gaussianBlocks(1, c.particles, c.coordinates),
						gaussianBlocks(2, c.particles, c.coordinates)
					driving, repulsive, work := zeros(x), zeros(x), new(svgd.Work)
					kernel := svgd.Grouped{Kernel: k, Size: 1}
					kernel.Apply(driving, repulsive, score, x, work)
					b.ReportAllocs()
					sign := 0.02
					for b.Loop() {
						b.StopTimer()
						for m := range c.particles {
							floats.AddScaled(x[0].RawRowView(m), sign, score[0].RawRowView(m))
						}
						sign = -sign
						b.StartTimer()
						kernel.Apply(driving, repulsive, score, x, work)
					}
				})
		}
	}
}
