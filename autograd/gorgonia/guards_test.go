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
	"tobac/internal/must"
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
	must.Do(t, m.RunAll())
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

func get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
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

// TestGuards: graphs that gorgonia gets wrong without an error, and what this package computes of
// the same expressions.
func TestGuards(t *testing.T) {
	u, v := ramp(9, 4, 4), ramp(9, 4, 5)
	four := ad.Shape{2, 3, 4, 2}
	sums := []float64{12, 16, 44, 48, 76, 80, 108, 112, 140, 144, 172, 176}
	slope := .19661193324148185
	// gorgonia compares operands by hashes of 32 bits, and those of these names are equal: among
	// 100,000 random names there is such a pair.
	const first, second = "cetbcw", "wydfsk"
	for _, tt := range []struct {
		name, bug string
		wrong     func(g *G.ExprGraph) bool
		build     func(b *ad.Builder) (inputs, outputs []*ad.Node)
		at, want  [][]float64
	}{
		{"several gradients (A1)", "gives a wrong second gradient", func(g *G.ExprGraph) bool {
			x := rawVector(g, "x", 0, 1)
			s := get(G.Sigmoid(x))
			get(G.Grad(get(G.Sum(s)), x))
			y := get(G.Grad(get(G.Sum(get(G.Square(s)))), x))
			return mismatch(rawRun(t, g, y[0])[0], []float64{.25, .2874769}, 1e-6) >= 0
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x := b.Input("x", ad.Shape{2})
			s := x.Sigmoid()
			return nodes(x), append(b.Grad(s.Sum(), x), b.Grad(s.Square().Sum(), x)...)
		}, [][]float64{{0, 1}},
			[][]float64{{.25, slope}, {.25, 2 * .7310585786300049 * slope}}},
		{"second derivatives (A1)", "has them wrong", func(g *G.ExprGraph) bool {
			x := rawVector(g, "x", 1, 2, 3)
			y, err := G.Grad(get(G.Sum(get(G.Grad(get(G.Sum(get(G.Cube(x)))), x))[0])), x)
			return err != nil || mismatch(rawRun(t, g, y[0])[0], []float64{6, 12, 18}, 1e-12) >= 0
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x := b.Input("x", ad.Shape{3})
			return nodes(x), b.Grad(b.Grad(x.Cube().Sum(), x)[0].Sum(), x)
		}, [][]float64{{1, 2, 3}}, [][]float64{{6, 12, 18}}},
		{"log-sum-exp (A2)", "has LogSumExp wrong", func(g *G.ExprGraph) bool {
			y := get(G.LogSumExp(rawVector(g, "x", 1, 2), 0))
			return mismatch(rawRun(t, g, y)[0], []float64{2.313261687518223}, 1e-12) >= 0
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x := b.Input("x", ad.Shape{2})
			return nodes(x), nodes(x.LogSumExp())
		}, [][]float64{{1, 2}}, [][]float64{{2.313261687518223}}},
		{"an outer product (A3)", "swaps the gradients of OuterProd", func(g *G.ExprGraph) bool {
			x, y := rawVector(g, "x", 1, 2), rawVector(g, "y", 3, 5)
			d := get(G.Grad(get(G.Sum(get(G.OuterProd(x, y)))), x, y))
			return mismatch(rawRun(t, g, d...)[0], []float64{8, 8}, 1e-12) >= 0
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x, y := b.Input("x", ad.Shape{2}), b.Input("y", ad.Shape{2})
			return nodes(x, y), b.Grad(x.Outer(y).Sum(), x, y)
		}, [][]float64{{1, 2}, {3, 5}}, [][]float64{{8, 8}, {3, 3}}},
		{"a sum along one of four dimensions", "adds up the wrong elements",
			func(g *G.ExprGraph) bool {
				x := G.NewTensor(g, G.Float64, 4, G.WithName("x"), G.WithShape(four...),
					G.WithValue(tensor.New(tensor.WithShape(four...),
						tensor.WithBacking(ramp(48, 0, 0)))))
				return mismatch(rawRun(t, g, get(G.Sum(x, 2)))[0], sums, 0) >= 0
			}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
				x := b.Input("x", four)
				return nodes(x), nodes(x.Sum(2))
			}, [][]float64{ramp(48, 0, 0)}, [][]float64{sums}},
		{"constants that print alike (A4)", "merges constants by their printed text",
			func(g *G.ExprGraph) bool {
				x := rawVector(g, "x", make([]float64, 9)...)
				return get(G.Add(x, G.NewConstant(dense(u)))) ==
					get(G.Add(x, G.NewConstant(dense(v))))
			}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
				x := b.Input("x", ad.Shape{9})
				return nodes(x), nodes(x.Add(b.Constant(u, ad.Shape{9})),
					x.Add(b.Constant(v, ad.Shape{9})), b.Scalar(1), b.Scalar(math.Nextafter(1, 2)))
			}, [][]float64{make([]float64, 9)}, [][]float64{u, v, {1}, {math.Nextafter(1, 2)}}},
		{"names (A5)", "merges inputs of one name", func(g *G.ExprGraph) bool {
			return rawVector(g, "x", 1) == rawVector(g, "x", 2)
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x, c, y := b.Input("constant 1", ad.Shape{}), b.Scalar(5), b.Input("1", ad.Shape{})
			return nodes(x, y), nodes(x.Neg(), c, y.Neg())
		}, [][]float64{{2}, {3}}, [][]float64{{-2}, {5}, {-3}}},
		{"a softmax and its log (A6)", "takes LogSoftMax for SoftMax", func(g *G.ExprGraph) bool {
			x := leaf(g, "x", ad.Shape{1, 2})
			return get(G.SoftMax(x, 1)) == get(G.LogSoftMax(x, 1))
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x := b.Input("x", ad.Shape{1, 2})
			return nodes(x), nodes(x.Softmax(1), x.Softmax(1).Log())
		}, [][]float64{{0, 0}}, [][]float64{{.5, .5}, {-math.Ln2, -math.Ln2}}},
		{"bounds of slices (A7)", "hashes slice bounds modulo 256", func(g *G.ExprGraph) bool {
			x := rawVector(g, "x", ramp(512, 0, 0)...)
			return get(G.Slice(x, G.S(0, 2))) == get(G.Slice(x, G.S(256, 258)))
		}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
			x := b.Input("x", ad.Shape{512})
			return nodes(x), nodes(x.Slice(0, 0, 2), x.Slice(0, 256, 258))
		}, [][]float64{ramp(512, 0, 0)}, [][]float64{{0, 1}, {256, 257}}},
		{"hashes that collide (A8)", "merges sums of operands with one hash",
			func(g *G.ExprGraph) bool {
				x, y, z := rawVector(g, "input "+first, 1), rawVector(g, "input "+second, 2),
					rawVector(g, "input z", 0)
				if x == y || x.Hashcode() != y.Hashcode() {
					t.Fatal("the names no longer collide: search for others")
				}
				return get(G.Add(x, z)) == get(G.Add(y, z))
			}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
				x, y := b.Input(first, ad.Shape{1}), b.Input(second, ad.Shape{1})
				z := b.Input("z", ad.Shape{1})
				return nodes(x, y, z), nodes(x.Add(z), y.Add(z))
			}, [][]float64{{1}, {2}, {10}}, [][]float64{{11}, {12}}},
		{"a reshape on the TapeMachine (B1)", "overwrites the operand of Reshape",
			func(g *G.ExprGraph) bool {
				x := G.NewMatrix(g, G.Float64, G.WithName("x"), G.WithShape(1, 2), G.WithValue(
					tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 2}))))
				y := get(G.Reshape(x, tensor.Shape{2}))
				get(G.Sum(get(G.Add(y, G.NewConstant(10.0)))))
				return rawRun(t, g, get(G.Sum(get(G.Square(x)))))[0][0] != 5
			}, func(b *ad.Builder) (inputs, outputs []*ad.Node) {
				x := b.Input("x", ad.Shape{1, 2})
				y := x.Reshape(ad.Shape{2}).AddScalar(10)
				return nodes(x), append(b.Grad(y.Square().Sum().Mul(x.Square().Sum()), x), y.Sum(),
					x.Square().Sum())
			}, [][]float64{{1, 2}}, [][]float64{{110 + 2*265, 120 + 4*265}, {23}, {5}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.wrong(G.NewGraph()) {
				t.Errorf("gorgonia no longer %s: the guard can go", tt.bug)
			}
			inputs, outputs := tt.build(ad.NewBuilder("guard"))
			// every engine twice, inputs compared
			for i, got := range runEngines(t, inputs, outputs, tt.at, 1e-14) {
				compare(t, fmt.Sprint("output ", i), got, tt.want[i], 1e-14)
			}
		})
	}
	b := ad.NewBuilder("equal ones are one node")
	if b.Constant(u, ad.Shape{9}) != b.Constant(slices.Clone(u), ad.Shape{9}) ||
		b.Scalar(0) == b.Scalar(math.Copysign(0, -1)) ||
		b.Scalar(1) == b.Constant([]float64{1}, ad.Shape{1}) {
		t.Error("equal constants are two nodes, or different ones one")
	}
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
	if get(G.ApplyOp(scaleOp{2}, x)) != get(G.ApplyOp(scaleOp{3}, x)) {
		t.Error("gorgonia no longer merges ops with one hash: the guard can go")
	}

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
	op := get(G.SoftMax(leaf(g, "x", ad.Shape{2, 3}), 1)).Op()
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
