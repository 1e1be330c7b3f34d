package autograd

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// A binaryKernel computes an element-wise function of two operands in the
// compiled engine: vector with vector, vector with scalar, scalar with vector.
type binaryKernel struct {
	f  func(a, b float64) float64
	vv func(dst, a, b []float64)
	vs func(dst, a []float64, b float64)
	sv func(dst []float64, a float64, b []float64)

	// Structural zeros of the result: where either operand is zero (product),
	// where both are (sum), or where the first is (quotient).
	zero zeroRule
}

type zeroRule int

const (
	zeroNever zeroRule = iota
	zeroEither
	zeroBoth
	zeroFirst
)

func elementwise2(name string, native func(a, b *G.Node) (*G.Node, error), k binaryKernel, vjp func(y, ct *Node) []*Node) *rule {
	k.fill()
	r := &rule{
		name:   name,
		shape:  sameShape,
		kernel: kernelBinary,
		binary: &k,
		eval: func(_ attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
			a, b := in[0], in[1]
			sa, sb := scalarStride(a, out), scalarStride(b, out)
			for i := range out {
				out[i] = k.f(a[i*sa], b[i*sb])
			}
			return nil
		},
	}
	if native != nil {
		r.native = func(_ attr, in []*G.Node) (*G.Node, error) { return native(in[0], in[1]) }
	}
	if vjp != nil {
		r.vjp = func(y, ct *Node) []*Node {
			cts := vjp(y, ct)
			for i, c := range cts {
				if c != nil && len(y.args[i].shape) == 0 && len(c.shape) > 0 {
					cts[i] = c.Sum()
				}
			}
			return cts
		}
	}
	return r
}

func scalarStride(x, out []float64) int {
	if len(x) == len(out) {
		return 1
	}
	return 0
}

func init() {
	register(
		elementwise2("add", G.Add, binaryKernel{f: func(a, b float64) float64 { return a + b }, vv: kernels.Add, vs: kernels.Shift, sv: swapped(kernels.Shift), zero: zeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct} }),
		elementwise2("sub", G.Sub, binaryKernel{f: func(a, b float64) float64 { return a - b }, vv: kernels.Sub, vs: subVS, sv: subSV, zero: zeroBoth},
			func(y, ct *Node) []*Node { return []*Node{ct, ct.Neg()} }),
		elementwise2("mul", G.HadamardProd, binaryKernel{f: func(a, b float64) float64 { return a * b }, vv: kernels.MulEach, vs: kernels.Scale, sv: swapped(kernels.Scale), zero: zeroEither},
			func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.args[1]), ct.Mul(y.args[0])} }),
		elementwise2("div", G.HadamardDiv, binaryKernel{f: func(a, b float64) float64 { return a / b }, vv: divVV, vs: divVS, sv: divSV, zero: zeroFirst},
			func(y, ct *Node) []*Node {
				q := ct.Div(y.args[1])
				return []*Node{q, q.Mul(y).Neg()}
			}),
		elementwise2("maximum", nil, binaryKernel{f: math.Max},
			func(y, ct *Node) []*Node {
				w := y.args[0].Sub(y.args[1]).Sign().AddScalar(1).Scale(0.5)
				return []*Node{ct.Mul(w), ct.Mul(w.b.Scalar(1).Sub(w))}
			}),
		elementwise2("minimum", nil, binaryKernel{f: math.Min},
			func(y, ct *Node) []*Node {
				w := y.args[1].Sub(y.args[0]).Sign().AddScalar(1).Scale(0.5)
				return []*Node{ct.Mul(w), ct.Mul(w.b.Scalar(1).Sub(w))}
			}),
		elementwise2("greater", nil, binaryKernel{f: func(a, b float64) float64 {
			switch {
			case a > b:
				return 1
			case a <= b:
				return 0
			}
			return math.NaN()
		}}, nil),
		elementwise2("sigmoid_shift", nil, binaryKernel{f: sigmoidShift, sv: sigmoidShiftSV},
			func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.Sub(y.Square())), nil} }),
		// The value is the first operand's, the derivative the second's.
		elementwise2("straight_through", nil, binaryKernel{f: func(a, _ float64) float64 { return a }},
			func(y, ct *Node) []*Node { return []*Node{nil, ct} }),
	)
}

// elementwise broadcasts both operands to their common shape (scalars stay as
// they are) and applies the named row.
func (n *Node) elementwise(name string, m *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if m.b != n.b || len(n.shape) == 0 || len(m.shape) == 0 || n.shape.Equal(m.shape) {
		return n.op1(name, attr{}, m) // which refuses a foreign m
	}
	shape, ok := broadcast(n.shape, m.shape)
	if !ok {
		return n.b.fail(n.shape, "%s: shapes %v and %v do not broadcast", name, n.shape, m.shape)
	}
	return n.Expand(shape).op1(name, attr{}, m.Expand(shape))
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

// sigmoidShift handles both signs without overflow.
func sigmoidShift(x, u float64) float64 {
	if x >= 0 {
		return u / (u + (1-u)*math.Exp(-x))
	}
	v := u * math.Exp(x)
	return v / (v + (1 - u))
}

func sigmoidShiftSV(dst []float64, x float64, u []float64) {
	u = u[:len(dst)]
	if x >= 0 {
		e := math.Exp(-x)
		for i, v := range u {
			dst[i] = v / (v + (1-v)*e)
		}
		return
	}
	e := math.Exp(x)
	for i, v := range u {
		w := v * e
		dst[i] = w / (w + (1 - v))
	}
}
