package autograd

import "math"

// Vector kernels in portable Go. dst and operands have one length; dst may be
// an operand.

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

//go:noinline
func negVec(dst, x []float64) {
	for i, v := range x {
		dst[i] = -v
	}
}

func squareVec(dst, x []float64) { kernels.MulEach(dst, x, x) }

// tanhVec is (1 − e^−2|x|)/(1 + e^−2|x|) with the sign of x, but for small x, where
// the difference would cancel.
func tanhVec(dst, x []float64) {
	var arg, exp [64]float64
	for len(x) > 0 {
		n := min(len(x), len(arg))
		for i, v := range x[:n] {
			arg[i] = max(-2*math.Abs(v), -700) // beyond which the result is ±1
		}
		kernels.Exp(exp[:n], arg[:n])
		for i, v := range x[:n] {
			if math.Abs(v) < 0.625 {
				dst[i] = math.Tanh(v)
			} else {
				dst[i] = math.Copysign((1-exp[i])/(1+exp[i]), v)
			}
		}
		x, dst = x[n:], dst[n:]
	}
}

//go:noinline
func addVV(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

//go:noinline
func addVS(dst, a []float64, b float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b
	}
}

//go:noinline
func subVS(dst, a []float64, b float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b
	}
}

//go:noinline
func subSV(dst []float64, a float64, b []float64) {
	b = b[:len(dst)]
	for i := range dst {
		dst[i] = a - b[i]
	}
}

// swapped exchanges the operands of a commutative kernel.
func swapped(vs func(dst, a []float64, b float64)) func(dst []float64, a float64, b []float64) {
	return func(dst []float64, a float64, b []float64) { vs(dst, b, a) }
}

func divVV(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func divVS(dst, a []float64, b float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b
	}
}

func divSV(dst []float64, a float64, b []float64) {
	b = b[:len(dst)]
	for i := range dst {
		dst[i] = a / b[i]
	}
}

// mulAddVS is dst += a·s.
//
//go:noinline
func mulAddVS(dst, a []float64, s float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] += a[i] * s
	}
}

// mulAddVV is dst += a∘b.
//
//go:noinline
func mulAddVV(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] += a[i] * b[i]
	}
}

// mulAdd4 is dst += Σ rᵢ·xᵢ over four terms.
//
//go:noinline
func mulAdd4(dst []float64, r0 float64, x0 []float64, r1 float64, x1 []float64, r2 float64, x2 []float64, r3 float64, x3 []float64) {
	n := len(dst)
	x0, x1, x2, x3 = x0[:n], x1[:n], x2[:n], x3[:n]
	for i := range dst {
		dst[i] += (r0*x0[i] + r1*x1[i]) + (r2*x2[i] + r3*x3[i])
	}
}

// fill completes a unary kernel from its scalar function.
func (k *unaryKernel) fill() {
	if f := k.f; k.vec == nil {
		k.vec = func(dst, x []float64) {
			for i, v := range x {
				dst[i] = f(v)
			}
		}
	}
}

// fill completes a binary kernel from its scalar function.
func (k *binaryKernel) fill() {
	f := k.f
	if k.vv == nil {
		k.vv = func(dst, a, b []float64) {
			for i := range dst {
				dst[i] = f(a[i], b[i])
			}
		}
	}
	if k.vs == nil {
		k.vs = func(dst, a []float64, b float64) {
			for i := range dst {
				dst[i] = f(a[i], b)
			}
		}
	}
	if k.sv == nil {
		k.sv = func(dst []float64, a float64, b []float64) {
			for i := range dst {
				dst[i] = f(a, b[i])
			}
		}
	}
}
