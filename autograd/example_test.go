package autograd_test

import (
	"fmt"
	"log"

	ad "tobac/autograd"
)

// A quadratic form with its gradient.
func Example() {
	b := ad.NewBuilder("quadratic")
	x := b.Input("x", ad.Shape{2})
	a := b.Constant([]float64{2, 1, 1, 3}, ad.Shape{2, 2})
	y := x.Dot(a.MatVec(x)).Scale(0.5) // ½ xᵀAx
	gradient := b.Grad(y, x)[0]        // Ax, as A is symmetric

	ev, err := ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{y, gradient}, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	value, slope := make([]float64, 1), make([]float64, 2)
	if err := ev.Eval([][]float64{value, slope}, []ad.Feed{{Data: []float64{1, -1}}}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %.2f, gradient %.2f\n", value, slope)
	// Output: value [1.50], gradient [1.00 -2.00]
}

// A density averaged over samples, written for one particle and one sample:
// log (1/S) Σₛ N(x; eₛ, 1). One gradient pass gives every particle the
// softmax-weighted mean of its samples' gradients.
func Example_mapped() {
	b := ad.NewBuilder("density")
	particle, sample := b.Axis("particle", 2), b.Axis("sample", 3)
	x := b.Input("x", ad.Shape{}, particle) // one number per particle
	e := b.Input("e", ad.Shape{}, sample)   // noise that all particles share
	y := x.Sub(e).Square().Scale(-0.5).LogMeanExpOver(sample)
	score := b.Grad(y, x)[0]

	ev, err := ad.NewEvaluator([]*ad.Node{x, e}, []*ad.Node{y, score}, ad.Options{Workers: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	density, gradient := make([]float64, 2), make([]float64, 2)
	if err := ev.Eval([][]float64{density, gradient}, []ad.Feed{{Data: []float64{0, 1}}, {Data: []float64{-1, 0, 1}}}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("log density %.4f\nscore       %.4f\n", density, gradient)
	// Output:
	// log density [-0.3042 -0.5437]
	// score       [0.0000 -0.5036]
}

// A function of one row, lifted over the rows of a matrix.
func ExampleMap() {
	b := ad.NewBuilder("rows")
	row := b.Axis("row", 2)
	m := b.Input("m", ad.Shape{2, 3})
	w := b.Input("w", ad.Shape{3}) // shared by all rows
	p := ad.Map(row, func(x []*ad.Node) *ad.Node { return x[0].Mul(w).Softmax(0) }, m)

	ev, err := ad.NewEvaluator([]*ad.Node{m, w}, []*ad.Node{p}, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	out := make([]float64, 6)
	if err := ev.Eval([][]float64{out}, []ad.Feed{{Data: []float64{0, 0, 0, 3, 2, 1}}, {Data: []float64{1, 1, 1}}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Shape())
	fmt.Printf("%.3f\n%.3f\n", out[:3], out[3:])
	// Output:
	// (2,3)
	// [0.333 0.333 0.333]
	// [0.665 0.245 0.090]
}
