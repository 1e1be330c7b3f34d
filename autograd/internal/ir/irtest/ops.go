package irtest

import (
	"errors"
	"math"

	"tobac/autograd"
	"tobac/autograd/internal/ir"
)

// Rows of the table of package autograd: element-wise operations, those along the last dimension,
// and products of matrices.
var (
	Neg, Exp, Relu, Positive = rows["neg"], rows["exp"], rows["relu"], rows["positive"]
	Square, Tanh, Sqrt       = rows["square"], rows["tanh"], rows["sqrt"]
	Add, Sub, Mul, Div       = rows["add"], rows["sub"], rows["mul"], rows["div"]
	Where                    = rows["where"]

	Sum, LogSumExp, Max, Softmax = rows["sum"], rows["logsumexp"], rows["max"], rows["softmax"]

	MatMul = rows["matmul"]
)

// Crossing is an operation that crosses a mapped axis. ir.Weight is a form of
// ir.OverSoftmax.
func Crossing(over ir.Over, form ir.Form) *ir.Op {
	for _, op := range rows {
		if op.Over == over && op.Form == form {
			return op
		}
	}
	panic("irtest: no such crossing")
}

// rows are operations by their names: those of one expression.
var rows = func() map[string]*ir.Op {
	b := autograd.NewBuilder("operations")
	a := b.Axis("a", 2)
	x := b.Input("x", autograd.Shape{2, 2}, a)
	y := x.Neg().Exp().Relu().Positive().Square().Tanh().Sqrt()
	y = y.Add(x).Sub(x.Square()).Mul(x).Div(x.Exp()).MatMul(x)
	y = x.Where(y, x).Softmax(1)
	outputs := append(b.Grad(x.LogSumExpOver(a).Sum(), x), y.Sum(1), y.LogSumExp(1), y.Max(1),
		x.LogSumExpOver(a), x.SumOver(a).ExpandOver(a), x.SumOver(a).Unstack(a), x.Stack(a),
		x.SoftmaxOver(a), x.MaxOver(a))
	f, err := autograd.NewFunction([]*autograd.Node{x}, outputs)
	if err != nil {
		panic(err)
	}
	all := map[string]*ir.Op{}
	for _, v := range f.Lowered().Values {
		if v.Op != nil {
			all[v.Op.Name] = v.Op
		}
	}
	return all
}()

// ErrNegative is the failure of Root.
var ErrNegative = errors.New("negative sum")

// Root is an operation on whole values: x over the root of the sum of its elements. It
// fails with ErrNegative if that is negative.
var Root = &ir.Op{Name: "root",
	Eval: func(_ ir.Attr, out []float64, _ ir.Shape, in [][]float64, _ []ir.Shape) error {
		s := 0.0
		for _, x := range in[0] {
			s += x
		}
		if s < 0 {
			return ErrNegative
		}
		for i, x := range in[0] {
			out[i] = x / math.Sqrt(s)
		}
		return nil
	}}
