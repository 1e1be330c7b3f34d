package gorgonia_test

import (
	"fmt"
	"testing"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
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
	exported, err := gorgonia.Export(loss)
	if err != nil {
		t.Fatal(err)
	}
	g := exported[0].Graph()
	for _, n := range g.AllNodes() {
		if n.Op() != nil {
			if _, ok := n.Op().(G.SDOp); !ok {
				t.Errorf("op %v is a %T, which has no symbolic derivative", n.Op(), n.Op())
			}
		}
	}
	var names []string
	var wrt G.Nodes
	var which []int
	for i, n := range inputs {
		names = append(names, n.Name())
		if found := g.ByName(n.Name()); len(found) == 1 {
			wrt, which = append(wrt, found[0]), append(which, i)
		}
	}
	grads, err := G.Grad(exported[0], wrt...)
	if err != nil {
		t.Fatal(err)
	}
	got := onTape(t, append(append([]*G.Node{}, grads...), exported[0]), names, at)
	for k, i := range which {
		compare(t, fmt.Sprintf("gradient with respect to %s", names[i]), got[k], want[i], 1e-12)
	}
	compare(t, "value", got[len(which)], want[len(inputs)], 1e-12)
}

// TestExportGradientForms: another derivative, a recomputed function and a custom primitive
// keep theirs.
func TestExportGradientForms(t *testing.T) {
	b := ad.NewBuilder("forms")
	w, x := b.Input("w", ad.Shape{2}), b.Input("x", ad.Shape{2})
	y := softsign.Apply(ad.Attr{}, clipped(chain(w, x), 0.1)).Scale(3).Sum()
	exportedGradient(t, y, []*ad.Node{w, x}, [][]float64{{0.4, -1.2}, {0.9, 0.3}})
}
