package vector_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// elements is the length of the vectors of benchmarks, which fit the caches.
const elements = 1000

// perElement runs do as a benchmark, and reports the time per element.
func perElement(b *testing.B, name string, do func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			do()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/elements, "ns/element")
	})
}

// BenchmarkFunctions: every kernel of one vector on every set, and the loop over the
// function of package math.
//
//	go test ./internal/vector -run '^$' -bench 'Functions|Pairs|Rows'
func BenchmarkFunctions(b *testing.B) {
	rng := rand.New(rand.NewPCG(34, 35))
	x, y := make([]float64, elements), make([]float64, elements)
	for _, f := range functions {
		for i := range x {
			x[i] = f.draw(rng)
		}
		perElement(b, f.name+"/math", func() {
			for i, v := range x {
				y[i] = f.math(v)
			}
		})
		for _, set := range vector.Available() {
			perElement(b, fmt.Sprint(f.name, "/", set), func() { f.vec(set, y, x) })
		}
	}
}

// BenchmarkPairs: the same for kernels of two vectors.
func BenchmarkPairs(b *testing.B) {
	rng := rand.New(rand.NewPCG(46, 47))
	x, y, z := make([]float64, elements), make([]float64, elements), make([]float64, elements)
	for i := range x {
		x[i], y[i] = positive(rng), normal(rng)
	}
	for _, f := range pairings {
		perElement(b, f.name+"/math", func() {
			for i, v := range x {
				z[i] = f.want(v, y[i])
			}
		})
		for _, set := range vector.Available() {
			perElement(b, fmt.Sprint(f.name, "/", set), func() { f.vec(set, z, x, y) })
			if f.with != nil {
				perElement(b, fmt.Sprint(f.name, "-scalar/", set), func() {
					f.with(set, z, x, 2.5)
				})
			}
		}
	}
}
