package svgd

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/vector"
)

// Stats describes one step.
type Stats struct {
	// Step is the number of the step.
	Step int
	// Driving and Repulsive are, for each block, the root mean square over the
	// particles of the Euclidean norms of the two terms of equation (2),
	//
	//	Driving[b]²   = 1/M Σ_m ‖1/M driving_b(m)‖²
	//	Repulsive[b]² = 1/M Σ_m ‖1/M repulsive_b(m)‖²
	//
	// Both slices are overwritten by the next step.
	Driving, Repulsive []float64
	// Neighbours is the effective number of particles that a particle interacts
	// with, itself included,
	//
	//	1/M Σ_m (Σ_r gram[r,m])² / Σ_r gram[r,m]²
	//
	// with the kernel's Gram matrix, from 1 (particles do not feel each other) to M (all act in the
	// same way); the mean over the groups of a [Grouped] kernel, over the blocks that are coupled
	// of [Blocks], and over the kernels of a [Sum]. 0 where no particle is coupled to another by
	// intention, see [Alone].
	Neighbours float64
	// Outside are the particles that were outside of the support before the step, with
	// [KeepOutside] and [RedrawOutside].
	Outside []int
}

// Recorder receives the statistics of every step after the particles have moved:
// the particles and [Sampler].State are then those before step Stats.Step + 1
// and may be saved.
type Recorder func(Stats)

// rmsNorm returns the root mean square of the norms of the rows of x.
func rmsNorm(x *mat.Dense) float64 {
	n, _ := x.Dims()
	sum := 0.0
	for m := range n {
		row := x.RawRowView(m)
		sum += floats.Dot(row, row)
	}
	return math.Sqrt(sum / float64(n))
}

// effectiveNeighbours is Stats.Neighbours of a Gram matrix.
func effectiveNeighbours(gram *mat.Dense) float64 {
	n, _ := gram.Dims()
	total := 0.0
	for m := range n {
		var sum, squares float64
		for _, k := range gram.RawRowView(m) {
			sum += k
			squares += k * k
		}
		total += sum * sum / squares
	}
	return total / float64(n)
}

// kernels is the set of vector kernels in use, see [vector.Default]. An unknown
// name in TOBAC_KERNELS is an error of every step.
var kernels, errKernels = vector.Default()
