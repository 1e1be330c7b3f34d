package gorgonia_test

import (
	"fmt"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tobac/autograd/internal/gorgonia"
)

// leaves are inputs to build gorgonia nodes from.
type leaves struct {
	g             *G.ExprGraph
	m, n, k, v, s *G.Node // (2,3), (2,3), (3,4), (3), ()
	t             *G.Node // (2,3,4)
}

func newLeaves() leaves {
	g := G.NewGraph()
	in := func(name string, shape ...int) *G.Node {
		return G.NewTensor(g, tensor.Float64, len(shape), G.WithName(name), G.WithShape(shape...))
	}
	return leaves{g: g, m: in("m", 2, 3), n: in("n", 2, 3), k: in("k", 3, 4), v: in("v", 3), s: G.NewScalar(g, tensor.Float64, G.WithName("s")), t: in("t", 2, 3, 4)}
}

// TestDecode pins the types and the texts of gorgonia's ops, and what is read from them.
func TestDecode(t *testing.T) {
	must := G.Must
	for _, tt := range []struct {
		build func(x leaves) *G.Node
		op    string
		text  string
		want  gorgonia.Call
	}{
		{func(x leaves) *G.Node { return must(G.Sigmoid(x.m)) }, "gorgonia.elemUnaryOp", "sigmoid", gorgonia.Call{Kind: gorgonia.Unary, Name: "sigmoid"}},
		{func(x leaves) *G.Node { return must(G.Neg(x.m)) }, "gorgonia.elemUnaryOp", "neg", gorgonia.Call{Kind: gorgonia.Unary, Name: "neg"}},
		{func(x leaves) *G.Node { return must(G.Log(x.s)) }, "gorgonia.elemUnaryOp", "ln", gorgonia.Call{Kind: gorgonia.Unary, Name: "ln"}},
		{func(x leaves) *G.Node { return must(G.Inverse(x.m)) }, "gorgonia.elemUnaryOp", "inv", gorgonia.Call{Kind: gorgonia.Unary, Name: "inv"}},
		{func(x leaves) *G.Node { return must(G.InverseSqrt(x.m)) }, "gorgonia.elemUnaryOp", "invSqrt", gorgonia.Call{Kind: gorgonia.Unary, Name: "invSqrt"}},
		{func(x leaves) *G.Node { return must(G.Add(x.m, x.n)) }, "gorgonia.elemBinOp", "+ false", gorgonia.Call{Kind: gorgonia.Binary, Name: "+"}},
		{func(x leaves) *G.Node { return must(G.Sub(x.m, x.n)) }, "gorgonia.elemBinOp", "- false", gorgonia.Call{Kind: gorgonia.Binary, Name: "-"}},
		{func(x leaves) *G.Node { return must(G.HadamardProd(x.m, x.n)) }, "gorgonia.elemBinOp", "⊙ false", gorgonia.Call{Kind: gorgonia.Binary, Name: "⊙"}},
		{func(x leaves) *G.Node { return must(G.HadamardDiv(x.m, x.n)) }, "gorgonia.elemBinOp", "÷ false", gorgonia.Call{Kind: gorgonia.Binary, Name: "÷"}},
		{func(x leaves) *G.Node { return must(G.Pow(x.m, x.n)) }, "gorgonia.elemBinOp", "^ false", gorgonia.Call{Kind: gorgonia.Binary, Name: "^"}},
		{func(x leaves) *G.Node { return must(G.Gte(x.m, x.n, true)) }, "gorgonia.elemBinOp", ">= true", gorgonia.Call{Kind: gorgonia.Binary, Name: ">="}},
		{func(x leaves) *G.Node { return must(G.Ne(x.m, x.n, true)) }, "gorgonia.elemBinOp", "!= true", gorgonia.Call{Kind: gorgonia.Binary, Name: "!="}},
		{func(x leaves) *G.Node { return must(G.MaxBetween(x.m, x.n)) }, "gorgonia.maxBetween", "MaxBetween", gorgonia.Call{Kind: gorgonia.Binary, Name: "MaxBetween"}},
		{func(x leaves) *G.Node { return must(G.MinBetween(x.m, x.n)) }, "gorgonia.minBetween", "MinBetween", gorgonia.Call{Kind: gorgonia.Binary, Name: "MinBetween"}},
		{func(x leaves) *G.Node { return must(G.Mul(x.m, x.k)) }, "gorgonia.linAlgBinOp", "A × B", gorgonia.Call{Kind: gorgonia.Product}},
		{func(x leaves) *G.Node { return must(G.Mul(x.m, x.v)) }, "gorgonia.linAlgBinOp", "A × b", gorgonia.Call{Kind: gorgonia.Product}},
		{func(x leaves) *G.Node { return must(G.Mul(x.v, x.k)) }, "gorgonia.linAlgBinOp", "Aᵀ × b", gorgonia.Call{Kind: gorgonia.Product, Transposed: [2]bool{true, false}}},
		{func(x leaves) *G.Node { return must(G.BatchedMatMul(x.t, x.t, false, true)) }, "gorgonia.linAlgBinOp", "A ××× Bᵀ", gorgonia.Call{Kind: gorgonia.Product, Transposed: [2]bool{false, true}}},
		{func(x leaves) *G.Node { return must(G.Mul(x.v, x.v)) }, "gorgonia.linAlgBinOp", "a ⋅ b", gorgonia.Call{Kind: gorgonia.Dot}},
		{func(x leaves) *G.Node { return must(G.OuterProd(x.v, x.v)) }, "gorgonia.linAlgBinOp", "a ⊗ b", gorgonia.Call{Kind: gorgonia.Outer}},
		{func(x leaves) *G.Node { return must(G.Transpose(x.t, 2, 0, 1)) }, "gorgonia.transposeOp", "Aᵀ{2, 0, 1}", gorgonia.Call{Kind: gorgonia.Transpose, Ints: []int{2, 0, 1}}},
		{func(x leaves) *G.Node { return must(G.Reshape(x.m, tensor.Shape{1, 6})) }, "gorgonia.reshapeOp", "Reshape(1, 6)", gorgonia.Call{Kind: gorgonia.Reshape}},
		{func(x leaves) *G.Node { return must(G.Sum(x.t, 0, 2)) }, "gorgonia.sumOp", "Σ[0 2]", gorgonia.Call{Kind: gorgonia.Sum, Ints: []int{0, 2}}},
		{func(x leaves) *G.Node { return must(G.Max(x.m, 0)) }, "*gorgonia.maxOp", "MaxAlong[0]", gorgonia.Call{Kind: gorgonia.Max, Ints: []int{0}}},
		{func(x leaves) *G.Node { return G.NewConstant(2.5, G.In(x.g)) }, "gorgonia.constantScalar", "const 2.5", gorgonia.Call{Kind: gorgonia.Constant, Values: []float64{2.5}}},
		{func(x leaves) *G.Node { return must(G.Slice(x.m, nil, G.S(0, 2))) }, "*gorgonia.sliceOp", "T[:, 0:2:1...]", gorgonia.Call{Kind: gorgonia.Slice, Ints: []int{1, 0, 1}}},
		{func(x leaves) *G.Node { return must(G.Slice(x.m, nil)) }, "*gorgonia.sliceOp", "T[:...]", gorgonia.Call{Kind: gorgonia.Slice, Ints: []int{0, 0, 1}}},
		{func(x leaves) *G.Node { return must(G.Slice(x.m, G.S(1))) }, "*gorgonia.sliceOp", "T[1:2:0...]", gorgonia.Call{Kind: gorgonia.Slice, Ints: []int{0, 1}}},
		{func(x leaves) *G.Node { return must(G.Concat(1, x.m, x.n)) }, "gorgonia.concatOp", "Concat(axis=1)", gorgonia.Call{Kind: gorgonia.Concat, Ints: []int{1}}},
		{func(x leaves) *G.Node { return must(G.SoftMax(x.m, 1)) }, "*gorgonia.softmaxOp", "Softmax{1, false}()", gorgonia.Call{Kind: gorgonia.Softmax, Ints: []int{1}}},
		{func(x leaves) *G.Node { return must(G.LogSoftMax(x.m)) }, "*gorgonia.softmaxOp", "Softmax{-1, true}()", gorgonia.Call{Kind: gorgonia.LogSoftmax, Ints: []int{-1}}},
		{func(x leaves) *G.Node { return must(G.Tensordot([]int{1}, []int{0}, x.m, x.k)) }, "gorgonia.tensordotOp", "Tensordot(aAxes=[1], bAxes=[0])", gorgonia.Call{Kind: gorgonia.Unknown}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			n := tt.build(newLeaves())
			if got := fmt.Sprintf("%T", n.Op()); got != tt.op || n.Op().String() != tt.text {
				t.Fatalf("got op %s %q, want %s %q", got, n.Op(), tt.op, tt.text)
			}
			check(t, n, tt.want)
		})
	}
}

