package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// mixture is a small density over samples, whose program shows every part of a
// listing.
func mixture() (inputs, outputs []*ad.Node) {
	b := ad.NewBuilder("mixture")
	particle := b.Axis("particle", 4)
	sample := b.Axis("sample", 16)
	w := b.Input("w", ad.Shape{3}, particle)
	u := b.Input("u", ad.Shape{3}, particle, sample)
	y := w.Mul(u).Square().Sum().Scale(-1).LogMeanExpOver(sample)
	return []*ad.Node{w, u}, append(b.Grad(y, w), y)
}

// TestProgramString: the listing names the parts of the program, and leaving
// out a pass shows in it.
func TestProgramString(t *testing.T) {
	inputs, outputs := mixture()
	p := must.Get(ad.Compile(inputs, outputs))(t)
	listing := p.String()
	for _, want := range []string{"loop particle=4, 16 lanes", "stage 0", "stage 1",
		"group on all lanes", "logsumexp-lanes", "group on lanes weighted", "flops"} {
		if !strings.Contains(listing, want) {
			t.Errorf("listing lacks %q:\n%s", want, listing)
		}
	}
	p = must.Get(ad.Compile(inputs, outputs, ad.ElementSchedule))(t)
	if listing := p.String(); !strings.Contains(listing, "without element-schedule") ||
		strings.Contains(listing, "stage 0") {
		t.Errorf("listing of the program run value by value:\n%s", listing)
	}
}

func ExamplePass() {
	inputs, outputs := mixture()
	feeds := []ad.Feed{{Data: make([]float64, 12)}, {Data: make([]float64, 192)}}
	for _, without := range []ad.Pass{0, ad.SparseCotangents | ad.Fusion} {
		e, err := ad.NewEvaluator(inputs, outputs, ad.Options{Without: without})
		if err != nil {
			fmt.Println(err)
			return
		}
		y := make([]float64, 4)
		if err := e.Eval([][]float64{make([]float64, 12), y}, feeds); err != nil {
			fmt.Println(err)
			return
		}
		e.Close()
		fmt.Printf("without %q: %v\n", without, y)
	}
	// Output:
	// without "": [0 0 0 0]
	// without "fusion|sparse-cotangents": [0 0 0 0]
}

// Products of matrices that both differ between lanes run in blocks of four rows by
// four columns, whatever their zeros, and elements that fit into none one by one.
func TestProductsOfLanes(t *testing.T) {
	full := func(_, _ int) bool { return true }
	upper := func(i, j int) bool { return i < j }
	for _, tt := range []struct {
		name           string
		rows, inner    int
		cols           int
		left, right    func(i, j int) bool // where the factors are not zero
		blocks, single int
	}{
		{name: "whole blocks", rows: 8, inner: 3, cols: 4, left: full, right: full, blocks: 2},
		{name: "ragged blocks", rows: 7, inner: 5, cols: 7, left: full, right: full, blocks: 4},
		{name: "a corner too small", rows: 5, inner: 2, cols: 6, left: full, right: full, blocks: 2,
			single: 6},
		{name: "a vector", rows: 9, inner: 4, cols: 1, left: full, right: full, single: 9},
		{name: "one term", rows: 4, inner: 1, cols: 4, left: full, right: full},
		{name: "triangles", rows: 6, inner: 6, cols: 6, left: upper, right: upper, single: 6},
		{name: "a triangle", rows: 4, inner: 12, cols: 8, left: full, right: func(i, j int) bool {
			return i < 6 || i < j
		}, blocks: 2, single: 4},
		{name: "an empty row", rows: 8, inner: 4, cols: 4, left: func(i, _ int) bool {
			return i != 1
		}, right: full, blocks: 2},
		{name: "halves", rows: 4, inner: 6, cols: 8, left: func(i, j int) bool {
			return i%2 == j%2
		}, right: full, blocks: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("lanes")
			p, s := b.Axis("particle", 2), b.Axis("sample", 19)
			rng := rand.New(rand.NewPCG(5, 8))
			var data [][]float64
			var inputs []*ad.Node
			matrix := func(name string, rows, cols int, live func(i, j int) bool) *ad.Node {
				mask := make([]float64, rows*cols)
				for i := range mask {
					if live(i/cols, i%cols) {
						mask[i] = 1
					}
				}
				x := b.Input(name, ad.Shape{rows, cols}, p, s)
				inputs, data = append(inputs, x), append(data, normals(rng, sizeOf(x)))
				return x.Mul(b.Constant(mask, ad.Shape{rows, cols}))
			}
			product := matrix("x", tt.rows, tt.inner,
				tt.left).MatMul(matrix("y", tt.inner, tt.cols, tt.right))
			y := product.Tanh().Sum().LogMeanExpOver(s)
			program := must.Get(ad.Compile(inputs, []*ad.Node{y}))(t)
			for name, n := range map[string]int{"block": tt.blocks, "dot-pairs": tt.single} {
				found := 0
				for line := range strings.Lines(program.String()) {
					if f := strings.Fields(line); f[0] == name {
						found, _ = strconv.Atoi(f[1])
					}
				}
				if found != n {
					t.Errorf("got %d operations %s, want %d:\n%v", found, name, n, program)
				}
			}
			outputs := append(b.Grad(y, inputs...), y, product, product.Slice(0, 0, 1).AddScalar(1))
			everyPass(t, inputs, outputs, data)
		})
	}
}

