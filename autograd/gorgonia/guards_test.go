package gorgonia_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
)

// The guards against silently wrong graphs. Each test shows first that gorgonia
// alone is wrong, so that it fails when a new version makes the guard
// superfluous, and then that this package is right.

// rawVector declares a named gorgonia vector and its values.
func rawVector(g *G.ExprGraph, name string, values ...float64) *G.Node {
	return G.NewVector(g, G.Float64, G.WithName(name), G.WithShape(len(values)),
		G.WithValue(dense(values)))
}

func dense(values []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(slices.Clone(values)))
}

// rawRun runs a gorgonia graph on its TapeMachine and reads the nodes.
func rawRun(t *testing.T, g *G.ExprGraph, n ...*G.Node) [][]float64 {
	t.Helper()
	values := make([]G.Value, len(n))
	for i := range n {
		G.Read(n[i], &values[i])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	out := make([][]float64, len(n))
	for i, v := range values {
		switch v := v.Data().(type) {
		case float64:
			out[i] = []float64{v}
		case []float64:
			out[i] = slices.Clone(v)
		}
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// merged expects gorgonia to have confused things.
func merged(t *testing.T, yes bool, what string) {
	t.Helper()
	if !yes {
		t.Errorf("gorgonia no longer %s: the guard can go", what)
	}
}

// ramp is the vector 0, 1, 2, … with one element replaced.
func ramp(n, k int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	x[k] = v
	return x
}

// Gradients of several functions in one graph (A1).
func TestGuardSecondGradient(t *testing.T) {
	g := G.NewGraph()
	x := rawVector(g, "x", 0, 1)
	s := must(G.Sigmoid(x))
	must(G.Grad(must(G.Sum(s)), x))
	second := must(G.Grad(must(G.Sum(must(G.Square(s)))), x))
	want := []float64{0.25, 2 * 0.7310585786300049 * 0.19661193324148185}
	merged(t, mismatch(rawRun(t, g, second[0])[0], want, 1e-12) >= 0,
		"gives a wrong second gradient")

	b := ad.NewBuilder("second")
	y := b.Input("x", ad.Shape{2})
	q := y.Sigmoid()
	out := append(b.Grad(q.Sum(), y), b.Grad(q.Square().Sum(), y)...)
	out = append(out, b.Grad(y.Square().Sum(), y)...)
	out = append(out, b.Grad(y.Cube().Add(y.Exp()).Sum(), y)...)
	got := runEngines(t, nodes(y), out, [][]float64{{0, 1}}, 1e-14)
	compare(t, "first", got[0], []float64{0.25, 0.19661193324148185}, 1e-14)
	compare(t, "second", got[1], want, 1e-14)
	compare(t, "third", got[2], []float64{0, 2}, 1e-14)
	compare(t, "fourth", got[3], []float64{1, 3 + 2.718281828459045}, 1e-14)
}

// The gradient of a gradient (A1).
func TestGuardGradientOfGradient(t *testing.T) {
	g := G.NewGraph()
	x := rawVector(g, "x", 1, 2, 3)
	first := must(G.Grad(must(G.Sum(must(G.Cube(x)))), x))
	second, err := G.Grad(must(G.Sum(first[0])), x)
	want := []float64{6, 12, 18}
	merged(t, err != nil || mismatch(rawRun(t, g, second[0])[0], want, 1e-12) >= 0,
		"gives a wrong second derivative")

	b := ad.NewBuilder("twice")
	y := b.Input("x", ad.Shape{3})
	out := b.Grad(b.Grad(y.Cube().Sum(), y)[0].Sum(), y)
	compare(t, "second derivative", runEngines(t, nodes(y), out, [][]float64{{1, 2, 3}}, 0)[0],
		want, 0)
}

// gorgonia's log-sum-exp, and derivatives it has wrong (A2, A3).
func TestGuardWrongOps(t *testing.T) {
	g := G.NewGraph()
	lse := must(G.LogSumExp(rawVector(g, "x", 1, 2), 0))
	want := 2.313261687518223
	merged(t, mismatch(rawRun(t, g, lse)[0], []float64{want}, 1e-12) >= 0, "has LogSumExp wrong")
	b := ad.NewBuilder("lse")
	x := b.Input("x", ad.Shape{2})
	compare(t, "log-sum-exp", runEngines(t, nodes(x), nodes(x.LogSumExp()), [][]float64{{1, 2}},
		0)[0], []float64{want}, 1e-15)

	g = G.NewGraph()
	u, v := rawVector(g, "u", 1, 2), rawVector(g, "v", 3, 5)
	grads := must(G.Grad(must(G.Sum(must(G.OuterProd(u, v)))), u, v))
	raw := rawRun(t, g, grads...)
	merged(t, mismatch(raw[0], []float64{8, 8}, 1e-12) >= 0, "swaps the gradients of OuterProd")
	b = ad.NewBuilder("outer")
	p, q := b.Input("p", ad.Shape{2}), b.Input("q", ad.Shape{2})
	got := runEngines(t, nodes(p, q), b.Grad(p.Outer(q).Sum(), p, q), [][]float64{{1, 2}, {3, 5}},
		0)
	compare(t, "outer product", append(got[0], got[1]...), []float64{8, 8, 3, 3}, 0)

	for _, op := range []string{"log2", "inverse_sqrt"} { // wrong derivatives there, absent here
		if slices.Contains(ad.Ops(), op) {
			t.Errorf("op %q is offered", op)
		}
	}
}

// Sums of tensors with more than three dimensions add the wrong elements.
func TestGuardSumOfManyDimensions(t *testing.T) {
	shape := ad.Shape{2, 3, 4, 2}
	var want []float64 // (2,3,2): sums over the four elements of axis 2
	for _, first := range []float64{0, 1, 8, 9, 16, 17, 24, 25, 32, 33, 40, 41} {
		want = append(want, 4*first+2+4+6)
	}
	g := G.NewGraph()
	x := G.NewTensor(g, G.Float64, 4, G.WithName("x"), G.WithShape(shape...),
		G.WithValue(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(ramp(48, 0, 0)))))
	merged(t, mismatch(rawRun(t, g, must(G.Sum(x, 2)))[0], want, 1e-12) >= 0,
		"sums four-dimensional tensors wrongly")

	b := ad.NewBuilder("sum")
	y := b.Input("x", shape)
	compare(t, "sum", runEngines(t, nodes(y), nodes(y.Sum(2)), [][]float64{ramp(48, 0, 0)}, 0)[0],
		want, 0)
}

// Constants that print alike (A4).
func TestGuardMergedConstants(t *testing.T) {
	u, v := ramp(9, 4, 4), ramp(9, 4, 5)
	g := G.NewGraph()
	x := rawVector(g, "x", make([]float64, 9)...)
	first, second := must(G.Add(x, G.NewConstant(dense(u)))),
		must(G.Add(x, G.NewConstant(dense(v))))
	merged(t, first == second, "merges constants by their printed text")

	b := ad.NewBuilder("constants")
	y := b.Input("x", ad.Shape{9})
	out := nodes(y.Add(b.Constant(u, ad.Shape{9})), y.Add(b.Constant(v, ad.Shape{9})),
		b.Constant(u, ad.Shape{3, 3}), b.Constant(v, ad.Shape{3, 3}))
	got := runEngines(t, nodes(y), out, [][]float64{make([]float64, 9)}, 0)
	for i, want := range [][]float64{u, v, u, v} {
		compare(t, fmt.Sprintf("constant %d", i), got[i], want, 0)
	}
	t.Run("a bit apart", func(t *testing.T) {
		next := math.Nextafter(1, 2)
		out := nodes(b.Scalar(1), b.Scalar(next), b.Constant([]float64{1, 2}, ad.Shape{2}),
			b.Constant([]float64{next, 2}, ad.Shape{2}))
		got := runEngines(t, nodes(y), out, [][]float64{make([]float64, 9)}, 0)
		for i, want := range [][]float64{{1}, {next}, {1, 2}, {next, 2}} {
			compare(t, fmt.Sprintf("constant %d", i), got[i], want, 0)
		}
	})
	t.Run("equal ones are one node", func(t *testing.T) {
		if b.Constant(u, ad.Shape{9}) != b.Constant(slices.Clone(u), ad.Shape{9}) {
			t.Error("got two nodes")
		}
		if b.Scalar(0) == b.Scalar(math.Copysign(0, -1)) ||
			b.Scalar(1) == b.Constant([]float64{1}, ad.Shape{1}) {
			t.Error("0 and -0, or a scalar and a vector, are one node")
		}
	})
	t.Run("values are copied", func(t *testing.T) {
		w := []float64{1, 2}
		c := b.Constant(w, ad.Shape{2})
		w[0] = 7
		compare(t, "constant", eval(t, nodes(y), nodes(c), [][]float64{make([]float64, 9)},
			ad.Options{})[0], []float64{1, 2}, 0)
	})
}

// Names are identity (A5).
func TestGuardNames(t *testing.T) {
	g := G.NewGraph()
	merged(t, rawVector(g, "x", 1) == rawVector(g, "x", 2), "merges inputs of one name")

	b := ad.NewBuilder("names")
	b.Input("x", ad.Shape{1})
	b.Input("x", ad.Shape{1})
	if err := b.Err(); err == nil ||
		!strings.Contains(err.Error(), `input name "x" is already used`) {
		t.Errorf("got error %v, want one that names x", err)
	}
	b = ad.NewBuilder("names")
	// Names that look like those the package gives to its own leaves.
	x, c, y := b.Input("constant 1", ad.Shape{}), b.Scalar(5), b.Input("1", ad.Shape{})
	got := runEngines(t, nodes(x, y), nodes(x.Neg(), c, y.Neg()), [][]float64{{2}, {3}}, 0)
	compare(t, "values", slices.Concat(got...), []float64{-2, 5, -3}, 0)
}

// A softmax and its logarithm (A6).
func TestGuardSoftmax(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithName("x"), G.WithShape(1, 2),
		G.WithValue(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{0, 0}))))
	merged(t, must(G.SoftMax(x, 1)) == must(G.LogSoftMax(x, 1)), "takes LogSoftMax for SoftMax")

	b := ad.NewBuilder("softmax")
	y := b.Input("x", ad.Shape{1, 2})
	p := y.Softmax(1)
	got := runEngines(t, nodes(y), nodes(p, p.Log(), p), [][]float64{{0, 0}}, 0)
	compare(t, "softmax", got[0], []float64{0.5, 0.5}, 1e-15)
	compare(t, "logarithm", got[1], []float64{-0.6931471805599453, -0.6931471805599453}, 1e-15)
	compare(t, "softmax after the logarithm", got[2], []float64{0.5, 0.5}, 1e-15)
}

