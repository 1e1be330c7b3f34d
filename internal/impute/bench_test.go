package impute_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tobac/internal/impute"
)

// One in twenty values missing, 10 tables.
func BenchmarkComplete(b *testing.B) {
	for _, size := range [][2]int{{1000, 10}, {100000, 20}, {1000, 200}, {100000, 200}} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d", size[0], size[1]), func(b *testing.B) {
			if testing.Short() && size[0]*size[1] > 1e6 {
				b.Skip("takes minutes")
			}
			rng := rand.New(rand.NewPCG(1, 1))
			x := punched(correlated(size[0], size[1], rng), 0.05, rng)
			for b.Loop() {
				m := complete(b, x, impute.Settings{Workers: 2}).Diagnostics.Models[0]
				b.ReportMetric(float64(m.EMIterations), "EM-iterations")
				b.ReportMetric(float64(m.Iterations), "iterations")
			}
		})
	}
}