func check(t *testing.T, n *G.Node, want gorgonia.Call) {
	t.Helper()
	got, err := gorgonia.Decode(n)
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != want.Kind || got.Name != want.Name || !slices.Equal(got.Ints, want.Ints) || got.Transposed != want.Transposed || !slices.Equal(got.Values, want.Values) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Shape.Len() != n.Shape().TotalSize() {
		t.Errorf("got shape %v, want %v", got.Shape, n.Shape())
	}
}

// TestDecodeBroadcast: a broadcast is a reshape, the size of an axis and a repeat; the
// derivative of a slice is a slice of zeros that is added to.
func TestDecodeBroadcast(t *testing.T) {
	x := newLeaves()
	sum := G.Must(G.BroadcastAdd(x.m, x.v, nil, []byte{0}))
	if _, err := G.Grad(G.Must(G.Sum(G.Must(G.HadamardProd(sum, G.Must(G.Slice(x.k, G.S(0, 2), G.S(0, 3))))))), x.k); err != nil {
		t.Fatal(err)
	}
	found := map[string]gorgonia.Call{}
	for _, n := range x.g.AllNodes() {
		if n.Op() != nil {
			c, err := gorgonia.Decode(n)
			if err != nil {
				t.Fatal(err)
			}
			found[fmt.Sprintf("%T %v", n.Op(), n.Op())] = c
		}
	}
	for text, want := range map[string]gorgonia.Call{
		"gorgonia.reshapeOp Reshape(1, 3)":         {Kind: gorgonia.Reshape},
		"gorgonia.sizeOp SizeOf=2":                 {Kind: gorgonia.Constant, Values: []float64{2}},
		"*gorgonia.repeatOp Repeat0":               {Kind: gorgonia.Repeat, Ints: []int{0}},
		"gorgonia.sliceIncrOp T[:, 0:3:1...]+=...": {Kind: gorgonia.Unslice, Ints: []int{1, 0, 1, 2}},
		"gorgonia.sliceIncrOp T[0:2:1...]+=...":    {Kind: gorgonia.Unslice, Ints: []int{0, 0, 1}},
	} {
		got, ok := found[text]
		if !ok {
			t.Errorf("no op %q among %v", text, found)
		} else if got.Kind != want.Kind || !slices.Equal(got.Ints, want.Ints) || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// TestOrder: operands come first, each node once, also of a long chain.
func TestOrder(t *testing.T) {
	x := newLeaves()
	y := x.m
	for i := range 200 {
		y = G.Must(G.Add(y, G.Must(G.Mul(x.s, G.NewConstant(float64(i)+0.5)))))
	}
	order := gorgonia.Order([]*G.Node{y, y, x.m})
	at := map[*G.Node]int{}
	for i, n := range order {
		if _, twice := at[n]; twice {
			t.Fatalf("%v comes twice", n)
		}
		at[n] = i
	}
	for _, n := range order {
		for _, a := range gorgonia.Operands(n) {
			if k, ok := at[a]; !ok || k >= at[n] {
				t.Errorf("operand %v of %v comes at %d, after %d", a, n, k, at[n])
			}
		}
	}
	if at[y] != len(order)-1 {
		t.Errorf("got the root at %d of %d", at[y], len(order))
	}
}

// TestDecodeTypes: other types than float64 are an error.
func TestDecodeTypes(t *testing.T) {
	g := G.NewGraph()
	if _, err := gorgonia.Decode(G.NewVector(g, tensor.Float32, G.WithName("x"), G.WithShape(2))); err == nil || err.Error() != "node x is of float32, want float64" {
		t.Errorf("got error %v", err)
	}
}