// Without structural zeros, a part of a constant is as little of a zero as the
// constant: what an element computes with is what it was found to read.
func TestPartsOfConstants(t *testing.T) {
	b := ad.NewBuilder("parts")
	p, s := b.Axis("particle", 2), b.Axis("sample", 8)
	v := b.Input("v", ad.Shape{3, 1}, p)
	x := b.Input("x", ad.Shape{3, 2}, p, s)
	dense := b.Constant([]float64{1, 2, 3, -1, 1, 2, 0.5, -2, 1}, ad.Shape{3, 3})
	few := b.Constant([]float64{1, 9, 0, 9, 2, 9}, ad.Shape{3, 2}).Slice(1, 0, 1).T()
	h := dense.MatMul(x.Mul(v).Neg())
	y := few.MatMul(h.Sigmoid()).Add(dense.MatMul(x).Tanh().Sum()).LogMeanExpOver(s)
	inputs, outputs := []*ad.Node{v, x}, []*ad.Node{y}
	data := [][]float64{normals(rand.New(rand.NewPCG(1, 2)), 6),
		normals(rand.New(rand.NewPCG(1, 3)), 96)}
	everyPass(t, inputs, outputs, data)
}

// everyPass compares the compiled engine, with passes left out in every way, with the
// reference engine, whose outputs it returns.
func everyPass(t *testing.T, inputs, outputs []*ad.Node, data [][]float64) (want [][]float64) {
	t.Helper()
	want = eval(t, inputs, outputs, data, ad.Options{Engine: ad.Reference})
	for _, without := range passCases() {
		for i, got := range eval(t, inputs, outputs, data, ad.Options{Without: without}) {
			compare(t, fmt.Sprintf("without %q: output %d", without, i), got, want[i], 1e-12)
		}
	}
	return want
}

// TestEqualRows multiplies lanes, scaled by uniform numbers, with a matrix of equal
// rows, none of which is constant: one product of two uniform numbers is the factor
// of every row.
func TestEqualRows(t *testing.T) {
	b := ad.NewBuilder("rows")
	p, s := b.Axis("particle", 2), b.Axis("sample", 8)
	v := b.Input("v", ad.Shape{3}, p)
	w := b.Input("w", ad.Shape{3, 1}, p)
	x := b.Input("x", ad.Shape{3, 2}, p, s)
	rows := v.Gather([]int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, ad.Shape{4, 3})
	y := rows.MatMul(x.Mul(w)).Tanh().Sum().LogMeanExpOver(s)
	inputs, outputs := []*ad.Node{v, w, x}, append(b.Grad(y, v, w), y)
	rng := rand.New(rand.NewPCG(1, 4))
	data := [][]float64{normals(rng, 6), normals(rng, 6), normals(rng, 96)}
	everyPass(t, inputs, outputs, data)
}

// TestSumsInPlace adds parts to sums that something else reads too, or nothing, and
// to what may not be overwritten.
func TestSumsInPlace(t *testing.T) {
	b := ad.NewBuilder("sums")
	p, s := b.Axis("particle", 3), b.Axis("sample", 8)
	x := b.Input("x", ad.Shape{12}, p)
	u := b.Input("u", ad.Shape{12}, p, s)
	part := func(y *ad.Node, from, to int) *ad.Node {
		index := make([]int, 0, 12)
		for i := from; i < to; i++ {
			index = append(index, i)
		}
		return y.Slice(0, from, to).ScatterAdd(index, ad.Shape{12})
	}
	sum := x.Mul(u).Square().Sum().LogMeanExpOver(s)
	once := x.Square().Add(part(x.Exp(), 0, 4))
	twice := x.Sin().Add(part(x.Exp(), 3, 7)).Add(part(x.Cos(), 5, 12))
	shared := x.Cos().Scale(2)
	outputs := []*ad.Node{
		sum, once, twice, x.Add(part(x.Exp(), 0, 4)),
		shared.Add(part(x.Exp(), 0, 4)), shared.Add(part(x.Exp(), 4, 9)), shared,
		x.Exp().Slice(0, 0, 6).Scale(3).Add(part(x, 2, 5).Slice(0, 0, 6)),
		u.Mul(x.Sin().Scale(2).Add(part(x.Exp(), 1, 3))).Square().Sum().LogMeanExpOver(s),
	}
	outputs = append(outputs, b.Grad(sum.Add(twice.Slice(0, 2, 9).Square().Sum()), x)...)
	rng := rand.New(rand.NewPCG(5, 6))
	runEngines(t, []*ad.Node{x, u}, outputs, [][]float64{normals(rng, 36), normals(rng, 288)},
		1e-11)
}
