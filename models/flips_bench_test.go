package models_test

import (
	"testing"

	"tobac/internal/must"
	"tobac/models"
	"tobac/schedule"

	"gonum.org/v1/gonum/mat"
)

// A step of the calibrated recipe without kernel and optimiser: 20 variables, 100 rows, networks of
// 5 units, 10 particles, 8 graphs, two workers; at the beginning, where all sampled graphs differ,
// and near the end.
func BenchmarkFlips(b *testing.B) {
	const d, n = 20, 100
	rng := newRand(3)
	lik := must.Get(models.NewIntegrated(mat.NewDense(n, d, normals(rng, n*d)), nil,
		models.FeedForwardOptions{}))(b)
	for name, alpha := range map[string]float64{"start": 0.01, "end": 50} {
		b.Run(name, func(b *testing.B) {
			cfg := models.TOBACConfig{Particles: 10, Samples: 8, Gradient: models.Flips,
				Latents: models.NormalScores, PriorPlace: models.PriorInside,
				EdgeParameters: models.LaplaceEdges, Alpha: schedule.Constant(alpha)}
			cfg.Workers = 2
			target := must.Get(models.NewTOBAC(lik, cfg))(b)
			defer target.Close()
			x := target.Init()
			dst := []*mat.Dense{mat.DenseCopyOf(x[0]), mat.DenseCopyOf(x[1])}
			step := 0
			for b.Loop() {
				must.Do(b, target.Score(dst, x, step))
				step++
			}
		})
	}
}
