package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/models"
)

// Where the prior fixes every edge there is one graph in all samples and in the limit; its
// parameters are sampled as ever, and the latents feel their prior alone: −k·z.
func TestEveryEdgeFixed(t *testing.T) {
	const d = 3
	prior := newEdgePrior(t, d, 0, 1, 0, 0, 0, 1, 0, 0, 0)
	want := []float64{0, 1, 0, 0, 0, 1, 0, 0, 0}
	for _, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
		for _, gradient := range []models.Gradient{models.Reparameterised, models.ScoreFunction} {
			t.Run(fmt.Sprintf("embedding=%d/%v", embedding, gradient), func(t *testing.T) {
				target := newTOBAC(t, testedLikelihoods(t, 115, 6, d)["linear"], models.TOBACConfig{
					Particles: 5, Samples: 4, Rank: 2, AlphaRate: 0.5, Prior: prior,
					Embedding: embedding, Gradient: gradient,
				})
				x := target.Init()
				s, err := target.Samples([][]float64{x[0].RawMatrix().Data, x[1].RawMatrix().Data},
					3)
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range s.Graphs {
					if v != want[k%(d*d)] {
						t.Fatalf("entry %d of a sample is %v", k, v)
					}
				}
				for m := range 5 {
					if g := target.HardGraph(x[0].RawRowView(m)); g.Size() != 2 || !g.Has(0, 1) ||
						!g.Has(1, 2) {
						t.Fatalf("the limit has the edges %v", g.Edges())
					}
				}
				grad := score(t, target, x, 3)
				for k, z := range x[0].RawMatrix().Data {
					if got := grad[0].RawMatrix().Data[k]; !(math.Abs(got+2*z) <= 1e-12) {
						t.Fatalf("gradient of the latent %d at %v is %v, want %v", k, z, got, -2*z)
					}
				}
			})
		}
	}
}
