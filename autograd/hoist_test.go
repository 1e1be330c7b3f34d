package autograd_test

import (
	"fmt"
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
	run := func(in, out []*ad.Node, feeds ...[]float64) [][]float64 {
		t.Helper()
		e, err := ad.NewEvaluator(in, out, ad.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		var data []ad.Feed
		for _, f := range feeds {
			data = append(data, ad.Feed{Data: f})
		}
		dst := make([][]float64, len(out))
		for i, o := range out {
			n := o.Shape().Len()
			if len(o.Axes()) > 0 {
				n *= 2
			}
			dst[i] = make([]float64, n)
		}
		if err := e.Eval(dst, data); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	at, data := []float64{2, -1}, []float64{1, 2, 5}
	want := run([]*ad.Node{x, y}, outputs, at, data)
	fixed := run([]*ad.Node{y}, values, data)
	got := run(append([]*ad.Node{x, y}, inputs...), rest, append([][]float64{at, data}, fixed...)...)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
