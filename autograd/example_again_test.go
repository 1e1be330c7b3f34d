package autograd_test

import (
	"fmt"
	"log"
	"math"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
)

// sech is the hyperbolic secant 1/cosh x, whose derivative is −sech x tanh x.
var sech = &ad.Primitive{
	Name: "sech",
	Each: func(ad.Attr) func(float64) float64 {
		return func(x float64) float64 { return 1 / math.Cosh(x) }
	},
	VJP: func(y, ct *ad.Node) []*ad.Node {
		return []*ad.Node{ct.Mul(y).Mul(y.Operands()[0].Tanh()).Neg()}
	},
}

// An operation of one's own: its value and its derivative, which differences confirm, and
// which can be differentiated again.
func ExamplePrimitive_again() {
	f := func(_ *ad.Builder, x []*ad.Node) *ad.Node { return sech.Apply(ad.Attr{}, x[0]).Sum() }
	fmt.Println("gradient:", gradtest.Check(f, [][]float64{{-1, 0, 2}}, []ad.Shape{{3}}, gradtest.Options{}))

	b := ad.NewBuilder("secants")
	x := b.Input("x", ad.Shape{}, b.Axis("point", 3))
	y := sech.Apply(ad.Attr{}, x)
	slope := b.Grad(y, x)[0]
	curvature := b.Grad(slope, x)[0]
	e, err := ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{y, slope, curvature}, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	out := [][]float64{make([]float64, 3), make([]float64, 3), make([]float64, 3)}
	if err := e.Eval(out, []ad.Feed{{Data: []float64{-1, 0, 2}}}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sech %.3f\nslope %.3f\ncurvature %.3f\n", out[0], out[1], out[2])
	// Output:
	// gradient: <nil>
	// sech [0.648 1.000 0.266]
	// slope [0.494 -0.000 -0.256]
	// curvature [0.104 -1.000 0.228]
}
