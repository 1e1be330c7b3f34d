package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// What depends on data only becomes inputs, with the same values: a logarithm that several
// expressions share is computed once, slices stay, and an output of data alone is hoisted whole.
func TestHoist(t *testing.T) {
	b := ad.NewBuilder("hoist")
	axis := b.Axis("point", 2)
	x, y := b.Input("x", ad.Shape{}, axis), b.Input("y", ad.Shape{3})
	log := y.Log()
	f := x.Mul(log.Slice(0, 1, 3)).Sum().Add(log.Sum().Mul(x)).Add(y.Index(0, 0).Mul(x))
	outputs := append(b.Grad(f, x), f, log.Mean())
	rest, inputs, values := b.Hoist(outputs, y)
	if len(values) != 4 || values[0] != log { // its sum, its mean, and the gradient
		t.Errorf("hoisted %v", values)
	}
	again, _, _ := b.Hoist(outputs, y)
	for i, n := range again {
		if n != rest[i] {
			t.Errorf("output %d differs the second time", i)
		}
	}
	if same, none, _ := b.Hoist([]*ad.Node{x.Mul(x)}, y); len(none) != 0 || same[0] != x.Mul(x) {
		t.Errorf("hoisted %v of an expression without data", none)
	}
	at, data := []float64{2, -1}, []float64{1, 2, 5}
	want := runEngines(t, nodes(x, y), outputs, [][]float64{at, data}, 1e-15)
	fixed := runEngines(t, nodes(y), values, [][]float64{data}, 1e-15)
	got := runEngines(t, append(nodes(x, y), inputs...), rest,
		append([][]float64{at, data}, fixed...), 1e-15)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Derivatives of what is left are those of the whole, by data and by values that carry mapped axes
// too, and through what is computed anew.
func TestHoistDerivatives(t *testing.T) {
	b := ad.NewBuilder("hoist")
	point, row := b.Axis("point", 2), b.Axis("row", 4)
	x, along := b.Input("x", ad.Shape{3}, point), b.Input("t", ad.Shape{3}, point)
	y, w := b.Input("y", ad.Shape{4, 3}), b.Input("w", ad.Shape{3}, point)
	loss := ad.Recompute(func(z []*ad.Node) []*ad.Node {
		return []*ad.Node{y.Exp().MatVec(z[0].Mul(w)).Tanh()}
	}, x)[0].Square().Sum()
	loss = loss.Add(ad.Map(row, func(r []*ad.Node) *ad.Node {
		return r[0].Mul(x).Sin().Sum()
	}, y.Square().Log1p()).Sum())
	derivatives := func(f *ad.Node) []*ad.Node {
		return append(b.Grad(f, x, w), b.Hvp(f, nodes(x), nodes(along))...)
	}
	outputs := append(nodes(loss), derivatives(loss)...)
	rest, inputs, values := b.Hoist(outputs, y, w)
	if len(values) != 2 {
		t.Errorf("hoisted %v, want two functions of y", values)
	}
	rest = append(rest, derivatives(rest[0])...)
	rng := rand.New(rand.NewPCG(5, 1))
	var at [][]float64
	for _, n := range nodes(x, along, y, w) {
		at = append(at, normals(rng, sizeOf(n)))
	}
	want := runEngines(t, nodes(x, along, y, w), outputs, at, 1e-13)
	fixed := runEngines(t, nodes(y), values, at[2:3], 1e-15)
	got := runEngines(t, append(nodes(x, along, y, w), inputs...), rest, append(at, fixed...),
		1e-13)
	for i, what := range []string{"value", "gradient by x", "gradient by w",
		"Hessian-vector product"} {
		compare(t, what, got[i], want[i], 1e-13)
		if i > 0 {
			compare(t, what+" of the rest", got[i+3], want[i], 1e-13)
		}
	}
}

// What data are given must be inputs of the graph.
func TestHoistMistakes(t *testing.T) {
	for want, from := range map[string]func(b *ad.Builder) *ad.Node{
		`belongs to graph "other"`: func(*ad.Builder) *ad.Node {
			return ad.NewBuilder("other").Input("y", ad.Shape{})
		},
		"is no input": func(b *ad.Builder) *ad.Node {
			return b.Input("y", ad.Shape{}).Exp()
		},
	} {
		b := ad.NewBuilder("mistakes")
		b.Hoist(nodes(b.Input("x", ad.Shape{})), from(b))
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
