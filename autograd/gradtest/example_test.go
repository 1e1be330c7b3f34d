package gradtest_test

import (
	"fmt"

	"tobac/autograd"
	"tobac/autograd/gradtest"
)

// A model author checks the gradient of a log density, and learns where it is
// wrong: the second version forgets that the precision depends on x.
func ExampleCheck() {
	logDensity := func(precision func(x *autograd.Node) *autograd.Node) func(*autograd.Builder,
		[]*autograd.Node) *autograd.Node {
		return func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			p := precision(x[0])
			return p.Log().Sub(x[0].Square().Mul(p)).Scale(0.5)
		}
	}
	at, shapes := [][]float64{{0}}, []autograd.Shape{{}}

	err := gradtest.Check(logDensity(func(x *autograd.Node) *autograd.Node { return x.Exp() }), at,
		shapes, gradtest.Options{})
	fmt.Println(err)

	err = gradtest.Check(logDensity(func(x *autograd.Node) *autograd.Node {
		return x.Exp().StopGradient()
	}), at, shapes, gradtest.Options{})
	mismatch := err.(*gradtest.MismatchError)
	fmt.Printf("input %s, element %d: got %.3f, want %.3f\n", mismatch.Input, mismatch.Element,
		mismatch.Got, mismatch.Want)
	// Output:
	// <nil>
	// input x0, element 0: got 0.000, want 0.500
}

// The derivative of plain Go code.
func ExampleDerivative() {
	cube := func(x float64) float64 { return x * x * x }
	d, _ := gradtest.Derivative(func(h float64) float64 { return cube(2 + h) }, 0.01)
	fmt.Printf("%.6f\n", d)
	// Output: 12.000000
}
