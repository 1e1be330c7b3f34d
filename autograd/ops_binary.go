package autograd

import "tobac/autograd/internal/ir"

// elementwise2 is the row of an element-wise function of two operands.
func elementwise2(name string, k ir.Binary, vjp func(y, ct *Node) []*Node) *Primitive {
	completeBinary(&k)
	p := &Primitive{Name: name, Shape: sameShape, class: ir.Elementwise2, form: k.Form, binary: &k, Value: valueOf2(&k)}
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

// valueOf2 evaluates a function of two operands on all elements; scalars go with
// every element of the other operand.
func valueOf2(k *ir.Binary) func(Attr, []float64, Shape, [][]float64, []Shape) error {
	return func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		switch a, b := in[0], in[1]; {
		case len(a) == len(out) && len(b) == len(out):
			k.VV(out, a, b)
		case len(a) == len(out):
			k.VS(out, a, b[0])
		default:
			k.SV(out, a[0], b)
		}
		return nil
	}
}

// completeBinary makes what is missing: from the function of two vectors if there is one,
// else from that of two numbers.
func completeBinary(k *ir.Binary) {
	if vv := k.VV; vv != nil {
		if k.VS == nil {
			k.VS = func(dst, a []float64, b float64) {
				fill(dst, b)
				vv(dst, a, dst)
			}
		}
		if k.SV == nil {
			k.SV = func(dst []float64, a float64, b []float64) {
				fill(dst, a)
				vv(dst, dst, b)
			}
		}
		return
	}
	f := k.F
	if k.VV == nil {
		k.VV = func(dst, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = f(a[i], b[i])
			}
		}
	}
	if k.VS == nil {
		k.VS = func(dst, a []float64, b float64) {
			a = a[:len(dst)]
			for i := range dst {
				dst[i] = f(a[i], b)
			}
		}
	}
	if k.SV == nil {
		k.SV = func(dst []float64, a float64, b []float64) {
			b = b[:len(dst)]
			for i := range dst {
				dst[i] = f(a, b[i])
			}
		}
	}
}

func scalarStride(x, out []float64) int {
	if len(x) == len(out) {
		return 1
	}
	return 0
}

func init() {
	register(
		elementwise2("add", ir.Binary{Form: ir.Add, VV: kernels.Add, VS: kernels.Shift, SV: swapped(kernels.Shift), Zero: ir.ZeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct} }),
		elementwise2("sub", ir.Binary{Form: ir.Sub, VV: kernels.Sub, VS: subVS, SV: subSV, Zero: ir.ZeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct.Neg()} }),
		elementwise2("mul", ir.Binary{Form: ir.Mul, VV: kernels.MulEach, VS: kernels.Scale, SV: swapped(kernels.Scale), Zero: ir.ZeroEither},
			func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.args[1]), ct.Mul(y.args[0])} }),
		elementwise2("div", ir.Binary{Form: ir.Div, VV: kernels.Div, VS: kernels.DivScalar, SV: kernels.ScalarDiv, Zero: ir.ZeroFirst},
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

// elementwise applies the named row to both operands.
func (n *Node) elementwise(name string, m *Node) *Node {
	return n.pointwise(primitives[name], Attr{}, m)
}

// pointwise broadcasts both operands to their common shape (scalars stay as
// they are) and applies an element-wise primitive.
func (n *Node) pointwise(p *Primitive, at Attr, m *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if m.b != n.b || len(n.shape) == 0 || len(m.shape) == 0 || n.shape.Equal(m.shape) {
		return n.b.apply(p, at, n, m) // which refuses a foreign m
	}
	shape, ok := ir.Broadcast(n.shape, m.shape)
	if !ok {
		return n.b.fail(n.shape, "%s: shapes %v and %v do not broadcast", p.Name, n.shape, m.shape)
	}
	return n.b.apply(p, at, n.Expand(shape), m.Expand(shape))
}

// Add is n + m, element by element; shapes broadcast by the usual rule.
func (n *Node) Add(m *Node) *Node { return n.elementwise("add", m) }

// Sub is n − m, element by element; shapes broadcast by the usual rule.
func (n *Node) Sub(m *Node) *Node { return n.elementwise("sub", m) }

// Mul is the element-wise (Hadamard) product; shapes broadcast by the usual
// rule. See [Node.MatMul] for the matrix product.
func (n *Node) Mul(m *Node) *Node {
	switch {
	case m.b != n.b: // refused below
	case m.isScalarConstant(1):
		return n
	case n.isScalarConstant(1):
		return m
	case m.isScalarConstant(-1):
		return n.Neg()
	case n.isScalarConstant(-1):
		return m.Neg()
	}
	return n.elementwise("mul", m)
}

// Div is n / m, element by element; shapes broadcast by the usual rule.
func (n *Node) Div(m *Node) *Node { return n.elementwise("div", m) }

// Maximum is the larger of both, element by element. At a tie each operand
// receives half of the derivative.
func (n *Node) Maximum(m *Node) *Node { return n.elementwise("maximum", m) }

// Minimum is the smaller of both, element by element. At a tie each operand
// receives half of the derivative.
func (n *Node) Minimum(m *Node) *Node { return n.elementwise("minimum", m) }

// Greater is 1 where n > m, else 0. It has no derivative.
func (n *Node) Greater(m *Node) *Node { return n.elementwise("greater", m) }

// StraightThrough has the value of n and the derivative of soft: the
// straight-through estimator for a hard n.
func (n *Node) StraightThrough(soft *Node) *Node { return n.elementwise("straight_through", soft) }

// Scale is c·n.
func (n *Node) Scale(c float64) *Node { return n.Mul(n.b.Scalar(c)) }

// AddScalar is n + c.
func (n *Node) AddScalar(c float64) *Node { return n.Add(n.b.Scalar(c)) }

// SigmoidShift is σ(n + logit(u)) = u/(u + (1−u)e^−n) for u strictly inside
// (0, 1): the quantile-shifted logistic function, which draws a relaxed
// Bernoulli variable from a uniform u without a logarithm. u receives no
// derivative.
func (n *Node) SigmoidShift(u *Node) *Node { return n.elementwise("sigmoid_shift", u) }

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
