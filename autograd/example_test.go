package autograd_test

import (
	"fmt"
	"log"
	"math"

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
	if err := ev.Eval([][]float64{density, gradient},
		[]ad.Feed{{Data: []float64{0, 1}}, {Data: []float64{-1, 0, 1}}}); err != nil {
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
	if err := ev.Eval([][]float64{out},
		[]ad.Feed{{Data: []float64{0, 0, 0, 3, 2, 1}}, {Data: []float64{1, 1, 1}}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Shape())
	fmt.Printf("%.3f\n%.3f\n", out[:3], out[3:])
	// Output:
	// (2,3)
	// [0.333 0.333 0.333]
	// [0.665 0.245 0.090]
}

// The integral of exp(x·u) over u from 0 to 1, which is (exp x − 1)/x, as a mean
// over numbers that the engine draws. Every particle has a stream of its own; the
// same seeds give the same numbers on any number of workers.
func ExampleBuilder_Uniform() {
	b := ad.NewBuilder("integral")
	particle, sample := b.Axis("particle", 2), b.Axis("sample", 10000)
	x := b.Input("x", ad.Shape{}, particle)
	u := b.Uniform("u", ad.Shape{}, particle, sample)
	mean := x.Mul(u).Exp().MeanOver(sample)

	ev, err := ad.NewEvaluator([]*ad.Node{x, u}, []*ad.Node{mean}, ad.Options{Workers: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	at, got := []float64{1, 2}, make([]float64, 2)
	draws := ad.Feed{Seed: func(particle int) uint64 { return 7 + uint64(particle) }}
	if err := ev.Eval([][]float64{got}, []ad.Feed{{Data: at}, draws}); err != nil {
		log.Fatal(err)
	}
	for i, x := range at {
		fmt.Printf("x = %.0f: estimate %.2f, exact %.2f\n", x, got[i], math.Expm1(x)/x)
	}
	// Output:
	// x = 1: estimate 1.72, exact 1.72
	// x = 2: estimate 3.21, exact 3.19
}

// What runs, and how often, for three particles: two exponentials, with their
// factors and sums, for each. The times are in the parts, too, and in the table that
// a profile prints as; operations of a group are in the order of their times.
func ExampleProgram_Profile() {
	b := ad.NewBuilder("profiled")
	particle, sample := b.Axis("particle", 3), b.Axis("sample", 512)
	x, e := b.Input("x", ad.Shape{2}, particle), b.Input("e", ad.Shape{2}, particle, sample)
	y := x.Mul(e).Exp().MeanOver(sample)
	p, err := ad.Compile([]*ad.Node{x, e}, []*ad.Node{y})
	if err != nil {
		log.Fatal(err)
	}
	const rounds = 3
	feeds := []ad.Feed{{Data: make([]float64, 3*2)}, {Data: make([]float64, 3*512*2)}}
	profile, err := p.Profile([][]float64{make([]float64, 3*2)}, feeds, rounds)
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range profile.Parts {
		fmt.Printf("level %d, group %q, part %q: %d times\n", part.Level, part.Group, part.Name,
			part.Count)
	}
	// Unordered output:
	// level -1, group "", part "inputs": 3 times
	// level 0, group "all lanes", part "": 18 times
	// level 0, group "all lanes", part "scale": 6 times
	// level 0, group "all lanes", part "exp": 6 times
	// level 0, group "all lanes", part "sum-lanes": 6 times
	// level 1, group "", part "mul#6(2){particle=3}": 3 times
	// level -1, group "", part "results": 3 times
}
