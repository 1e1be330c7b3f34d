package autograd

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strings"
	"unsafe"
)

// A kernelSet holds the vector kernels that carry most of the time. Pointers
// are to the first of n numbers, n a positive multiple of vectorLen, except for
// sumExp and max, which take any positive number of them. A dst may be one of
// the operands of the same call, at the same place.
type kernelSet struct {
	name           string
	add            func(dst, a, b *float64, n int)
	sub            func(dst, a, b *float64, n int)
	mul            func(dst, a, b *float64, n int)
	mulAdd         func(dst, a, b *float64, n int)            // dst += a∘b
	scale          func(dst, a *float64, n int, s float64)    // dst = s·a
	affine         func(dst, a *float64, n int, s, t float64) // dst = s·a + t
	less           func(dst, u *float64, n int, p float64)    // dst = 1[u < p]
	shift          func(dst, u *float64, n int, p, q float64) // dst = p·u/(p·u + q·(1−u))
	relu, positive func(dst, x *float64, n int)               // dst = max(x, 0), dst = 1[x > 0]
	dot            func(dst, m, r *float64, n int, terms *laneTerm, k int)
	dotPairs       func(dst, r *float64, n int, terms *laneTerm, k int)
	exp            func(dst, a []float64)
	sumExp         func(a []float64, shift float64) float64 // Σ e^(a−shift), a ≤ shift
	max            func(a []float64) float64                // NaN if there is one
}

// portable are the kernels in plain Go, which run everywhere and which the
// others are tested against.
var portable = kernelSet{
	name: "portable",
	add:  binaryOf(addVV), sub: binaryOf(subVV), mul: binaryOf(mulVV), mulAdd: binaryOf(mulAddVV),
	scale: scalarOf(mulVS), less: scalarOf(lessVS),
	affine: func(dst, a *float64, n int, s, t float64) {
		affineVS(unsafe.Slice(dst, n), unsafe.Slice(a, n), s, t)
	},
	shift: func(dst, u *float64, n int, p, q float64) {
		shiftVS(unsafe.Slice(dst, n), unsafe.Slice(u, n), p, q)
	},
	relu: unaryOf(reluVec), positive: unaryOf(positiveVec),
	dot: dotLanes, dotPairs: dotPairs,
	exp: expVec, sumExp: sumExp, max: maxOf,
}

func binaryOf(f func(dst, a, b []float64)) func(dst, a, b *float64, n int) {
	return func(dst, a, b *float64, n int) { f(unsafe.Slice(dst, n), unsafe.Slice(a, n), unsafe.Slice(b, n)) }
}

func unaryOf(f func(dst, x []float64)) func(dst, x *float64, n int) {
	return func(dst, x *float64, n int) { f(unsafe.Slice(dst, n), unsafe.Slice(x, n)) }
}

func scalarOf(f func(dst, a []float64, s float64)) func(dst, a *float64, n int, s float64) {
	return func(dst, a *float64, n int, s float64) { f(unsafe.Slice(dst, n), unsafe.Slice(a, n), s) }
}

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

func affineVS(dst, a []float64, s, t float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = s*a[i] + t
	}
}

// lessVS takes the sign of u − p, without a branch that noise would mispredict.
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

// dotLanes is dst = Σ m[factor]·r[reg] over k > 0 terms, registers n apart.
func dotLanes(dst, m, r *float64, n int, terms *laneTerm, k int) {
	d, ts := unsafe.Slice(dst, n), unsafe.Slice(terms, k)
	factor := func(t laneTerm) float64 { return *(*float64)(unsafe.Add(unsafe.Pointer(m), 8*int(t.factor))) }
	reg := func(t laneTerm) []float64 {
		return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(r), 8*n*int(t.reg))), n)
	}
	// The first one to four terms write, the others add, four at a time.
	first := (k-1)&3 + 1
	switch first {
	case 1:
		mulVS(d, reg(ts[0]), factor(ts[0]))
	case 2:
		mul2(d, factor(ts[0]), reg(ts[0]), factor(ts[1]), reg(ts[1]))
	case 3:
		mul3(d, factor(ts[0]), reg(ts[0]), factor(ts[1]), reg(ts[1]), factor(ts[2]), reg(ts[2]))
	case 4:
		mul4(d, factor(ts[0]), reg(ts[0]), factor(ts[1]), reg(ts[1]), factor(ts[2]), reg(ts[2]), factor(ts[3]), reg(ts[3]))
	}
	for t := ts[first:]; len(t) >= 4; t = t[4:] {
		mulAdd4(d, factor(t[0]), reg(t[0]), factor(t[1]), reg(t[1]), factor(t[2]), reg(t[2]), factor(t[3]), reg(t[3]))
	}
}

// dotPairs is dst = Σ r[reg]∘r[factor] over k > 0 terms, registers n apart.
func dotPairs(dst, r *float64, n int, terms *laneTerm, k int) {
	reg := func(i int32) []float64 {
		return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(r), 8*n*int(i))), n)
	}
	d := unsafe.Slice(dst, n)
	for i, t := range unsafe.Slice(terms, k) {
		if i == 0 {
			mulVV(d, reg(t.reg), reg(t.factor))
		} else {
			mulAddVV(d, reg(t.reg), reg(t.factor))
		}
	}
}

func reluVec(dst, x []float64) {
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

func positiveVec(dst, x []float64) {
	for i, v := range x {
		dst[i] = positive(v)
	}
}

func shiftVS(dst, u []float64, p, q float64) {
	u = u[:len(dst)]
	for i, v := range u {
		w := p * v
		dst[i] = w / (w + q*(1-v))
	}
}

// shiftFactors are p and q of σ(x + logit u) = p·u/(p·u + q·(1−u)), chosen so
// that neither overflows.
func shiftFactors(x float64) (p, q float64) {
	if x >= 0 {
		return 1, math.Exp(-x)
	}
	return math.Exp(x), 1
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
