package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
)

// An importCase is a gorgonia graph of up to three inputs.
type importCase struct {
	name   string
	shapes []ad.Shape
	build  func(x []*G.Node) (*G.Node, error)
	sample func(x float64) float64 // of a normal number; nil: as it is
	flat   bool                    // no derivative
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
		{"abs", G.Abs, false, false}, {"sign", G.Sign, false, true}, {"ceil", G.Ceil, false, true}, {"floor", G.Floor, false, true},
		{"sin", G.Sin, false, false}, {"cos", G.Cos, false, false}, {"exp", G.Exp, false, false}, {"log", G.Log, true, false},
		{"log2", G.Log2, true, false}, {"neg", G.Neg, false, false}, {"square", G.Square, false, false}, {"sqrt", G.Sqrt, true, false},
		{"inverse", G.Inverse, true, false}, {"inverse sqrt", G.InverseSqrt, true, false}, {"cube", G.Cube, false, false},
		{"tanh", G.Tanh, false, false}, {"sigmoid", G.Sigmoid, false, false}, {"log1p", G.Log1p, true, false}, {"expm1", G.Expm1, false, false},
		{"softplus", G.Softplus, false, false}, {"rectify", G.Rectify, false, false}, {"mish", G.Mish, false, false},
		{"leaky relu", func(x *G.Node) (*G.Node, error) { return G.LeakyRelu(x, 0.1) }, false, false},
		{"scalar constant", func(x *G.Node) (*G.Node, error) { return G.Sub(G.NewConstant(2.5), x) }, false, false},
		{"sum", func(x *G.Node) (*G.Node, error) { return G.Sum(x) }, false, false},
		{"sum 1", func(x *G.Node) (*G.Node, error) { return G.Sum(x, 1) }, false, false},
		{"mean 0", func(x *G.Node) (*G.Node, error) { return G.Mean(x, 0) }, false, false},
		{"max 1", func(x *G.Node) (*G.Node, error) { return G.Max(x, 1) }, false, false},
		{"softmax", func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) }, false, false},
		{"softmax 0", func(x *G.Node) (*G.Node, error) { return G.SoftMax(x, 0) }, false, false},
		{"log softmax", func(x *G.Node) (*G.Node, error) { return G.LogSoftMax(x, 1) }, false, false},
		{"transpose", func(x *G.Node) (*G.Node, error) { return G.Transpose(x) }, false, false},
		{"reshape", func(x *G.Node) (*G.Node, error) { return G.Reshape(x, tensor.Shape{3, 2}) }, false, false},
		{"ravel", G.Ravel, false, false},
		{"slice", func(x *G.Node) (*G.Node, error) { return G.Slice(x, nil, G.S(1, 3)) }, false, false},
		{"row", func(x *G.Node) (*G.Node, error) { return G.Slice(x, G.S(1)) }, false, false},
		{"element", func(x *G.Node) (*G.Node, error) { return G.Slice(x, G.S(1), G.S(2)) }, false, false},
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
	compared := func(f func(a, b *G.Node, same bool) (*G.Node, error)) func([]*G.Node) (*G.Node, error) {
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
		importCase{name: "matrix and vector", shapes: []ad.Shape{matrix, vector}, build: of2(G.Mul)},
		importCase{name: "vector and matrix", shapes: []ad.Shape{vector, {3, 4}}, build: of2(G.Mul)},
		importCase{name: "matrix and column", shapes: []ad.Shape{matrix, {3, 1}}, build: of2(G.Mul)},
		importCase{name: "dot", shapes: []ad.Shape{vector, vector}, build: of2(G.Mul)},
		importCase{name: "outer", shapes: []ad.Shape{vector, {2}}, build: of2(G.OuterProd)},
		importCase{name: "batched", shapes: []ad.Shape{cube, {2, 4, 5}}, build: of2(func(a, b *G.Node) (*G.Node, error) { return G.BatchedMatMul(a, b) })},
		importCase{name: "batched transposed", shapes: []ad.Shape{{2, 4, 3}, {2, 5, 4}}, build: of2(func(a, b *G.Node) (*G.Node, error) { return G.BatchedMatMul(a, b, true, true) })},
		importCase{name: "broadcast", shapes: []ad.Shape{matrix, vector}, build: of2(func(a, b *G.Node) (*G.Node, error) { return G.BroadcastHadamardProd(a, b, nil, []byte{0}) })},
		importCase{name: "broadcast columns", shapes: []ad.Shape{{2, 1}, matrix}, build: of2(func(a, b *G.Node) (*G.Node, error) { return G.BroadcastSub(a, b, []byte{1}, nil) })},
		importCase{name: "transpose of three", shapes: []ad.Shape{cube}, build: of1(func(x *G.Node) (*G.Node, error) { return G.Transpose(x, 2, 0, 1) })},
		importCase{name: "sum of three", shapes: []ad.Shape{cube}, build: of1(func(x *G.Node) (*G.Node, error) { return G.Sum(x, 0, 2) })},
		importCase{name: "slice of three", shapes: []ad.Shape{cube}, build: of1(func(x *G.Node) (*G.Node, error) { return G.Slice(x, nil, G.S(1), G.S(1, 3)) })},
		importCase{name: "vectors joined", shapes: []ad.Shape{vector, vector}, build: of2(func(a, b *G.Node) (*G.Node, error) { return G.Concat(0, a, b) })},
		importCase{name: "softmax of a column", shapes: []ad.Shape{{3, 1}}, build: of1(func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) })},
		importCase{name: "softmax of a vector", shapes: []ad.Shape{vector}, build: of1(func(x *G.Node) (*G.Node, error) { return G.SoftMax(x) })},
	)
}

