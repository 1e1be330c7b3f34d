package autograd_test

import (
	"fmt"

	"tobac/autograd"
)

// A vector of scalars, a triangle, and what is missing to the identity.
func ExampleVector() {
	b := autograd.NewBuilder("shorthand")
	x := b.Input("x", autograd.Shape{})
	v := autograd.Vector(x, x.SubFrom(1), b.Scalar(7))
	y := v.Lower(2).Add(b.Identity(2)).Mul(b.Ones(autograd.Shape{2, 2}))
	e, err := autograd.NewEvaluator([]*autograd.Node{x}, []*autograd.Node{y}, autograd.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	out := make([]float64, 4)
	if err := e.Eval([][]float64{out}, []autograd.Feed{{Data: []float64{3}}}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out)
	// Output: [4 0 -2 8]
}
