package ordering_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/ordering"
)

func BenchmarkEqVar(b *testing.B) {
	for _, size := range []struct{ n, d int }{{100, 20}, {100, 50}, {2000, 1000}} {
		x := gaussian(size.n, size.d, rand.New(rand.NewPCG(9, 9)))
		b.Run(fmt.Sprintf("n=%d/d=%d", size.n, size.d), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ordering.EqVar(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
