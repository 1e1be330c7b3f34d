package gorgonia_test

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
	"tobac/autograd/gorgonia"
	"tobac/internal/must"
)

// TestExport: every operation of the table becomes gorgonia nodes that the TapeMachine
// computes the same numbers of, and that come back with the same numbers and derivatives;
// the engines agree.
func TestExport(t *testing.T) {
	reached := map[string]bool{}
	for _, e := range everyOperation() {
		t.Run(e.name, func(t *testing.T) {
			b := ad.NewBuilder(e.name)
			p, inputs, at := operandsOf(b, e.crossing)
			y := e.build(p, inputs[0], inputs[1])
			note(reached, y, map[*ad.Node]bool{})
			want := runEngines(t, inputs, nodes(y, y.Square()), at, 1e-12)
			exported := must.Get(gorgonia.Export(y, y.Square()))(t)
			for i, got := range onTape(t, exported, []string{"x", "y"}, at) {
				compare(t, fmt.Sprintf("output %d on the tape", i), got, want[i], 1e-12)
			}
			again := ad.NewBuilder("again")
			back := imported(t, again, exported...)
			if again.InputNamed("y") == nil {
				inputs, at = inputs[:1], at[:1]
			}
			var in []*ad.Node
			for _, n := range inputs {
				in = append(in, again.InputNamed(n.Name()))
			}
			outputs := append([]*ad.Node{}, back...)
			if !e.crossing {
				outputs = append(outputs, again.Grad(back[1].Sum(), in...)...)
				want = append(want,
					eval(t, inputs, b.Grad(y.Square().Sum(), inputs...), at, ad.Options{})...)
			}
			must.Do(t, again.Err())
			for i, got := range eval(t, in, outputs, at, ad.Options{}) {
				compare(t, fmt.Sprintf("back, output %d", i), got, want[i], 1e-11)
			}
		})
	}
	for _, op := range ad.Ops() {
		if !reached[op] {
			t.Errorf("no expression of everyOperation has operation %q", op)
		}
	}
}

// note notes the operations that a node is made of.
func note(reached map[string]bool, n *ad.Node, seen map[*ad.Node]bool) {
	if seen[n] {
		return
	}
	seen[n], reached[n.Op()] = true, true
	for _, a := range n.Operands() {
		note(reached, a, seen)
	}
}

// TestExportConstants: constants that print alike stay apart, and come back bit by bit.
func TestExportConstants(t *testing.T) {
	b := ad.NewBuilder("constants")
	x := b.Input("x", ad.Shape{12})
	u, v := make([]float64, 12), make([]float64, 12)
	v[6], u[7] = 1, math.Pi
	y := x.Mul(b.Constant(u, ad.Shape{12})).Add(b.Constant(v, ad.Shape{12})).Add(b.Scalar(1e-300))
	nodes := must.Get(gorgonia.Export(y))(t)
	at := [][]float64{normals(rand.New(rand.NewPCG(1, 1)), 12)}
	want := eval(t, []*ad.Node{x}, []*ad.Node{y}, at, ad.Options{})[0]
	compare(t, "on the tape", onTape(t, nodes, []string{"x"}, at)[0], want, 0)
	again := ad.NewBuilder("again")
	back := imported(t, again, nodes...)
	compare(t, "back", eval(t, []*ad.Node{again.InputNamed("x")}, back, at, ad.Options{})[0], want,
		0)
}

// softsign is x/(1 + |x|), a primitive of one's own.
var softsign = &ad.Primitive{
	Name: "softsign",
	Each: func(ad.Attr) func(float64) float64 {
		return func(x float64) float64 { return x / (1 + math.Abs(x)) }
	},
	VJP: func(y, ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Div(y.Operands()[0].Abs().AddScalar(1).Square())}
	},
}

// clipped passes n on and limits its cotangent.
func clipped(n *ad.Node, bound float64) *ad.Node {
	return ad.WithGradient(n, func(ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Clamp(-bound, bound)}
	}, n)
}

