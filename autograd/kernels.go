package autograd

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strings"
)

// A kernelSet holds the vector kernels that carry most of the time.
type kernelSet struct {
	name string

	// lanes runs operations of a group, from number pc on, up to the first one
	// that it does not know, and returns that one's number. Nil: all run in Go.
	lanes func(x *laneMachine, pc int) int
	rows  int // of a tile

	exp    func(dst, a []float64)                   // a multiple of vectorLen numbers
	sumExp func(a []float64, shift float64) float64 // Σ e^(a−shift), a ≤ shift
	max    func(a []float64) float64                // NaN if there is one
}

// portable are the kernels in plain Go, which run everywhere and which the
// others are tested against.
var portable = kernelSet{name: "portable", rows: 2, exp: expVec, sumExp: sumExp, max: maxOf}

// available lists the kernel sets that this processor can run, best last.
var available = append([]kernelSet{portable}, vectorKernels()...)

// kernels is the set in use: the best one, or the one that the environment
// variable TOBAC_KERNELS names. An unknown name is an error of every Compile.
// The build tag purego leaves only the portable set.
var kernels, errKernels = chooseKernels(os.Getenv("TOBAC_KERNELS"))

func chooseKernels(want string) (kernelSet, error) {
	best := available[len(available)-1]
	if want == "" {
		return best, nil
	}
	var names []string
	for _, k := range available {
		if k.name == want {
			return k, nil
		}
		names = append(names, k.name)
	}
	return best, fmt.Errorf("autograd: TOBAC_KERNELS is %q, want one of %s on this processor", want, strings.Join(names, ", "))
}

// Kernels is the name of the vector kernels in use.
func Kernels() string { return kernels.name }

// lessVS takes the sign of u − p, without a branch that noise would mispredict.
//
//go:noinline
func lessVS(dst, u []float64, p float64) {
	u = u[:len(dst)]
	const one = 0x3ff0000000000000
	for i := range dst {
		d := u[i] - p
		if d != d { // NaN, or equal infinities
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
		vectorExp(e, arg[:len(e)])
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

func sumExp(a []float64, shift float64) float64 {
	s := 0.0
	for _, x := range a {
		s += math.Exp(x - shift)
	}
	return s
}

func maxOf(a []float64) float64 {
	top := math.Inf(-1)
	for _, x := range a {
		if !(x <= top) { // larger, or NaN
			top = x
			if x != x {
				return x
			}
		}
	}
	return top
}

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects: xoshiro256++ in eight interleaved lanes, whose
// states SplitMix64 draws from the seed. The numbers are the same for every
// kernel set and processor.
func FillUniform(dst []float64, seed uint64) {
	var state [32]uint64
	for i := range state {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		state[i] = z ^ z>>31
	}
	n := len(dst) &^ (vectorLen - 1)
	if n > 0 {
		drawUniform(dst[:n], &state)
	}
	if n < len(dst) {
		var rest [vectorLen]float64
		drawUniform(rest[:], &state)
		copy(dst[n:], rest[:])
	}
}

// uniformVec advances lane l = i mod 8 for number i; state word w of lane l is
// state[8w+l]. A draw k of 52 bits becomes (k+½)·2⁻⁵². Two lanes go together,
// since each is a chain of dependent operations.
func uniformVec(dst []float64, state *[32]uint64) {
	for l := 0; l < vectorLen; l += 2 {
		a, b, c, d := state[l], state[8+l], state[16+l], state[24+l]
		e, f, g, h := state[l+1], state[9+l], state[17+l], state[25+l]
		for i := l; i+1 < len(dst); i += vectorLen {
			o, p := bits.RotateLeft64(a+d, 23)+a, bits.RotateLeft64(e+h, 23)+e
			t, u := b<<17, f<<17
			c ^= a
			g ^= e
			d ^= b
			h ^= f
			b ^= c
			f ^= g
			a ^= d
			e ^= h
			c ^= t
			g ^= u
			d = bits.RotateLeft64(d, 45)
			h = bits.RotateLeft64(h, 45)
			dst[i] = (float64(int64(o>>12)) + 0.5) * 0x1p-52
			dst[i+1] = (float64(int64(p>>12)) + 0.5) * 0x1p-52
		}
		state[l], state[8+l], state[16+l], state[24+l] = a, b, c, d
		state[l+1], state[9+l], state[17+l], state[25+l] = e, f, g, h
	}
}
