package autograd

import (
	"tobac/autograd/internal/ir"
)

// Softmax weights are e^{x−max x} over their sum. As exp(x − ln Σ e^x) they would
// carry the rounding 2⁻⁵³·|x| of the logarithm, and not sum to 1.
func init() {
	register(
		&Primitive{
			Name:  "softmax",
			class: ir.Softmax,
			Shape: func(at Attr, in []Shape) (Shape, error) {
				_, err := reduceShape(at, in)
				return in[0], err
			},
			Value: func(at Attr, out []float64, shape Shape, in [][]float64, _ []Shape) error {
				ir.Normalise(out, in[0], reduceSources(at, shape.Drop(at.Ints), shape))
				return nil
			},
			sources: func(at Attr, shape, _ Shape) [][]int {
				return reduceSources(at, shape.Drop(at.Ints), shape)
			},
			VJP: func(y, ct *Node) []*Node {
				mean := ct.Mul(y).Sum(y.attr.Ints...).lift(y.shape, y.attr.Ints)
				return []*Node{y.Mul(ct.Sub(mean))}
			},
		},
		softmaxOver("softmax_over", ir.Other),
	)
}

// weightOver are the weights of the derivative of a log-sum-exp, which only reverse mode
// makes: the compiler leaves terms with a negligible one out of sums.
var weightOver = softmaxOver("softmax_weight", ir.Weight)

func softmaxOver(name string, form ir.Form) *Primitive {
	return &Primitive{
		Name: name, Shape: sameShape, axes: keepAxis, over: ir.OverSoftmax, class: ir.Crossing,
		form: form,
		VJP: func(y, ct *Node) []*Node {
			return []*Node{y.Mul(ct.Sub(ct.Mul(y).SumOver(y.attr.Axis)))}
		},
	}
}

func keepAxis(b *Builder, at Attr, union ir.AxisSet) (ir.AxisSet, error) {
	_, err := removeAxis(b, at, union)
	return union, err
}
