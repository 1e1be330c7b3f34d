package vector

import "math"

// Div is dst = x/y. All have one length; dst may be x or y.
func (s Set) Div(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, quotient) {
		return
	}
	divideKernel(dst, x, y)
}

// DivScalar is dst = x/p for a number p. dst and x have one length; dst may be x.
func (s Set) DivScalar(dst, x []float64, p float64) {
	dst = dst[:len(x)]
	if s == Portable {
		each(dst, x, func(x float64) float64 { return x / p })
		return
	}
	ps := one(p)
	divideKernel(dst, x, ps[:0])
}

// ScalarDiv is dst = p/x for a number p. dst and x have one length; dst may be x.
func (s Set) ScalarDiv(dst []float64, p float64, x []float64) {
	dst = dst[:len(x)]
	if s == Portable {
		each(dst, x, func(x float64) float64 { return p / x })
		return
	}
	ps := one(p)
	divideKernel(dst, ps[:0], x)
}

// one is the operand p of a kernel for all elements, of no length.
func one(p float64) [block]float64 { return [block]float64{p} }

// SubProduct is dst = x − y·z, rounded once, or twice by [Portable]. All have one length;
// dst may be any of them.
func (s Set) SubProduct(dst, x, y, z []float64) {
	n := len(x)
	dst, y, z = dst[:n], y[:n], z[:n]
	if s == Portable {
		for i, v := range x {
			dst[i] = v - float64(y[i]*z[i])
		}
		return
	}
	subProductKernel(dst, x, y, z, s == AVX512)
}

// Larger is dst = max(x, y), NaN where either is; 0 is larger than −0. All have one length;
// dst may be x or y. See [Set.Maximum] for infinities that win over NaN.
func (s Set) Larger(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, larger) {
		return
	}
	largerKernel(dst, x, y)
}

// Smaller is dst = min(x, y), NaN where either is; −0 is smaller than 0. All have one
// length; dst may be x or y.
func (s Set) Smaller(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, smaller) {
		return
	}
	smallerKernel(dst, x, y)
}

// Greater is dst = 1 where x > y, else 0, NaN where either is. All have one length; dst
// may be x or y.
func (s Set) Greater(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, greater) {
		return
	}
	greaterKernel(dst, x, y)
}

// AtLeast is dst = 1 where x ≥ y, else 0, NaN where either is. All have one length; dst
// may be x or y.
func (s Set) AtLeast(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, reaches) {
		return
	}
	reachesKernel(dst, x, y)
}

// Equal is dst = 1 where x = y, else 0, NaN where either is. All have one length; dst may
// be x or y.
func (s Set) Equal(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, equal) {
		return
	}
	equalKernel(dst, x, y)
}

// indicator is 1 if a comparison of x with y holds, else 0, NaN if either is.
func indicator(holds bool, x, y float64) float64 {
	switch {
	case holds:
		return 1
	case x != x || y != y:
		return math.NaN()
	}
	return 0
}

func quotient(x, y float64) float64 { return x / y }
func larger(x, y float64) float64   { return max(x, y) }
func smaller(x, y float64) float64  { return min(x, y) }
func greater(x, y float64) float64  { return indicator(x > y, x, y) }
func reaches(x, y float64) float64  { return indicator(x >= y, x, y) }
func equal(x, y float64) float64    { return indicator(x == y, x, y) }
func positive(x float64) float64    { return indicator(x > 0, x, x) }

// Positive is dst = 1 where x > 0, else 0, NaN of NaN. dst and x have one length; dst may
// be x.
func (s Set) Positive(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, positive) {
		return
	}
	positiveKernel(dst, x)
}

// Sign is dst = 1 where x > 0, −1 where x < 0, and x itself where it is 0 or NaN. dst and x
// have one length; dst may be x.
func (s Set) Sign(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, sign) {
		return
	}
	signKernel(dst, x)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// Where is dst = x where the condition is not 0, NaN included, and y elsewhere. All have one
// length; dst may be any of them.
func (s Set) Where(dst, condition, x, y []float64) {
	n := len(condition)
	dst, x, y = dst[:n], x[:n], y[:n]
	if s == Portable {
		for i, c := range condition {
			if c != 0 {
				dst[i] = x[i]
			} else {
				dst[i] = y[i]
			}
		}
		return
	}
	whereKernel(dst, condition, x, y)
}
