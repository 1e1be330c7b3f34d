package autograd

import (
	"fmt"

	"tobac/internal/vector"
)

// kernels is the set of vector kernels in use, see [vector.Default]. An unknown
// name in TOBAC_KERNELS is an error of every Compile.
var kernels, errKernels = chooseKernels()

func chooseKernels() (vector.Set, error) {
	set, err := vector.Default()
	if err != nil {
		err = fmt.Errorf("autograd: %w", err)
	}
	return set, err
}

// Kernels is the name of the vector kernels in use.
func Kernels() string { return kernels.String() }

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects: xoshiro256++ in eight interleaved lanes, whose
// states SplitMix64 draws from the seed. The numbers are the same for every
// kernel set and processor.
func FillUniform(dst []float64, seed uint64) { kernels.FillUniform(dst, seed) }