// Slice bounds modulo 256 (A7).
func TestGuardSliceBounds(t *testing.T) {
	x := ramp(512, 0, 0)
	g := G.NewGraph()
	n := rawVector(g, "x", x...)
	first, second := must(G.Slice(n, G.S(0, 2))), must(G.Slice(n, G.S(256, 258)))
	merged(t, first == second, "hashes slice bounds modulo 256")

	b := ad.NewBuilder("slices")
	y, a, c := b.Input("x", ad.Shape{512}), b.Input("a", ad.Shape{256}), b.Input("c", ad.Shape{256})
	both := ad.Concat(0, a, c).Mul(y).Sum()
	out := append(nodes(y.Slice(0, 0, 2).Sum(), y.Slice(0, 256, 258).Sum(), y.Index(0, 1),
		y.Index(0, 257)), b.Grad(both, a, c)...)
	got := runEngines(t, nodes(y, a, c), out,
		[][]float64{x, make([]float64, 256), make([]float64, 256)}, 0)
	compare(t, "slices", slices.Concat(got[:4]...), []float64{1, 513, 1, 257}, 0)
	compare(t, "gradient of the first part", got[4], x[:256], 0)
	compare(t, "gradient of the second part", got[5], x[256:], 0)
}

// Hash collisions (A8). gorgonia compares the operands of two nodes by their
// 32-bit hashes only, and those of the two names here are equal: a search over
// random names finds such a pair within 100,000.
func TestGuardHashCollision(t *testing.T) {
	const first, second = "cetbcw", "wydfsk"
	g := G.NewGraph()
	x, y, z := rawVector(g, "input "+first, 1), rawVector(g, "input "+second, 2),
		rawVector(g, "input z", 0)
	if x == y || x.Hashcode() != y.Hashcode() {
		t.Fatal("the names no longer collide: search for others")
	}
	merged(t, must(G.Add(x, z)) == must(G.Add(y, z)), "merges sums of operands with one hash")

	b := ad.NewBuilder("collisions")
	p, q, r := b.Input(first, ad.Shape{1}), b.Input(second, ad.Shape{1}), b.Input("z", ad.Shape{1})
	got := runEngines(t, nodes(p, q, r), nodes(p.Add(r), q.Add(r)), [][]float64{{1}, {2}, {10}}, 0)
	compare(t, "sums", slices.Concat(got...), []float64{11, 12}, 0)
}

