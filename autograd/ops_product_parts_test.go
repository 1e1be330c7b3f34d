package autograd_test

import (
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
)

// Products of matrices of which only some columns count and some rows are read, and stacks of
// outer products, are what the reference engine says they are.
func TestPartsOfProducts(t *testing.T) {
	for name, product := range map[string]func(x, y *ad.Node) *ad.Node{
		"columns of zeros": func(x, y *ad.Node) *ad.Node {
			mask := make([]float64, 30*20)
			for i := range 30 {
				for j := 3; j < 6; j++ {
					mask[i*20+j] = 1
				}
			}
			return x.Mul(x.Builder().Constant(mask, ad.Shape{30, 20})).MatMul(y)
		},
		"rows that nothing reads": func(x, y *ad.Node) *ad.Node {
			return x.MatMul(y).Slice(0, 7, 9)
		},
		"one column": func(x, y *ad.Node) *ad.Node {
			return x.MatMul(y.Slice(1, 4, 5))
		},
		"one column, transposed": func(x, y *ad.Node) *ad.Node {
			return x.T().MatMul(x.Slice(1, 4, 5)).Mul(y)
		},
		"stack of outer products": func(x, y *ad.Node) *ad.Node {
			rows := y.Slice(1, 0, 20).Reshape(ad.Shape{4, 1, 100})
			return x.Slice(0, 0, 2).Reshape(ad.Shape{4, 10, 1}).BatchMatMul(rows)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := ad.NewBuilder("parts")
			x, y := b.Input("x", ad.Shape{30, 20}), b.Input("y", ad.Shape{20, 25})
			z := product(x, y)
			value := z.Square().Sum()
			outputs := append(b.Grad(value, x, y), z)
			rng := rand.New(rand.NewPCG(1, 2))
			runEngines(t, []*ad.Node{x, y}, outputs,
				[][]float64{normals(rng, 600), normals(rng, 500)}, 1e-12)
		})
	}
}
