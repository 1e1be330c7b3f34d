package models_test

import (
	"testing"

	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkOutputLayer times a score of networks on 100 rows of 10 variables, 10 particles and 32
// sampled graphs, on one worker.
func BenchmarkOutputLayer(b *testing.B) {
	const n, d = 100, 10
	rng := newRand(1)
	x := mat.NewDense(n, d, normals(rng, n*d))
	own := models.FeedForwardOptions{NoiseVariances: models.OwnVariances}
	for _, c := range []struct {
		name string
		make func() (models.Likelihood, error)
	}{
		{"sampled", func() (models.Likelihood, error) {
			return models.NewFeedForward(x, nil, models.FeedForwardOptions{})
		}},
		{"integrated", func() (models.Likelihood, error) {
			return models.NewIntegrated(x, nil, models.FeedForwardOptions{})
		}},
		{"sampled, own variances", func() (models.Likelihood, error) {
			return models.NewFeedForward(x, nil, own)
		}},
		{"integrated, own variances", func() (models.Likelihood, error) {
			return models.NewIntegrated(x, nil, own)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			lik, err := c.make()
			if err != nil {
				b.Fatal(err)
			}
			target, err := models.NewTOBAC(lik, models.TOBACConfig{Particles: 10, Samples: 32})
			if err != nil {
				b.Fatal(err)
			}
			defer target.Close()
			start := target.Init()
			dst := []*mat.Dense{mat.DenseCopyOf(start[0]), mat.DenseCopyOf(start[1])}
			for b.Loop() {
				if err := target.Score(dst, start, 200); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