// scaleOp multiplies by a factor that its hash and its text leave out (A9).
type scaleOp struct{ factor float64 }

func (scaleOp) Arity() int { return 1 }
func (scaleOp) Type() hm.Type {
	v := G.TensorType{Dims: 1, Of: hm.TypeVariable('a')}
	return hm.NewFnType(v, v)
}
func (scaleOp) InferShape(in ...G.DimSizer) (tensor.Shape, error) {
	return in[0].(tensor.Shape), nil
}
func (o scaleOp) Do(in ...G.Value) (G.Value, error) {
	x := in[0].(*tensor.Dense).Clone().(*tensor.Dense)
	for i, v := range x.Float64s() {
		x.Float64s()[i] = o.factor * v
	}
	return x, nil
}
func (scaleOp) ReturnsPtr() bool      { return true }
func (scaleOp) CallsExtern() bool     { return false }
func (scaleOp) OverwritesInput() int  { return -1 }
func (scaleOp) WriteHash(h hash.Hash) { fmt.Fprint(h, "scale") }
func (o scaleOp) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}
func (scaleOp) String() string { return "scale" }

// goodScaleOp keeps the contract: its hash holds the factor.
type goodScaleOp struct{ scaleOp }

func (o goodScaleOp) WriteHash(h hash.Hash) { fmt.Fprintf(h, "scale %x", o.factor) }
func (o goodScaleOp) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func TestGuardForeignParameters(t *testing.T) {
	g := G.NewGraph()
	x := rawVector(g, "x", 1)
	merged(t, must(G.ApplyOp(scaleOp{2}, x)) == must(G.ApplyOp(scaleOp{3}, x)),
		"merges ops with one hash")

	b := ad.NewBuilder("parameters")
	y := b.Input("x", ad.Shape{1})
	compare(t, "equal hashes",
		slices.Concat(runEngines(t, nodes(y), nodes(gorgonia.Apply(scaleOp{2}, y),
			gorgonia.Apply(scaleOp{3}, y)), [][]float64{{5}}, 0)...), []float64{10, 15}, 0)

	b = ad.NewBuilder("parameters")
	y = b.Input("x", ad.Shape{1})
	two, three := gorgonia.Apply(goodScaleOp{scaleOp{2}}, y),
		gorgonia.Apply(goodScaleOp{scaleOp{3}}, y)
	if two != gorgonia.Apply(goodScaleOp{scaleOp{2}}, y) {
		t.Error("one op of one operand is two nodes")
	}
	got := runEngines(t, nodes(y), nodes(two, three), [][]float64{{5}}, 0)
	compare(t, "two parameters", slices.Concat(got...), []float64{10, 15}, 0)
}

