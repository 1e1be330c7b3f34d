package vector

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Add is dst = a + b. All have one length; dst may be a or b.
func (s Set) Add(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := s.blocks(len(dst))
	if n > 0 {
		addAVX2(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] + b[i]
	}
}

// Sub is dst = a − b. All have one length; dst may be a or b.
func (s Set) Sub(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := s.blocks(len(dst))
	if n > 0 {
		subAVX2(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] - b[i]
	}
}

// MulEach is dst = a∘b. All have one length; dst may be a or b.
func (s Set) MulEach(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := s.blocks(len(dst))
	if n > 0 {
		mulAVX2(&dst[0], &a[0], &b[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] * b[i]
	}
}

// Shift is dst = a + b for a number b. dst and a have one length and may be one.
func (s Set) Shift(dst, a []float64, b float64) {
	a = a[:len(dst)]
	n := s.blocks(len(dst))
	if n > 0 {
		shiftAVX2(&dst[0], &a[0], b, n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] + b
	}
}

// Scale is dst = a·b for a number b. dst and a have one length and may be one.
func (s Set) Scale(dst, a []float64, b float64) {
	a = a[:len(dst)]
	n := s.blocks(len(dst))
	if n > 0 {
		scaleAVX2(&dst[0], &a[0], b, n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] * b
	}
}

// Fill is dst = v.
func Fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// Neg is dst = −x. Both have one length; dst may be x.
func Neg(dst, x []float64) {
	for i, v := range x {
		dst[i] = -v
	}
}

// ScalarSub is dst = a − b for a number a. dst and b have one length and may be one.
func ScalarSub(dst []float64, a float64, b []float64) {
	b = b[:len(dst)]
	for i := range dst {
		dst[i] = a - b[i]
	}
}

// Gather is dst[i] = a[index[i]]. dst and index have one length. An index outside a
// is undefined behaviour; dst does not overlap a.
func (s Set) Gather(dst, a []float64, index []int32) {
	dst = dst[:len(index)]
	n := s.blocks(len(dst))
	if n > 0 {
		gatherAVX2(&dst[0], &a[0], &index[0], n)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[index[i]]
	}
}

// AddScaled is dst = a + scale·b. All have one length; dst may be a or b.
func (s Set) AddScaled(dst, a []float64, scale float64, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if s == Portable {
		floats.AddScaledTo(dst, a, scale, b)
		return
	}
	n := len(dst) &^ (block - 1)
	if n > 0 {
		addScaledAVX2(&dst[0], &a[0], &b[0], n, scale)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] + float64(scale*b[i])
	}
}

// ScaledSum is dst = scale·(a + b). All have one length; dst may be a or b.
func (s Set) ScaledSum(dst []float64, scale float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if s == Portable {
		floats.AddScaledTo(dst, a, 1, b)
		floats.Scale(scale, dst)
		return
	}
	n := len(dst) &^ (block - 1)
	if n > 0 {
		scaledSumAVX2(&dst[0], &a[0], &b[0], n, scale)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = scale * (a[i] + b[i])
	}
}

// ScaleByRMS replaces the squares, a running mean with factor decay, and x divided
// by their root:
//
//	squares = decay·squares + (1−decay)·x²
//	x       = rate·x/√(squares + epsilon)
//
// Both have one length.
func (s Set) ScaleByRMS(x, squares []float64, decay, rate, epsilon float64) {
	squares = squares[:len(x)]
	n := 0
	if s != Portable {
		if n = len(x) &^ (block - 1); n > 0 {
			scaleByRMSAVX2(&x[0], &squares[0], n, decay, 1-decay, rate, epsilon)
		}
	}
	for i := n; i < len(x); i++ {
		v := x[i]
		squares[i] = float64(decay*squares[i]) + float64((1-decay)*v*v)
		x[i] = rate * v / math.Sqrt(squares[i]+epsilon)
	}
}

// Finite reports whether a holds neither a NaN nor an infinity.
func (s Set) Finite(a []float64) bool {
	if s == Portable {
		return finite(a)
	}
	n := len(a) &^ (block - 1)
	return (n == 0 || finiteAVX2(&a[0], n)) && finite(a[n:])
}

func finite(a []float64) bool {
	// f − f is 0 for finite f and NaN otherwise. A finite sum has finite terms
	// only; the converse fails where finite terms overflow.
	if sum := floats.Sum(a); sum-sum == 0 {
		return true
	}
	for _, f := range a {
		if f-f != 0 {
			return false
		}
	}
	return true
}
