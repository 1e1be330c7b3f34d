package svgd_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

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
		s := svgd.Sampler{Target: svgd.ScorerFunc(quadratic), Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}}
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
		if err := s.Step(x, t); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	x := gaussianBlocks(1, 30, 760, 400)
	gram, repulsion := mat.NewDense(30, 30, nil), zeros(x)
	k := svgd.Additive{Bandwidths: []float64{5, 500}}
	b.ReportAllocs()
	for b.Loop() {
		k.Evaluate(gram, repulsion, x)
	}
}
