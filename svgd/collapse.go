package svgd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// NormalVariance is the mean variance of coordinates that a kernel and a number of particles end
// with on a standard normal density of a number of coordinates, where it should be 1: well
// below, the same kernel and number of particles underestimate the variances of other
// densities of that dimension too, whatever the number of steps. Kernels that join all
// coordinates collapse so as soon as coordinates are not much fewer than particles. It
// runs 500 steps of RMSProp from a distribution with half the standard deviation.
func NormalVariance(
	ctx context.Context,
	kernel Kernel,
	particles, coordinates int,
	seed uint64,
) (float64, error) {
	if particles < 2 || coordinates < 1 {
		return 0, fmt.Errorf(
			"svgd: variance of %d particles of %d coordinates, want at least 2 and 1",
			particles,
			coordinates,
		)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(coordinates)))
	x := mat.NewDense(particles, coordinates, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 0.5 * rng.NormFloat64() }, x)
	s := Sampler{Target: standardNormal{}, Kernel: kernel, Optimizer: RMSProp{StepSize: 0.02}}
	if err := s.Run(ctx, []*mat.Dense{x}, 0, 500); err != nil {
		return 0, err
	}
	mean := 0.0
	for c := range coordinates {
		mean += stat.PopVariance(mat.Col(nil, c, x), nil) / float64(coordinates)
	}
	return mean, nil
}

type standardNormal struct{}

func (standardNormal) Score(dst, x []*mat.Dense, _ int) error {
	dst[0].Scale(-1, x[0])
	return nil
}
