package gorgonia

import (
	"fmt"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operands are inputs to build gorgonia nodes from.
type operands struct {
	g             *G.ExprGraph
	m, n, k, v, s *G.Node // (2,3), (2,3), (3,4), (3), ()
	t             *G.Node // (2,3,4)
}

func newOperands() operands {
	g := G.NewGraph()
	in := func(name string, shape ...int) *G.Node {
		return G.NewTensor(g, tensor.Float64, len(shape), G.WithName(name), G.WithShape(shape...))
	}
	return operands{g: g, m: in("m", 2, 3), n: in("n", 2, 3), k: in("k", 3, 4), v: in("v", 3),
		s: G.NewScalar(g, tensor.Float64, G.WithName("s")), t: in("t", 2, 3, 4)}
}

// TestDecode pins the types and the texts of gorgonia's ops, and what is read from them.
func TestDecode(t *testing.T) {
	must := G.Must
	for _, tt := range []struct {
		build func(x operands) *G.Node
		op    string
		text  string
		want  call
	}{
		{func(x operands) *G.Node { return must(G.Sigmoid(x.m)) }, "gorgonia.elemUnaryOp",
			"sigmoid", call{Kind: isUnary, Name: "sigmoid"}},
		{func(x operands) *G.Node { return must(G.Neg(x.m)) }, "gorgonia.elemUnaryOp", "neg",
			call{Kind: isUnary, Name: "neg"}},
		{func(x operands) *G.Node { return must(G.Log(x.s)) }, "gorgonia.elemUnaryOp", "ln",
			call{Kind: isUnary, Name: "ln"}},
		{func(x operands) *G.Node { return must(G.Inverse(x.m)) }, "gorgonia.elemUnaryOp", "inv",
			call{Kind: isUnary, Name: "inv"}},
		{func(x operands) *G.Node { return must(G.InverseSqrt(x.m)) }, "gorgonia.elemUnaryOp",
			"invSqrt", call{Kind: isUnary, Name: "invSqrt"}},
		{func(x operands) *G.Node { return must(G.Add(x.m, x.n)) }, "gorgonia.elemBinOp", "+ false",
			call{Kind: isBinary, Name: "+"}},
		{func(x operands) *G.Node { return must(G.Sub(x.m, x.n)) }, "gorgonia.elemBinOp", "- false",
			call{Kind: isBinary, Name: "-"}},
		{func(x operands) *G.Node { return must(G.HadamardProd(x.m, x.n)) }, "gorgonia.elemBinOp",
			"⊙ false", call{Kind: isBinary, Name: "⊙"}},
		{func(x operands) *G.Node { return must(G.HadamardDiv(x.m, x.n)) }, "gorgonia.elemBinOp",
			"÷ false", call{Kind: isBinary, Name: "÷"}},
		{func(x operands) *G.Node { return must(G.Pow(x.m, x.n)) }, "gorgonia.elemBinOp", "^ false",
			call{Kind: isBinary, Name: "^"}},
		{func(x operands) *G.Node { return must(G.Gte(x.m, x.n, true)) }, "gorgonia.elemBinOp",
			">= true", call{Kind: isBinary, Name: ">="}},
		{func(x operands) *G.Node { return must(G.Ne(x.m, x.n, true)) }, "gorgonia.elemBinOp",
			"!= true", call{Kind: isBinary, Name: "!="}},
		{func(x operands) *G.Node { return must(G.MaxBetween(x.m, x.n)) }, "gorgonia.maxBetween",
			"MaxBetween", call{Kind: isBinary, Name: "MaxBetween"}},
		{func(x operands) *G.Node { return must(G.MinBetween(x.m, x.n)) }, "gorgonia.minBetween",
			"MinBetween", call{Kind: isBinary, Name: "MinBetween"}},
		{func(x operands) *G.Node { return must(G.Mul(x.m, x.k)) }, "gorgonia.linAlgBinOp", "A × B",
			call{Kind: isProduct}},
		{func(x operands) *G.Node { return must(G.Mul(x.m, x.v)) }, "gorgonia.linAlgBinOp", "A × b",
			call{Kind: isProduct}},
		{func(x operands) *G.Node { return must(G.Mul(x.v, x.k)) }, "gorgonia.linAlgBinOp",
			"Aᵀ × b", call{Kind: isProduct, Transposed: [2]bool{true, false}}},
		{func(x operands) *G.Node { return must(G.BatchedMatMul(x.t, x.t, false, true)) },
			"gorgonia.linAlgBinOp", "A ××× Bᵀ",
			call{Kind: isProduct, Transposed: [2]bool{false, true}}},
		{func(x operands) *G.Node { return must(G.Mul(x.v, x.v)) }, "gorgonia.linAlgBinOp", "a ⋅ b",
			call{Kind: isDot}},
		{func(x operands) *G.Node { return must(G.OuterProd(x.v, x.v)) }, "gorgonia.linAlgBinOp",
			"a ⊗ b", call{Kind: isOuter}},
		{func(x operands) *G.Node { return must(G.Transpose(x.t, 2, 0, 1)) },
			"gorgonia.transposeOp", "Aᵀ{2, 0, 1}", call{Kind: isTranspose, Ints: []int{2, 0, 1}}},
		{func(x operands) *G.Node { return must(G.Reshape(x.m, tensor.Shape{1, 6})) },
			"gorgonia.reshapeOp", "Reshape(1, 6)", call{Kind: isReshape}},
		{func(x operands) *G.Node { return must(G.Sum(x.t, 0, 2)) }, "gorgonia.sumOp", "Σ[0 2]",
			call{Kind: isSum, Ints: []int{0, 2}}},
		{func(x operands) *G.Node { return must(G.Max(x.m, 0)) }, "*gorgonia.maxOp", "MaxAlong[0]",
			call{Kind: isMax, Ints: []int{0}}},
		{func(x operands) *G.Node { return G.NewConstant(2.5, G.In(x.g)) },
			"gorgonia.constantScalar", "const 2.5", call{Kind: isConstant, Values: []float64{2.5}}},
		{func(x operands) *G.Node { return must(G.Slice(x.m, nil, G.S(0, 2))) },
			"*gorgonia.sliceOp", "T[:, 0:2:1...]", call{Kind: isSlice, Ints: []int{1, 0, 1}}},
		{func(x operands) *G.Node { return must(G.Slice(x.m, nil)) }, "*gorgonia.sliceOp",
			"T[:...]", call{Kind: isSlice, Ints: []int{0, 0, 1}}},
		{func(x operands) *G.Node { return must(G.Slice(x.m, G.S(1))) }, "*gorgonia.sliceOp",
			"T[1:2:0...]", call{Kind: isSlice, Ints: []int{0, 1}}},
		{func(x operands) *G.Node { return must(G.Concat(1, x.m, x.n)) }, "gorgonia.concatOp",
			"Concat(axis=1)", call{Kind: isConcat, Ints: []int{1}}},
		{func(x operands) *G.Node { return must(G.SoftMax(x.m, 1)) }, "*gorgonia.softmaxOp",
			"Softmax{1, false}()", call{Kind: isSoftmax, Ints: []int{1}}},
		{func(x operands) *G.Node { return must(G.LogSoftMax(x.m)) }, "*gorgonia.softmaxOp",
			"Softmax{-1, true}()", call{Kind: isLogSoftmax, Ints: []int{-1}}},
		{func(x operands) *G.Node { return must(G.Tensordot([]int{1}, []int{0}, x.m, x.k)) },
			"gorgonia.tensordotOp", "Tensordot(aAxes=[1], bAxes=[0])", call{Kind: isUnknown}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			n := tt.build(newOperands())
			if got := fmt.Sprintf("%T", n.Op()); got != tt.op || n.Op().String() != tt.text {
				t.Fatalf("got op %s %q, want %s %q", got, n.Op(), tt.op, tt.text)
			}
			check(t, n, tt.want)
		})
	}
}

