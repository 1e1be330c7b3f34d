package autograd

import (
	"fmt"
	"math"

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

// rowsPerTile is the number of rows of a tile: what fits into the processor's
// vector registers beside the lanes, or for Go into its other ones.
func rowsPerTile() int {
	if kernels == vector.Portable {
		return 2
	}
	return maxTileRows
}

// Kernels is the name of the vector kernels in use.
func Kernels() string { return kernels.String() }

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects: xoshiro256++ in eight interleaved lanes, whose
// states SplitMix64 draws from the seed. The numbers are the same for every
// kernel set and processor.
func FillUniform(dst []float64, seed uint64) { kernels.FillUniform(dst, seed) }

// lessVS takes the sign of u − p, without a branch that noise would mispredict.
//
//go:noinline
func lessVS(dst, u []float64, p float64) {
	u = u[:len(dst)]
	const one = 0x3ff0000000000000
	for i := range dst {
		d := u[i] - p + 0 // not −0
		if d != d {       // NaN, or equal infinities
			d = 0
		}
		dst[i] = math.Float64frombits(math.Float64bits(d) >> 63 * one)
	}
}

// dotLanes is dst = Σ m[factor]·r[reg] over pairs of registers, n apart, and
// factors.
func dotLanes(dst, m, r []float64, n int, pairs []int32) {
	reg := func(i int) []float64 { return r[int(pairs[2*i])*n:][:n] }
	factor := func(i int) float64 { return m[pairs[2*i+1]] }
	// The first one to four terms write, the others add, four at a time.
	k := len(pairs) / 2
	first := (k-1)&3 + 1
	switch first {
	case 1:
		mulVS(dst, reg(0), factor(0))
	case 2:
		mul2(dst, factor(0), reg(0), factor(1), reg(1))
	case 3:
		mul3(dst, factor(0), reg(0), factor(1), reg(1), factor(2), reg(2))
	case 4:
		mul4(dst, factor(0), reg(0), factor(1), reg(1), factor(2), reg(2), factor(3), reg(3))
	}
	for i := first; i < k; i += 4 {
		mulAdd4(dst, factor(i), reg(i), factor(i+1), reg(i+1), factor(i+2), reg(i+2), factor(i+3), reg(i+3))
	}
}

//go:noinline
func reluVec(dst, x []float64) {
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

//go:noinline
func positiveVec(dst, x []float64) {
	for i, v := range x {
		dst[i] = positive(v)
	}
}

//go:noinline
func shiftVS(dst, u []float64, p, q float64) {
	u = u[:len(dst)]
	for i, v := range u {
		w := p * v
		dst[i] = w / (w + q*(1-v))
	}
}

// shiftFactorsVec writes, for every x, p and q of σ(x + logit u) =
// p·u/(p·u + q·(1−u)), chosen so that neither overflows.
func shiftFactorsVec(pq, x []float64) {
	var arg, exp [64]float64
	for len(x) > 0 {
		n := min(len(x), len(arg))
		for i, v := range x[:n] {
			arg[i] = -math.Abs(v)
		}
		e := exp[:roundUp(n, vectorLen)]
		kernels.Exp(e, arg[:len(e)])
		for i, v := range x[:n] {
			if v >= 0 {
				pq[2*i], pq[2*i+1] = 1, e[i]
			} else {
				pq[2*i], pq[2*i+1] = e[i], 1
			}
		}
		x, pq = x[n:], pq[2*n:]
	}
}
