package autograd_test

import (
	"fmt"
	"log"

	"tobac/autograd"
)

// results evaluates nodes once, for data in the order of the inputs.
func results(inputs, outputs []*autograd.Node, data ...[]float64) [][]float64 {
	ev, err := autograd.NewEvaluator(inputs, outputs, autograd.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	dst, src := make([][]float64, len(outputs)), make([]autograd.Feed, len(data))
	for i, n := range outputs {
		dst[i] = make([]float64, n.Shape().Len())
	}
	for i, x := range data {
		src[i].Data = x
	}
	if err := ev.Eval(dst, src); err != nil {
		log.Fatal(err)
	}
	return dst
}

// The quadratic form of a covariance matrix and its derivative.
func ExampleEinsum() {
	b := autograd.NewBuilder("form")
	v, a := b.Input("v", autograd.Shape{2}), b.Input("a", autograd.Shape{2, 2})
	form := autograd.Einsum("i,ij,j->", v, a, v)
	got := results([]*autograd.Node{v, a}, append(b.Grad(form, v), form), []float64{1, 2},
		[]float64{3, 1, 1, 5})
	fmt.Println(got[1], got[0])
	// Output: [27] [10 22]
}

// The NOTEARS penalty tr exp(W∘W) − d, which is zero for acyclic weights only, and its
// gradient 2 exp(W∘W)ᵀ∘W. With weights 3 and ½ on a cycle of two it is 2 cosh 1.5 − 2.
func ExampleNode_Expm() {
	b := autograd.NewBuilder("acyclic")
	w := b.Input("w", autograd.Shape{2, 2})
	penalty := w.Square().Expm().Trace().AddScalar(-2)
	outputs := append(b.Grad(penalty, w), penalty)
	for _, weights := range [][]float64{{0, 3, 0, 0}, {0, 3, 0.5, 0}} {
		got := results([]*autograd.Node{w}, outputs, weights)
		fmt.Printf("%.3f %.3f\n", got[1], got[0])
	}
	// Output:
	// [0.000] [0.000 0.000 0.000 0.000]
	// [2.705] [0.000 2.129 12.776 0.000]
}

// Means of groups whose membership is data.
func ExampleNode_SegmentSumBy() {
	b := autograd.NewBuilder("groups")
	x, group := b.Input("x", autograd.Shape{5}), b.Input("group", autograd.Shape{5})
	means := x.SegmentSumBy(group, 2).Div(group.OneHot(2).Sum(0))
	centred := x.Sub(means.Take(group, 0))
	got := results([]*autograd.Node{x, group}, []*autograd.Node{means, centred},
		[]float64{1, 2, 3, 10, 20}, []float64{0, 0, 0, 1, 1})
	fmt.Println(got[0], got[1])
	// Output: [2 15] [-1 0 1 -5 5]
}