func check(t *testing.T, n *G.Node, want call) {
	t.Helper()
	got, err := decode(n)
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != want.Kind || got.Name != want.Name || !slices.Equal(got.Ints, want.Ints) ||
		got.Transposed != want.Transposed || !slices.Equal(got.Values, want.Values) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Shape.Len() != n.Shape().TotalSize() {
		t.Errorf("got shape %v, want %v", got.Shape, n.Shape())
	}
}

// TestDecodeBroadcast: a broadcast is a reshape, the size of an axis and a repeat; the
// derivative of a slice is a slice of zeros that is added to.
func TestDecodeBroadcast(t *testing.T) {
	x := newOperands()
	sum := G.Must(G.BroadcastAdd(x.m, x.v, nil, []byte{0}))
	if _, err :=
		G.Grad(G.Must(
			G.Sum(G.Must(G.HadamardProd(sum, G.Must(G.Slice(x.k, G.S(0, 2), G.S(0, 3))))))),
			x.k); err != nil {
		t.Fatal(err)
	}
	found := map[string]call{}
	for _, n := range x.g.AllNodes() {
		if n.Op() != nil {
			c, err := decode(n)
			if err != nil {
				t.Fatal(err)
			}
			found[fmt.Sprintf("%T %v", n.Op(), n.Op())] = c
		}
	}
	for text, want := range map[string]call{
		"gorgonia.reshapeOp Reshape(1, 3)":         {Kind: isReshape},
		"gorgonia.sizeOp SizeOf=2":                 {Kind: isConstant, Values: []float64{2}},
		"*gorgonia.repeatOp Repeat0":               {Kind: isRepeat, Ints: []int{0}},
		"gorgonia.sliceIncrOp T[:, 0:3:1...]+=...": {Kind: isUnslice, Ints: []int{1, 0, 1, 2}},
		"gorgonia.sliceIncrOp T[0:2:1...]+=...":    {Kind: isUnslice, Ints: []int{0, 0, 1}},
	} {
		got, ok := found[text]
		if !ok {
			t.Errorf("no op %q among %v", text, found)
		} else if got.Kind != want.Kind || !slices.Equal(got.Ints, want.Ints) ||
			!slices.Equal(got.Values, want.Values) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// TestOrder: operands come first, each node once, also of a long chain.
func TestOrder(t *testing.T) {
	x := newOperands()
	y := x.m
	for i := range 200 {
		y = G.Must(G.Add(y, G.Must(G.Mul(x.s, G.NewConstant(float64(i)+0.5)))))
	}
	order := ordered([]*G.Node{y, y, x.m})
	at := map[*G.Node]int{}
	for i, n := range order {
		if _, twice := at[n]; twice {
			t.Fatalf("%v comes twice", n)
		}
		at[n] = i
	}
	for _, n := range order {
		for _, a := range operandsOf(n) {
			if k, ok := at[a]; !ok || k >= at[n] {
				t.Errorf("operand %v of %v comes at %d, after %d", a, n, k, at[n])
			}
		}
	}
	if at[y] != len(order)-1 {
		t.Errorf("got the root at %d of %d", at[y], len(order))
	}
}
