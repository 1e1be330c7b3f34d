package gflownet_test

import (
	"fmt"
	"testing"

	"tobac/internal/gflownet"
	"tobac/internal/must"
	"tobac/score"
)

// BenchmarkIteration is an iteration of training with a gradient step, on scores that are all 0.
func BenchmarkIteration(b *testing.B) {
	for _, c := range []struct {
		policy gflownet.Policy
		d      int
	}{{gflownet.Graph, 5}, {gflownet.Graph, 11}, {gflownet.Graph, 20}, {gflownet.Small, 5},
		{gflownet.Small, 11}} {
		b.Run(fmt.Sprintf("%s/d=%d", c.policy, c.d), func(b *testing.B) {
			s := score.NewFunc(c.d, func(int, []int) float64 { return 0 })
			m := must.Get(gflownet.New(s, nil,
				gflownet.Settings{Policy: c.policy, Prefill: 20, Iterations: 1 << 30}, 1, 1))(b)
			defer m.Close()
			must.Do(b, m.Advance(b.Context(), 21))
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, m.Advance(b.Context(), m.Step()+1))
			}
		})
	}
}