// chain is x ← tanh(w·x + x/2) four times, computed again by the gradient in two stretches.
func chain(w, x *ad.Node) *ad.Node {
	step := func(x *ad.Node) *ad.Node { return w.Mul(x).Add(x.Scale(0.5)).Tanh() }
	for range 2 {
		x = ad.Recompute(func(x []*ad.Node) []*ad.Node { return []*ad.Node{step(step(x[0]))} },
			x)[0]
	}
	return x
}

// TestExportForms: results of recomputed functions and values with another derivative are
// exported by their values, and primitives of one's own come back with their derivatives.
func TestExportForms(t *testing.T) {
	b := ad.NewBuilder("forms")
	w, x := b.Input("w", ad.Shape{2}), b.Input("x", ad.Shape{2})
	y := softsign.Apply(ad.Attr{}, clipped(chain(w, x), 10)).Sum()
	nodes := must.Get(gorgonia.Export(append(b.Grad(y, w, x), y)...))(t)
	at := [][]float64{{0.4, -1.2}, {0.9, 0.3}}
	want := runEngines(t, []*ad.Node{w, x}, append(b.Grad(y, w, x), y), at, 1e-12)
	for i, got := range onTape(t, nodes, []string{"w", "x"}, at) {
		compare(t, fmt.Sprintf("on the tape, output %d", i), got, want[i], 1e-13)
	}
	again := ad.NewBuilder("again")
	back := imported(t, again, nodes...)
	inputs := []*ad.Node{again.InputNamed("w"), again.InputNamed("x")}
	got := runEngines(t, inputs, append(back, again.Grad(back[2], inputs...)...), at, 1e-12)
	for i := range want {
		compare(t, fmt.Sprintf("back, output %d", i), got[i], want[i], 1e-13)
	}
	for i := range 2 {
		compare(t, fmt.Sprintf("derivative %d", i), got[3+i], want[i], 1e-13)
	}
}

func TestExportErrors(t *testing.T) {
	b := ad.NewBuilder("errors")
	empty := b.Input("empty", ad.Shape{0})
	if _, err := gorgonia.Export(empty.Sum()); err == nil ||
		!strings.Contains(err.Error(), "has no elements") {
		t.Errorf("no elements: got error %v", err)
	}
	for _, none := range [][]*ad.Node{{}, {nil}} {
		if _, err := gorgonia.Export(none...); err == nil ||
			!strings.Contains(err.Error(), "no outputs") {
			t.Errorf("no outputs: got error %v", err)
		}
	}
	if _, err := gorgonia.Export(b.Scalar(1), ad.NewBuilder("other").Scalar(1)); err == nil ||
		!strings.Contains(err.Error(), `outputs of graphs "errors" and "other"`) {
		t.Errorf("another graph: got error %v", err)
	}
	if _, err := gorgonia.Export(empty.Reshape(ad.Shape{3})); err == nil ||
		!strings.Contains(err.Error(), "reshape") {
		t.Errorf("failed graph: got error %v", err)
	}
}

// TestExportPadding: a convolution of which every window lies in the padding is zeros, there and
// back.
func TestExportPadding(t *testing.T) {
	g := G.NewGraph()
	im, filter := leaf(g, "im", ad.Shape{1, 1, 1, 1}), leaf(g, "filter", ad.Shape{1, 1, 1, 1})
	y := G.Must(G.Conv2d(im, filter, tensor.Shape{1, 1}, []int{1, 1}, []int{2, 2}, []int{1, 1}))
	b := ad.NewBuilder("padding")
	made := must.Get(gorgonia.Import(b, []*G.Node{y}, nil))(t)
	n := made.Outputs[0]
	exported := must.Get(gorgonia.Export(append(b.Grad(n.Sum(), made.Inputs...), n)...))(t)
	for _, got := range onTape(t, exported, []string{"im", "filter"}, [][]float64{{2}, {3}}) {
		if slices.ContainsFunc(got, func(v float64) bool { return v != 0 }) {
			t.Errorf("got %v, want zeros", got)
		}
	}
}