// TestForeign: an op that the table does not know runs on every engine, also
// over mapped axes, and refuses to be differentiated.
func TestForeign(t *testing.T) {
	b := ad.NewBuilder("foreign")
	p, s := b.Axis("particle", 3), b.Axis("sample", 2)
	x, y := b.Input("x", ad.Shape{2}, p, s), b.Input("y", ad.Shape{2}, s)
	n := gorgonia.Apply(goodScaleOp{scaleOp{3}}, x.Mul(y))
	out := nodes(n, n.Sum().SumOver(s), gorgonia.Apply(goodScaleOp{scaleOp{2}}, y))
	v := [][]float64{ramp(12, 0, 0), {1, 2, 3, 4}}
	got := runEngines(t, nodes(x, y), out, v, 1e-14)
	compare(t, "value", got[0], []float64{0, 6, 18, 36, 12, 30, 54, 84, 24, 54, 90, 132}, 0)
	compare(t, "sum", got[1], []float64{60, 180, 300}, 0)
	compare(t, "one axis", got[2], []float64{2, 4, 6, 8}, 0)
}

// TestForeignDerivative: an op with a symbolic derivative has it here, along mapped axes too.
func TestForeignDerivative(t *testing.T) {
	g := G.NewGraph()
	op := must(G.SoftMax(leaf(g, "x", ad.Shape{2, 3}), 1)).Op()
	b := ad.NewBuilder("softmax")
	p := b.Axis("particle", 2)
	x, w := b.Input("x", ad.Shape{2, 3}, p), b.Input("w", ad.Shape{2, 3})
	y := gorgonia.Apply(op, x).Mul(w).Sum()
	z := x.Softmax(1).Mul(w).Sum()
	got := runEngines(t, nodes(x, w), append(b.Grad(y, x), b.Grad(z, x)...),
		[][]float64{ramp(12, 3, 0.5), ramp(6, 0, 2)}, 1e-13)
	compare(t, "gradient", got[0], got[1], 1e-13)
}