// leaf is an input of a gorgonia graph.
func leaf(g *G.ExprGraph, name string, shape ad.Shape) *G.Node {
	if len(shape) == 0 {
		return G.NewScalar(g, tensor.Float64, G.WithName(name))
	}
	return G.NewTensor(g, tensor.Float64, len(shape), G.WithName(name), G.WithShape(shape...))
}

// onTape runs a gorgonia graph on its TapeMachine; inputs are found by name.
func onTape(t *testing.T, outputs []*G.Node, names []string, at [][]float64) [][]float64 {
	t.Helper()
	g := outputs[0].Graph()
	for i, name := range names {
		for _, n := range g.ByName(name) {
			var v any = at[i][0]
			if n.Dims() > 0 {
				v = tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(slices.Clone(at[i])))
			}
			if err := G.Let(n, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := make([]G.Value, len(outputs))
	for i, n := range outputs {
		G.Read(n, &read[i])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	got := make([][]float64, len(outputs))
	for i, v := range read {
		switch x := v.Data().(type) {
		case float64:
			got[i] = []float64{x}
		case []float64:
			got[i] = slices.Clone(x)
		default:
			t.Fatalf("result %d is a %T", i, x)
		}
	}
	return got
}

// TestImport: for every operation the numbers are those of gorgonia's TapeMachine on all
// engines, and the gradient is that of differences.
func TestImport(t *testing.T) {
	for i, c := range importCases() {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			g := G.NewGraph()
			var leaves []*G.Node
			var names []string
			var at [][]float64
			for k, s := range c.shapes {
				names = append(names, fmt.Sprint("x", k))
				leaves = append(leaves, leaf(g, names[k], s))
				v := normals(rng, s.Len())
				for e := range v {
					if c.sample != nil {
						v[e] = c.sample(v[e])
					}
				}
				at = append(at, v)
			}
			if c.name == "==" || c.name == "!=" || c.name == ">=" || c.name == "<=" {
				at[1][0] = at[0][0]
			}
			y, err := c.build(leaves)
			if err != nil {
				t.Fatal(err)
			}
			b := ad.NewBuilder("import")
			n := b.Import(y)[0]
			if err := b.Err(); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(n.Shape()), fmt.Sprint(ad.Shape(y.Shape())); got != want {
				t.Errorf("got shape %v, want %v", got, want)
			}
			var inputs []*ad.Node
			for _, name := range names {
				inputs = append(inputs, b.InputNamed(name))
			}
			got := runEngines(t, inputs, []*ad.Node{n}, at, 1e-12)
			compare(t, "against the tape machine", got[0], onTape(t, []*G.Node{y}, names, at)[0], 1e-12)
			if c.flat {
				return
			}
			w := make([]float64, n.Shape().Len())
			for e := range w {
				w[e] = rng.NormFloat64()
			}
			loss := n.Mul(b.Constant(w, n.Shape())).Sum()
			var args []gradtest.Argument
			for k, x := range inputs {
				args = append(args, gradtest.Argument{Node: x, Values: at[k]})
			}
			if err := gradtest.CheckGraph(loss, args, gradtest.Options{Step: 1e-3}); err != nil {
				t.Error(err)
			}
		})
	}
}

// randomGraph grows a gorgonia graph by operations whose operands fit.
func randomGraph(rng *rand.Rand) (nodes []*G.Node, names []string) {
	g := G.NewGraph()
	for i, s := range []ad.Shape{{3, 3}, {3, 3}, {3}, {}, {3, 1}, {2, 3}} {
		names = append(names, fmt.Sprint("x", i))
		nodes = append(nodes, leaf(g, names[i], s))
	}
	for len(nodes) < 30 {
		x, y := nodes[rng.IntN(len(nodes))], nodes[rng.IntN(len(nodes))]
		same := slices.Equal(x.Shape(), y.Shape())
		matrices := x.Dims() == 2 && y.Dims() == 2
		var n *G.Node
		switch k := rng.IntN(14); {
		case k < 3:
			n = G.Must([]func(*G.Node) (*G.Node, error){G.Tanh, G.Sigmoid, G.Neg}[k](x))
		case k < 6 && (same || x.Dims() == 0 || y.Dims() == 0):
			n = G.Must([]func(a, b *G.Node) (*G.Node, error){G.Add, G.Sub, G.HadamardProd}[k-3](x, y))
		case k == 6 && matrices && x.Shape()[1] == y.Shape()[0]:
			n = G.Must(G.Mul(x, y))
		case k == 7 && x.Dims() == 2:
			n = G.Must(G.Transpose(x))
		case k == 8 && x.Dims() > 0:
			n = G.Must(G.Sum(x, rng.IntN(x.Dims())))
		case k == 9 && x.Dims() == 2 && x.Shape()[0] > 1:
			n = G.Must(G.Slice(x, G.S(1), nil))
		case k == 10 && x.Dims() == 2 && x.Shape()[1] > 2:
			n = G.Must(G.Slice(x, nil, G.S(1, 3)))
		case k == 11 && matrices && x.Shape()[1] == y.Shape()[1]:
			n = G.Must(G.Concat(0, x, y))
		case k == 12 && x.Dims() == 2 && y.Dims() == 1 && x.Shape()[1] == y.Shape()[0]:
			n = G.Must(G.BroadcastAdd(x, y, nil, []byte{0}))
		case k == 13 && x.Dims() == 2:
			n = G.Must(G.Reshape(x, tensor.Shape{x.Shape().TotalSize()}))
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes, names
}

// byDo evaluates a graph op by op, each on fresh values: the TapeMachine overwrites what a
// reshape shows. What gorgonia fails to compute, slices of a single element for example, is
// left out.
func byDo(g *G.ExprGraph, names []string, at [][]float64) map[*G.Node][]float64 {
	values := map[*G.Node]G.Value{}
	numbers := map[*G.Node][]float64{}
	for _, n := range g.AllNodes() {
		if n.Op() == nil {
			x := at[slices.Index(names, n.Name())]
			values[n] = G.NewF64(x[0])
			if n.Dims() > 0 {
				values[n] = tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(slices.Clone(x)))
			}
		} else {
			var operands []G.Value
			known := true
			for it := g.From(n.ID()); it != nil && it.Next(); {
				v, err := G.CloneValue(values[it.Node().(*G.Node)])
				known = known && err == nil
				operands = append(operands, v)
			}
			if !known {
				continue
			}
			v, err := n.Op().Do(operands...)
			if err != nil {
				continue
			}
			values[n] = v
		}
		switch x := values[n].(type) {
		case *G.F64:
			numbers[n] = []float64{float64(*x)}
		case *tensor.Dense:
			if x.RequiresIterator() {
				x = x.Clone().(*tensor.Dense)
			}
			if f, ok := x.Data().(float64); ok {
				numbers[n] = []float64{f}
			} else {
				numbers[n] = slices.Clone(x.Float64s())
			}
		}
	}
	return numbers
}

// TestImportRandom: every node of random graphs has the numbers that its op computes.
func TestImportRandom(t *testing.T) {
	compared, all := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 77))
		nodes, names := randomGraph(rng)
		b := ad.NewBuilder("random")
		mine := b.Import(nodes...)
		if err := b.Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var at [][]float64
		for _, n := range mine[:len(names)] {
			at = append(at, normals(rng, n.Shape().Len()))
		}
		want := byDo(nodes[0].Graph(), names, at)
		for i, got := range eval(t, mine[:len(names)], mine, at, ad.Options{}) {
			all++
			if w := want[nodes[i]]; w != nil {
				compared++
				compare(t, fmt.Sprintf("seed %d: %v", seed, nodes[i].Name()), got, w, 1e-12)
			}
		}
	}
	if compared*10 < all*9 {
		t.Errorf("compared %d of %d nodes, want nine of ten", compared, all)
	}
}

