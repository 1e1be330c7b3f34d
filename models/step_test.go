package models

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

func BenchmarkTmp(b *testing.B) {
	for _, d := range []int{10, 20, 50} {
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/w=%d", d, w), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				x := mat.NewDense(100, d, nil)
				for i := range 100 {
					for j := range d {
						v := rng.NormFloat64() * 0.3
						for k := range j {
							if (k*7+j)%9 == 0 {
								v += 0.8 * x.At(i, k)
							}
						}
						x.Set(i, j, v)
					}
				}
				lik, err := NewLinear(x, nil, LinearOptions{})
				if err != nil {
					b.Fatal(err)
				}
				t, err := NewTOBAC(lik, TOBACConfig{Options: Options{Workers: w, Engine: autograd.Compiled}})
				if err != nil {
					b.Fatal(err)
				}
				p := t.Init()
				g := t.Init()
				b.ReportAllocs()
				for b.Loop() {
					if err := t.Score(g, p, 200); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