// TestForeignErrors: what cannot be done with an op names it.
func TestForeignErrors(t *testing.T) {
	b := ad.NewBuilder("g")
	x := b.Input("x", ad.Shape{3})
	b.Grad(gorgonia.Apply(goodScaleOp{scaleOp{2}}, x).Sum(), x)
	if err := b.Err(); err == nil ||
		!strings.Contains(err.Error(), "has no derivative: it is not an SDOp") {
		t.Errorf("gradient: got error %v", err)
	}
	b = ad.NewBuilder("g")
	x = b.Input("x", ad.Shape{3})
	gorgonia.Apply(scaleOp{2}, x, x)
	if err := b.Err(); err == nil ||
		!strings.Contains(err.Error(), "foreign: scale: got 2 operands, want 1") {
		t.Errorf("operands: got error %v", err)
	}
}

// Reshape under the TapeMachine (B1).
func TestGuardReshape(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithName("x"), G.WithShape(1, 2),
		G.WithValue(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 2}))))
	must(G.Sum(must(G.Add(must(G.Reshape(x, tensor.Shape{2})), G.NewConstant(10.0)))))
	square := must(G.Sum(must(G.Square(x))))
	merged(t, rawRun(t, g, square)[0][0] != 5, "overwrites the operand of Reshape")

	b := ad.NewBuilder("reshape")
	y := b.Input("x", ad.Shape{1, 2})
	out := nodes(y.Reshape(ad.Shape{2}).AddScalar(10).Sum(), y.Square().Sum())
	out = append(out, b.Grad(y.Reshape(ad.Shape{2}).AddScalar(10).Square().Sum().Mul(out[1]), y)...)
	// every engine twice, inputs compared
	got := runEngines(t, nodes(y), out, [][]float64{{1, 2}}, 1e-14)
	compare(t, "after the reshape", got[0], []float64{23}, 0)
	compare(t, "square", got[1], []float64{5}, 0)
	compare(t, "gradient", got[2], []float64{110 + 2*265, 120 + 4*265}, 1e-14)
}
