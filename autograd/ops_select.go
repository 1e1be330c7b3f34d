package autograd

import "tobac/autograd/internal/ir"

func init() {
	register(
		&Primitive{
			Name:  "where",
			Shape: sameShape,
			class: ir.Select,
			Value: func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
				c, a, b := in[0], in[1], in[2]
				sc, sa, sb := scalarStride(c, out), scalarStride(a, out), scalarStride(b, out)
				for i := range out {
					if c[i*sc] != 0 {
						out[i] = a[i*sa]
					} else {
						out[i] = b[i*sb]
					}
				}
				return nil
			},
			VJP: func(y, ct *Node) []*Node {
				c, zero := y.args[0], y.b.Scalar(0)
				cts := []*Node{nil, c.Where(ct, zero), c.Where(zero, ct)}
				for i := 1; i < 3; i++ {
					switch arg := y.args[i]; {
					case len(arg.shape) == 0:
						cts[i] = cts[i].Expand(y.shape).Sum()
					case len(cts[i].shape) == 0: // the condition and ct are scalars
						cts[i] = cts[i].Expand(y.shape)
					}
				}
				return cts
			},
		},
		&Primitive{
			Name: "clamp",
			each: func(at Attr) func(dst, x []float64) {
				lo, hi := at.Floats[0], at.Floats[1]
				return func(dst, x []float64) {
					kernels.MaximumScalar(dst, x, lo)
					kernels.MinimumScalar(dst, dst, hi)
				}
			},
			VJP: func(y, ct *Node) []*Node {
				x, lo, hi := y.args[0], y.attr.Floats[0], y.attr.Floats[1]
				inside := x.Greater(x.b.Scalar(lo)).Mul(x.b.Scalar(hi).Greater(x))
				return []*Node{inside.Where(ct, x.b.Scalar(0))}
			},
		},
		&Primitive{
			Name:  "stop_gradient",
			Shape: sameShape,
			view:  showFirst,
		},
	)
}

// Where selects, element by element, a where the condition n is not 0 and b
// elsewhere. Only the selected operand receives the derivative, the other one a
// 0. A function with an infinite derivative makes NaN of that 0: guard its
// argument, not its result, as in c.Where(c.Where(x, one).Log(), y).
func (n *Node) Where(a, b *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	shape := n.shape
	for _, m := range []*Node{a, b} {
		s, ok := ir.Broadcast(shape, m.shape)
		if !ok {
			return n.b.fail(shape, "where: shapes %v, %v and %v do not broadcast", n.shape, a.shape,
				b.shape)
		}
		shape = s
	}
	fit := func(m *Node) *Node {
		if len(m.shape) == 0 {
			return m
		}
		return m.Expand(shape)
	}
	return fit(n).op1("where", Attr{}, fit(a), fit(b))
}

// Clamp limits n to [lo, hi]; the derivative is 1 strictly inside and 0
// elsewhere.
func (n *Node) Clamp(lo, hi float64) *Node {
	if !(lo < hi) {
		return n.b.fail(n.shape, "clamp: bounds [%v, %v], want lo < hi", lo, hi)
	}
	return n.op1("clamp", Attr{Floats: []float64{lo, hi}})
}

// StopGradient has the value of n and no derivative.
func (n *Node) StopGradient() *Node { return n.op1("stop_gradient", Attr{}) }
