package vector

//go:generate go -C ../gen run ./kernels

import (
	"fmt"
	"runtime"
)

// A Set is one implementation of the kernels, which are its methods.
type Set uint8

const (
	// Portable runs everywhere.
	Portable Set = iota
	// AVX2 needs a processor with AVX2 and FMA: see [Available].
	AVX2
	// AVX512 needs AVX-512 F and DQ as well. Its results are those of AVX2, to the
	// bit; a method that it has no assembly for runs that of AVX2.
	AVX512
)

// String returns the name by which TOBAC_KERNELS selects the set.
func (s Set) String() string {
	switch s {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Set(%d)", uint8(s))
}

// Arithmetic says what decides the bits of a result beside its definition: the
// precision of numbers, the processor's architecture, and the set, where [AVX512]
// stands as avx2, whose bits it has.
func (s Set) Arithmetic() string {
	if s == AVX512 {
		s = AVX2
	}
	return "float64 " + runtime.GOARCH + " " + s.String()
}

// block is the number of float64 that assembly takes at a time.
const block = 8

// blocks is how many of n numbers assembly takes.
func (s Set) blocks(n int) int {
	if s == Portable {
		return 0
	}
	return n &^ (block - 1)
}

// portable is dst = f(x), element by element, of [Portable] alone.
func (s Set) portable(dst, x []float64, f func(float64) float64) bool {
	if s == Portable {
		each(dst, x, f)
	}
	return s == Portable
}

// portablePair is dst = f(x, y), element by element, of [Portable] alone.
func (s Set) portablePair(dst, x, y []float64, f func(x, y float64) float64) bool {
	if s == Portable {
		for i, v := range x {
			dst[i] = f(v, y[i])
		}
	}
	return s == Portable
}

// each is dst = f(x), element by element.
func each(dst, x []float64, f func(float64) float64) {
	for i, v := range x {
		dst[i] = f(v)
	}
}
