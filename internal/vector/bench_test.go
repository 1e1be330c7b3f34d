package vector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// BenchmarkFunctions: every kernel of one vector on every set, and the loop over the
// function of package math, on 1000 numbers within the caches.
//
//	go test ./internal/vector -run '^$' -bench Functions
func BenchmarkFunctions(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(34, 35))
	x, y := make([]float64, n), make([]float64, n)
	for _, f := range functions {
		for i := range x {
			x[i] = f.draw(rng)
		}
		each := func(name string, do func()) {
			b.Run(fmt.Sprint(f.name, "/", name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
		each("math", func() {
			for i, v := range x {
				y[i] = f.math(v)
			}
		})
		for _, set := range vector.Available() {
			each(set.String(), func() { f.vec(set, y, x) })
		}
	}
}
