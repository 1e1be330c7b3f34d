package autograd

import (
	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// elementwise2 is the row of an element-wise function of two operands.
func elementwise2(name string, k ir.Binary, vjp func(y, ct *Node) []*Node) *Primitive {
	completeBinary(&k)
	p := &Primitive{Name: name, Shape: sameShape, class: ir.Elementwise2, form: k.Form, binary: &k,
		Value: valueOf2(&k)}
	if vjp != nil {
		p.VJP = func(y, ct *Node) []*Node {
			cts := vjp(y, ct)
			for i, c := range cts {
				if c != nil && len(y.args[i].shape) == 0 && len(c.shape) > 0 {
					cts[i] = c.Sum()
				}
			}
			return cts
		}
	}
	return p
}

func scalarStride(x, out []float64) int {
	if len(x) == len(out) {
		return 1
	}
	return 0
}

func init() {
	register(
		elementwise2("add", ir.Binary{Form: ir.Add, VV: kernels.Add, VS: kernels.Shift,
			SV: swapped(kernels.Shift), Zero: ir.ZeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct} }),
		elementwise2("sub",
			ir.Binary{Form: ir.Sub, VV: kernels.Sub, VS: subVS, SV: vector.ScalarSub,
				Zero: ir.ZeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct.Neg()} }),
		elementwise2("mul", ir.Binary{Form: ir.Mul, VV: kernels.MulEach, VS: kernels.Scale,
			SV: swapped(kernels.Scale), Zero: ir.ZeroEither},
			func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.args[1]), ct.Mul(y.args[0])} }),
		elementwise2("div", ir.Binary{Form: ir.Div, VV: kernels.Div, VS: kernels.DivScalar,
			SV: kernels.ScalarDiv, Zero: ir.ZeroFirst},
			func(y, ct *Node) []*Node {
				q := ct.Div(y.args[1])
				return []*Node{q, q.Mul(y).Neg()}
			}),
		elementwise2("maximum", ir.Binary{Form: ir.Maximum, VV: kernels.Maximum},
			func(y, ct *Node) []*Node {
				w := y.args[0].share(y.args[1])
				return []*Node{ct.Mul(w), ct.Mul(w.b.Scalar(1).Sub(w))}
			}),
		elementwise2("minimum", ir.Binary{Form: ir.Minimum, VV: kernels.Minimum},
			func(y, ct *Node) []*Node {
				w := y.args[1].share(y.args[0])
				return []*Node{ct.Mul(w), ct.Mul(w.b.Scalar(1).Sub(w))}
			}),
		elementwise2("greater", ir.Binary{Form: ir.Greater, VV: kernels.Greater}, nil),
		elementwise2("sigmoid_shift", ir.Binary{Form: ir.SigmoidShift, VV: sigmoidShift},
			func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.Sub(y.Square())), nil} }),
		// The value is the first operand's, the derivative the second's.
		elementwise2("straight_through", ir.Binary{VV: func(dst, a, _ []float64) { copy(dst, a) }},
			func(y, ct *Node) []*Node { return []*Node{nil, ct} }),
	)
}

// share is 1 where n > m, 0 where n < m, and a half where they are equal.
func (n *Node) share(m *Node) *Node { return n.Greater(m).Add(n.AtLeast(m)).Scale(0.5) }

// sigmoidShift is u/(u + (1−u)e^−x), or for negative x ue^x/(ue^x + (1−u)), so that neither
// exponential overflows.
func sigmoidShift(dst, x, u []float64) {
	var power [stretch]float64
	for len(dst) > 0 {
		n := min(len(dst), len(power))
		e := power[:n]
		kernels.Abs(e, x[:n])
		kernels.Scale(e, e, -1)
		kernels.Exp(e, e)
		for i, v := range e {
			dst[i] = shifted(x[i], v, u[i])
		}
		dst, x, u = dst[n:], x[n:], u[n:]
	}
}

// shifted is the sigmoid shift of x, with e = e^−|x|, and u.
func shifted(x, e, u float64) float64 {
	p, q := u, (1-u)*e
	if !(x >= 0) {
		p, q = u*e, 1-u
	}
	return p / (p + q)
}