// perceptron is a gorgonia graph of a network with one hidden layer, a softmax and a
// cross entropy.
func perceptron(g *G.ExprGraph) (loss *G.Node, parameters []*G.Node) {
	x, y := leaf(g, "x", ad.Shape{5, 4}), leaf(g, "y", ad.Shape{5, 3})
	w, bias, v := leaf(g, "w", ad.Shape{4, 6}), leaf(g, "b", ad.Shape{6}), leaf(g, "v", ad.Shape{6, 3})
	hidden := G.Must(G.Tanh(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), bias, nil, []byte{0}))))
	scores := G.Must(G.Mul(hidden, v))
	log := G.Must(G.Log(G.Must(G.SoftMax(scores, 1))))
	fit := G.Must(G.Neg(G.Must(G.Mean(G.Must(G.Sum(G.Must(G.HadamardProd(y, log)), 1))))))
	return G.Must(G.Add(fit, G.Must(G.Mul(G.NewConstant(0.01), G.Must(G.Sum(G.Must(G.Square(w)))))))), []*G.Node{w, bias, v}
}

// TestImportGradient: a whole network, differentiated here and by gorgonia, and gorgonia's
// own derivative imported.
func TestImportGradient(t *testing.T) {
	g := G.NewGraph()
	loss, parameters := perceptron(g)
	b := ad.NewBuilder("perceptron")
	mine := b.Import(loss)[0]
	names := []string{"x", "y", "w", "b", "v"}
	var inputs []*ad.Node
	var at [][]float64
	rng := rand.New(rand.NewPCG(1, 9))
	for _, name := range names {
		n := b.InputNamed(name)
		inputs = append(inputs, n)
		at = append(at, normals(rng, n.Shape().Len()))
	}
	theirs, err := G.Grad(loss, parameters...)
	if err != nil {
		t.Fatal(err)
	}
	outputs := append(append([]*ad.Node{mine}, b.Grad(mine, inputs[2:]...)...), b.Import(theirs...)...)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	got := runEngines(t, inputs, outputs, at, 1e-12)
	want := onTape(t, append([]*G.Node{loss}, theirs...), names, at)
	for i := range want {
		compare(t, fmt.Sprintf("output %d", i), got[i], want[i], 1e-11)
		if i > 0 {
			compare(t, fmt.Sprintf("imported derivative %d", i), got[3+i], want[i], 1e-11)
		}
	}
}

