package gorgonia_test

import (
	"fmt"
	"testing"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/internal/must"
)

// TestExportGradient: gorgonia.Grad of every exported operation is our gradient, along a
// mapped axis too, and the TapeMachine computes it.
func TestExportGradient(t *testing.T) {
	for _, e := range everyOperation() {
		t.Run(e.name, func(t *testing.T) {
			b := ad.NewBuilder(e.name)
			p, inputs, at := operandsOf(b, e.crossing)
			y := e.build(p, inputs[0], inputs[1])
			loss := y.Mul(y.Add(b.Scalar(0.7)).Sin()).Sum()
			for _, a := range loss.Axes() {
				loss = loss.SumOver(a)
			}
			exportedGradient(t, loss, inputs, at)
		})
	}
}

// exportedGradient compares gorgonia's gradient of an exported scalar with ours.
func exportedGradient(t *testing.T, loss *ad.Node, inputs []*ad.Node, at [][]float64) {
	t.Helper()
	want := eval(t, inputs, append(loss.Builder().Grad(loss, inputs...), loss), at, ad.Options{})
	exported := must.Get(gorgonia.Export(loss))(t)
	g := exported[0].Graph()
	for _, n := range g.AllNodes() {
		if n.Op() != nil {
			if _, ok := n.Op().(G.SDOp); !ok {
				t.Errorf("op %v is a %T, which has no symbolic derivative", n.Op(), n.Op())
			}
		}
	}
	var which []int
	var wrt []string
	for i, n := range inputs {
		if len(g.ByName(n.Name())) == 1 {
			wrt, which = append(wrt, n.Name()), append(which, i)
		}
	}
	got := gorgoniaGradient(t, exported[0], inputs, wrt, at)
	for k, i := range which {
		compare(t, fmt.Sprintf("gradient with respect to %s", wrt[k]), got[k], want[i], 1e-12)
	}
	compare(t, "value", got[len(which)], want[len(inputs)], 1e-12)
}

// gorgoniaGradient is what gorgonia.Grad and the TapeMachine make of an exported scalar: the
// gradients with respect to the named inputs, and the value.
func gorgoniaGradient(t *testing.T, loss *G.Node, inputs []*ad.Node, wrt []string,
	at [][]float64) [][]float64 {
	t.Helper()
	var names []string
	for _, n := range inputs {
		names = append(names, n.Name())
	}
	var leaves G.Nodes
	for _, name := range wrt {
		leaves = append(leaves, loss.Graph().ByName(name)...)
	}
	grads := must.Get(G.Grad(loss, leaves...))(t)
	return onTape(t, append(append([]*G.Node{}, grads...), loss), names, at)
}

// TestExportGradientForms: another derivative, a recomputed function and a custom primitive
// keep theirs.
func TestExportGradientForms(t *testing.T) {
	b := ad.NewBuilder("forms")
	w, x := b.Input("w", ad.Shape{2}), b.Input("x", ad.Shape{2})
	y := softsign.Apply(ad.Attr{}, clipped(chain(w, x), 0.1)).Scale(3).Sum()
	exportedGradient(t, y, []*ad.Node{w, x}, [][]float64{{0.4, -1.2}, {0.9, 0.3}})
}
