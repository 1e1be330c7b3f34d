package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
)

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