// TestExprGraph: every operation of the table becomes gorgonia nodes that the TapeMachine
// computes the same numbers of, and that come back with the same numbers and derivatives.
func TestExprGraph(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.op, func(t *testing.T) {
			for _, v := range []variant{{name: "plain", masks: func(int) int { return 0 }}, {name: "two axes", extra: []int{2, 3}, masks: func(int) int { return 3 }}} {
				c := r.cases[0]
				s := newBench(t, c, v)
				nodes, err := s.b.ExprGraph(s.y, s.y.Square())
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, n := range s.inputs {
					names = append(names, n.Name())
				}
				want := s.run(t, []*ad.Node{s.y, s.y.Square()})
				if nodes[0].Op() != nil {
					got := onTape(t, nodes, names, s.feeds)
					compare(t, v.name+" on the tape", got[0], want[0], 1e-12)
					compare(t, v.name+" on the tape, squared", got[1], want[1], 1e-12)
				}
				again := ad.NewBuilder("again")
				back := again.Import(nodes...)
				if err := again.Err(); err != nil {
					t.Fatal(err)
				}
				var inputs []*ad.Node
				for _, n := range s.inputs {
					inputs = append(inputs, again.InputNamed(n.Name()))
				}
				outputs := []*ad.Node{back[0], back[1]}
				if v.name == "plain" && len(c.axes) == 0 {
					outputs = append(outputs, again.Grad(back[1].Sum(), inputs...)...)
					want = append(want, s.run(t, s.b.Grad(s.y.Square().Sum(), s.inputs...))...)
					if err := again.Err(); err != nil {
						t.Fatal(err)
					}
				}
				for i, got := range eval(t, inputs, outputs, s.feeds, ad.Options{}) {
					compare(t, fmt.Sprintf("%s back, output %d", v.name, i), got, want[i], 1e-11)
				}
			}
		})
	}
}

