package vm

import "math"

// Kernels in portable Go. dst and operands have one length; dst may be an operand.

// finite replaces infinities by the largest number of their sign.
//
//go:noinline
func finite(dst, x []float64) {
	for i, v := range x {
		dst[i] = max(min(v, math.MaxFloat64), -math.MaxFloat64)
	}
}

// addScaled is dst += a·s.
//
//go:noinline
func addScaled(dst, a []float64, s float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] += a[i] * s
	}
}

// mulAdd is dst += a∘b.
//
//go:noinline
func mulAdd(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] += a[i] * b[i]
	}
}

// mul2, mul3 and mul4 are dst = Σ rᵢ·xᵢ over two, three and four terms.
//
//go:noinline
func mul2(dst []float64, r0 float64, x0 []float64, r1 float64, x1 []float64) {
	n := len(dst)
	x0, x1 = x0[:n], x1[:n]
	for i := range dst {
		dst[i] = r0*x0[i] + r1*x1[i]
	}
}

//go:noinline
func mul3(dst []float64, r0 float64, x0 []float64, r1 float64, x1 []float64, r2 float64,
	x2 []float64) {
	n := len(dst)
	x0, x1, x2 = x0[:n], x1[:n], x2[:n]
	for i := range dst {
		dst[i] = (r0*x0[i] + r1*x1[i]) + r2*x2[i]
	}
}

//go:noinline
func mul4(dst []float64, r0 float64, x0 []float64, r1 float64, x1 []float64, r2 float64,
	x2 []float64, r3 float64, x3 []float64) {
	n := len(dst)
	x0, x1, x2, x3 = x0[:n], x1[:n], x2[:n], x3[:n]
	for i := range dst {
		dst[i] = (r0*x0[i] + r1*x1[i]) + (r2*x2[i] + r3*x3[i])
	}
}

// mulAdd4 is dst += Σ rᵢ·xᵢ over four terms.
//
//go:noinline
func mulAdd4(dst []float64, r0 float64, x0 []float64, r1 float64, x1 []float64, r2 float64,
	x2 []float64, r3 float64, x3 []float64) {
	n := len(dst)
	x0, x1, x2, x3 = x0[:n], x1[:n], x2[:n], x3[:n]
	for i := range dst {
		dst[i] += (r0*x0[i] + r1*x1[i]) + (r2*x2[i] + r3*x3[i])
	}
}

//go:noinline
func relu(dst, x []float64) {
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

//go:noinline
func positive(dst, x []float64) {
	for i, v := range x {
		switch {
		case v > 0:
			dst[i] = 1
		case v <= 0:
			dst[i] = 0
		default:
			dst[i] = v
		}
	}
}

// less is 1[u < p], by the sign of u − p, without a branch that noise would mispredict.
//
//go:noinline
func less(dst, u []float64, p float64) {
	u = u[:len(dst)]
	const one = 0x3ff0000000000000
	for i, v := range u {
		d := v - p + 0 // not −0
		x := math.Float64frombits(math.Float64bits(d) >> 63 * one)
		if d != d { // NaN, or equal infinities
			x = 0
			if v != p {
				x = math.NaN()
			}
		}
		dst[i] = x
	}
}

// sigmoidShift is p·u/(p·u + q·(1−u)) for p and q, which pq starts with.
//
//go:noinline
func sigmoidShift(dst, u, pq []float64) {
	u = u[:len(dst)]
	p, q := pq[0], pq[1]
	for i, v := range u {
		w := p * v
		dst[i] = w / (w + q*(1-v))
	}
}
