package autograd_test

import (
	"fmt"
	"log"
	"math"

	ad "tobac/autograd"
)

// An element-wise operation: its function of one number, and the cotangent of its operand.
func ExamplePrimitive() {
	softsign := &ad.Primitive{
		Name: "softsign",
		Each: func(ad.Attr) func(float64) float64 {
			return func(x float64) float64 { return x / (1 + math.Abs(x)) }
		},
		VJP: func(y, ct *ad.Node) []*ad.Node {
			x := y.Operands()[0]
			return []*ad.Node{ct.Div(x.Abs().AddScalar(1).Square())}
		},
	}
	b := ad.NewBuilder("softsign")
	x := b.Input("x", ad.Shape{3})
	y := softsign.Apply(ad.Attr{}, x)
	got := run([]*ad.Node{x}, []*ad.Node{y, b.Grad(y.Sum(), x)[0]}, []float64{-1, 0, 3})
	fmt.Printf("value %.4f\nslope %.4f\n", got[0], got[1])
	// Output:
	// value [-0.5000 0.0000 0.7500]
	// slope [0.2500 1.0000 0.0625]
}

// An operation on whole values: the squared distances of m points x from n points y, with
// its shape, its value and its derivative.
func ExamplePrimitive_pairwise() {
	distances := &ad.Primitive{
		Name: "pairwise",
		Shape: func(_ ad.Attr, in []ad.Shape) (ad.Shape, error) {
			return ad.Shape{in[0][0], in[1][0]}, nil
		},
		Value: func(_ ad.Attr, out []float64, shape ad.Shape, in [][]float64,
			shapes []ad.Shape) error {
			n, k := shape[1], shapes[0][1]
			for e := range out {
				out[e] = 0
				for l := range k {
					out[e] += math.Pow(in[0][e/n*k+l]-in[1][e%n*k+l], 2)
				}
			}
			return nil
		},
		VJP: func(d, ct *ad.Node) []*ad.Node { // x̄ᵢ = 2 Σⱼ c̄ᵢⱼ(xᵢ − yⱼ), and ȳⱼ likewise
			x, y := d.Operands()[0], d.Operands()[1]
			of := func(x, y, ct *ad.Node) *ad.Node {
				return ct.Sum(1).Reshape(ad.Shape{x.Shape()[0], 1}).Mul(x).Sub(ct.MatMul(y)).Scale(
					2)
			}
			return []*ad.Node{of(x, y, ct), of(y, x, ct.T())}
		},
	}
	b := ad.NewBuilder("pairwise")
	x, y := b.Input("x", ad.Shape{2, 2}), b.Input("y", ad.Shape{1, 2})
	d := distances.Apply(ad.Attr{}, x, y)
	got := run([]*ad.Node{x, y}, []*ad.Node{d, b.Grad(d.Sum(), x)[0]}, []float64{0, 0, 4, 4},
		[]float64{3, 4})
	fmt.Printf("distances %.0f\ngradient %.0f\n", got[0], got[1])
	// Output:
	// distances [25 1]
	// gradient [-6 -8 2 0]
}

// run evaluates the outputs of an example once.
func run(inputs, outputs []*ad.Node, at ...[]float64) [][]float64 {
	ev, err := ad.NewEvaluator(inputs, outputs, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ev.Close()
	dst := room(outputs)
	if err := ev.Eval(dst, feeds(at)); err != nil {
		log.Fatal(err)
	}
	return dst
}