// TestExprGraphConstants: constants that print alike stay apart, and come back bit by bit.
func TestExprGraphConstants(t *testing.T) {
	b := ad.NewBuilder("constants")
	x := b.Input("x", ad.Shape{12})
	u, v := make([]float64, 12), make([]float64, 12)
	v[6], u[7] = 1, math.Pi
	y := x.Mul(b.Constant(u, ad.Shape{12})).Add(b.Constant(v, ad.Shape{12})).Add(b.Scalar(1e-300))
	nodes, err := b.ExprGraph(y)
	if err != nil {
		t.Fatal(err)
	}
	at := [][]float64{normals(rand.New(rand.NewPCG(1, 1)), 12)}
	want := eval(t, []*ad.Node{x}, []*ad.Node{y}, at, ad.Options{})[0]
	compare(t, "on the tape", onTape(t, nodes, []string{"x"}, at)[0], want, 0)
	again := ad.NewBuilder("again")
	back := again.Import(nodes...)
	compare(t, "back", eval(t, []*ad.Node{again.InputNamed("x")}, back, at, ad.Options{})[0], want, 0)
}

// TestExprGraphForms: results of recomputed functions and values with another derivative are
// exported by their values, and primitives of one's own come back with their derivatives.
func TestExprGraphForms(t *testing.T) {
	b := ad.NewBuilder("forms")
	w, x := b.Input("w", ad.Shape{2}), b.Input("x", ad.Shape{2})
	y := softsign.Apply(ad.Attr{}, clipped(chain(w, x, 4, 2), 10)).Sum()
	nodes, err := b.ExprGraph(append(b.Grad(y, w, x), y)...)
	if err != nil {
		t.Fatal(err)
	}
	at := [][]float64{{0.4, -1.2}, {0.9, 0.3}}
	want := runEngines(t, []*ad.Node{w, x}, append(b.Grad(y, w, x), y), at, 1e-12)
	for i, got := range onTape(t, nodes, []string{"w", "x"}, at) {
		compare(t, fmt.Sprintf("on the tape, output %d", i), got, want[i], 1e-13)
	}
	again := ad.NewBuilder("again")
	back := again.Import(nodes...)
	inputs := []*ad.Node{again.InputNamed("w"), again.InputNamed("x")}
	got := runEngines(t, inputs, append(back, again.Grad(back[2], inputs...)...), at, 1e-12)
	for i := range want {
		compare(t, fmt.Sprintf("back, output %d", i), got[i], want[i], 1e-13)
	}
	for i := range 2 {
		compare(t, fmt.Sprintf("derivative %d", i), got[3+i], want[i], 1e-13)
	}
}

