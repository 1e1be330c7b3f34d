package gorgonia_test

import (
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
)

// An importCase is a gorgonia graph of up to three inputs.
type importCase struct {
	name   string
	shapes []ad.Shape
	build  func(x []*G.Node) (*G.Node, error)
	sample func(x float64) float64       // of a normal number; nil: as it is
	flat   bool                          // no derivative
	want   func(x [][]float64) []float64 // nil: what the TapeMachine computes
	// tolerance, where the kernels of gorgonia are less accurate
	rough float64
}

func positive(x float64) float64 { return 0.3 + math.Abs(x) }

func importCases() []importCase {
	matrix, vector, cube := ad.Shape{2, 3}, ad.Shape{3}, ad.Shape{2, 3, 4}
	of1 := func(f func(*G.Node) (*G.Node, error)) func([]*G.Node) (*G.Node, error) {
		return func(x []*G.Node) (*G.Node, error) { return f(x[0]) }
	}
	of2 := func(f func(a, b *G.Node) (*G.Node, error)) func([]*G.Node) (*G.Node, error) {
		return func(x []*G.Node) (*G.Node, error) { return f(x[0], x[1]) }
	}
	var cases []importCase
	for _, u := range []struct {
		name     string
		f        func(*G.Node) (*G.Node, error)
		positive bool
		flat     bool
	}{
		{"abs", G.Abs, false, false}, {"sign", G.Sign, false, true}, {"ceil", G.Ceil, false, true},
		{"floor", G.Floor, false, true},
		{"sin", G.Sin, false, false}, {"cos", G.Cos, false, false}, {"exp", G.Exp, false, false},
		{"log", G.Log, true, false},
		{"log2", G.Log2, true, false}, {"neg", G.Neg, false, false},
		{"square", G.Square, false, false}, {"sqrt", G.Sqrt, true, false},
		{"inverse", G.Inverse, true, false}, {"inverse sqrt", G.InverseSqrt, true, false},
		{"cube", G.Cube, false, false},
		{"tanh", G.Tanh, false, false}, {"sigmoid", G.Sigmoid, false, false},
		{"log1p", G.Log1p, true, false}, {"expm1", G.Expm1, false, false},
		{"softplus", G.Softplus, false, false}, {"rectify", G.Rectify, false, false},
		{"mish", G.Mish, false, false},
		{"leaky relu", func(x *G.Node) (*G.Node, error) { return G.LeakyRelu(x, 0.1) }, false,
			false},
		{"scalar constant", func(x *G.Node) (*G.Node, error) {
			return G.Sub(G.NewConstant(2.5), x)
		}, false, false},
		{"sum", func(x *G.Node) (*G.Node, error) { return G.Sum(x) }, false, false},
		{"sum 1", func(x *G.Node) (*G.Node, error) { return G.Sum(x, 1) }, false, false},
		{"mean 0", func(x *G.Node) (*G.Node, error) { return G.Mean(x, 0) }, false, false},
		{"max 1", func(x *G.Node) (*G.Node, error) { return G.Max(x, 1) }, false, false},
		{"softmax", func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) }, false, false},
		{"softmax 0", func(x *G.Node) (*G.Node, error) { return G.SoftMax(x, 0) }, false, false},
		{"log softmax", func(x *G.Node) (*G.Node, error) { return G.LogSoftMax(x, 1) }, false,
			false},
		{"transpose", func(x *G.Node) (*G.Node, error) { return G.Transpose(x) }, false, false},
		{"reshape", func(x *G.Node) (*G.Node, error) { return G.Reshape(x, tensor.Shape{3, 2}) },
			false, false},
		{"ravel", G.Ravel, false, false},
		{"slice", func(x *G.Node) (*G.Node, error) { return G.Slice(x, nil, G.S(1, 3)) }, false,
			false},
		{"row", func(x *G.Node) (*G.Node, error) { return G.Slice(x, G.S(1)) }, false, false},
		{"element", func(x *G.Node) (*G.Node, error) { return G.Slice(x, G.S(1), G.S(2)) }, false,
			false},
		{"derivative of a slice", func(x *G.Node) (*G.Node, error) {
			part, err := G.Slice(G.Must(G.Square(x)), nil, G.S(1, 3))
			if err != nil {
				return nil, err
			}
			d, err := G.Grad(G.Must(G.Sum(part)), x)
			if err != nil {
				return nil, err
			}
			return d[0], nil
		}, false, false},
		{"concat", func(x *G.Node) (*G.Node, error) { return G.Concat(1, x, x) }, false, false},
		{"keep dims", func(x *G.Node) (*G.Node, error) {
			return G.KeepDims(x, false, func(a *G.Node) (*G.Node, error) { return G.Sum(a, 1) })
		}, false, false},
	} {
		c := importCase{name: u.name, shapes: []ad.Shape{matrix}, build: of1(u.f), flat: u.flat}
		if u.positive {
			c.sample = positive
		}
		cases = append(cases, c)
	}
	compared := func(f func(a, b *G.Node, same bool) (*G.Node, error)) func([]*G.Node) (*G.Node,
		error) {
		return func(x []*G.Node) (*G.Node, error) { return f(x[0], x[1], true) }
	}
	pair := []ad.Shape{matrix, matrix}
	return append(cases,
		importCase{name: "add", shapes: pair, build: of2(G.Add)},
		importCase{name: "sub", shapes: pair, build: of2(G.Sub)},
		importCase{name: "product", shapes: pair, build: of2(G.HadamardProd)},
		importCase{name: "quotient", shapes: pair, build: of2(G.HadamardDiv), sample: positive},
		importCase{name: "power", shapes: pair, build: of2(G.Pow), sample: positive},
		importCase{name: "scalar", shapes: []ad.Shape{{}, matrix}, build: of2(G.Mul)},
		importCase{name: "larger", shapes: pair, build: of2(G.MaxBetween)},
		importCase{name: "smaller", shapes: pair, build: of2(G.MinBetween)},
		importCase{name: ">", shapes: pair, build: compared(G.Gt), flat: true},
		importCase{name: ">=", shapes: pair, build: compared(G.Gte), flat: true},
		importCase{name: "<", shapes: pair, build: compared(G.Lt), flat: true},
		importCase{name: "<=", shapes: pair, build: compared(G.Lte), flat: true},
		importCase{name: "==", shapes: pair, build: compared(G.Eq), flat: true},
		importCase{name: "!=", shapes: pair, build: compared(G.Ne), flat: true},
		importCase{name: "matrices", shapes: []ad.Shape{matrix, {3, 4}}, build: of2(G.Mul)},
		importCase{name: "matrix and vector", shapes: []ad.Shape{matrix, vector},
			build: of2(G.Mul)},
		importCase{name: "vector and matrix", shapes: []ad.Shape{vector, {3, 4}},
			build: of2(G.Mul)},
		importCase{name: "matrix and column", shapes: []ad.Shape{matrix, {3, 1}},
			build: of2(G.Mul)},
		importCase{name: "dot", shapes: []ad.Shape{vector, vector}, build: of2(G.Mul)},
		importCase{name: "outer", shapes: []ad.Shape{vector, {2}}, build: of2(G.OuterProd)},
		importCase{name: "batched", shapes: []ad.Shape{cube, {2, 4, 5}},
			build: of2(func(a, b *G.Node) (*G.Node, error) { return G.BatchedMatMul(a, b) })},
		importCase{name: "batched transposed", shapes: []ad.Shape{{2, 4, 3}, {2, 5, 4}},
			build: of2(func(a, b *G.Node) (*G.Node, error) {
				return G.BatchedMatMul(a, b, true, true)
			})},
		importCase{name: "broadcast", shapes: []ad.Shape{matrix, vector},
			build: of2(func(a, b *G.Node) (*G.Node, error) {
				return G.BroadcastHadamardProd(a, b, nil, []byte{0})
			})},
		importCase{name: "broadcast columns", shapes: []ad.Shape{{2, 1}, matrix},
			build: of2(func(a, b *G.Node) (*G.Node, error) {
				return G.BroadcastSub(a, b, []byte{1}, nil)
			})},
		importCase{name: "transpose of three", shapes: []ad.Shape{cube},
			build: of1(func(x *G.Node) (*G.Node, error) { return G.Transpose(x, 2, 0, 1) })},
		importCase{name: "sum of three", shapes: []ad.Shape{cube},
			build: of1(func(x *G.Node) (*G.Node, error) { return G.Sum(x, 0, 2) })},
		importCase{name: "slice of three", shapes: []ad.Shape{cube},
			build: of1(func(x *G.Node) (*G.Node, error) {
				return G.Slice(x, nil, G.S(1), G.S(1, 3))
			})},
		importCase{name: "vectors joined", shapes: []ad.Shape{vector, vector},
			build: of2(func(a, b *G.Node) (*G.Node, error) { return G.Concat(0, a, b) })},
		importCase{name: "softmax of a column", shapes: []ad.Shape{{3, 1}},
			build: of1(func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) })},
		importCase{name: "softmax of a vector", shapes: []ad.Shape{vector},
			build: of1(func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) })},
	)
}
