package autograd

import "tobac/internal/vector"

// Vector kernels of the op table beyond those of package vector. dst and operands have one
// length; dst may be an operand.

// kernels is the set of vector kernels in use, see [vector.Default]; dense reports
// an unknown name.
var kernels, _ = vector.Default()

// Kernels is the name of the vector kernels in use.
func Kernels() string { return kernels.String() }

// Arithmetic names what the last bits of results depend on beside the graph: the precision of
// numbers, the processor's architecture and the vector kernels. It says avx2 for avx512, since
// both give the same bits.
func Arithmetic() string { return kernels.Arithmetic() }

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects: xoshiro256++ in eight interleaved lanes, whose
// states SplitMix64 draws from the seed. The numbers are the same for every
// kernel set and processor.
func FillUniform(dst []float64, seed uint64) { kernels.FillUniform(dst, seed) }

func squareVec(dst, x []float64) { kernels.MulEach(dst, x, x) }

// stretch is how many numbers functions made of several kernels take at a time.
const stretch = 64

func subVS(dst, a []float64, b float64) { kernels.Shift(dst, a, -b) }

func swapped(vs func(dst, a []float64, b float64)) func(dst []float64, a float64, b []float64) {
	return func(dst []float64, a float64, b []float64) { vs(dst, b, a) }
}