// TestImportInputs: inputs that exist are used, those of another shape are an error, and so
// are nodes of another type; other ops run and have no derivative.
func TestImportInputs(t *testing.T) {
	g := G.NewGraph()
	x := leaf(g, "x", ad.Shape{2})
	b := ad.NewBuilder("inputs")
	mine := b.Input("x", ad.Shape{2})
	if got := b.Import(x)[0]; got != mine {
		t.Errorf("got %v, want the input that exists", got)
	}
	other := ad.NewBuilder("other")
	other.Input("x", ad.Shape{3})
	other.Import(x)
	if err := other.Err(); err == nil || !strings.Contains(err.Error(), `input name "x" is already used`) {
		t.Errorf("another shape: got error %v", err)
	}
	single := ad.NewBuilder("single")
	single.Import(G.NewVector(g, tensor.Float32, G.WithName("single"), G.WithShape(2)))
	if err := single.Err(); err == nil || !strings.Contains(err.Error(), "node single is of float32, want float64") {
		t.Errorf("another type: got error %v", err)
	}

	a, c := leaf(g, "a", ad.Shape{2, 3}), leaf(g, "c", ad.Shape{3, 2})
	product := G.Must(G.Tensordot([]int{1}, []int{0}, a, c))
	n := b.Import(product)[0]
	inputs := []*ad.Node{b.InputNamed("a"), b.InputNamed("c")}
	got := runEngines(t, inputs, []*ad.Node{n}, [][]float64{{1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 1, 1}}, 0)
	compare(t, "foreign op", got[0], []float64{4, 5, 10, 11}, 0)
	b.Grad(n.Sum(), inputs...)
	if err := b.Err(); err == nil || !strings.Contains(err.Error(), "has no derivative rule") {
		t.Errorf("derivative of a foreign op: got error %v", err)
	}
}

func TestExprGraphErrors(t *testing.T) {
	b := ad.NewBuilder("errors")
	empty := b.Input("empty", ad.Shape{0})
	if _, err := b.ExprGraph(empty.Sum()); err == nil || !strings.Contains(err.Error(), "has no elements") {
		t.Errorf("no elements: got error %v", err)
	}
	if _, err := b.ExprGraph(); err == nil || !strings.Contains(err.Error(), "no outputs") {
		t.Errorf("no outputs: got error %v", err)
	}
	if _, err := b.ExprGraph(ad.NewBuilder("other").Scalar(1)); err == nil || !strings.Contains(err.Error(), `belongs to graph "other"`) {
		t.Errorf("another graph: got error %v", err)
	}
	if _, err := b.ExprGraph(empty.Reshape(ad.Shape{3})); err == nil || !strings.Contains(err.Error(), "reshape") {
		t.Errorf("failed graph: got error %v", err)
	}
}

// A graph that was built for gorgonia, differentiated and compiled here.
func ExampleBuilder_Import() {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithName("x"), G.WithShape(3))
	y := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sigmoid(x))))))

	b := ad.NewBuilder("imported")
	value := b.Import(y)[0]
	input := b.InputNamed("x")
	got := run([]*ad.Node{input}, []*ad.Node{value, b.Grad(value, input)[0]}, []float64{0, 1, 2})
	fmt.Printf("value %.4f, gradient %.4f\n", got[0], got[1])
	// Output: value [1.5603], gradient [0.2500 0.2875 0.1850]
}
