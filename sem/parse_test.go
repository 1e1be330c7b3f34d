package sem_test

import (
	"testing"

	"tobac/models"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
)

// Parse reads what String writes.
func TestParse(t *testing.T) {
	for _, m := range []sem.Model{
		sem.Linear{},
		sem.Linear{NoiseVariance: 0.1, EdgeVariance: 2, NoIntercept: true, PriorStart: true},
		sem.BGe{}, sem.BGe{AlphaMu: 2, AlphaLambda: 30, Raw: true},
		sem.Smooth{}, sem.Smooth{MaxParents: 3},
		sem.GaussianProcess{}, sem.GaussianProcess{MaxParents: 3, Rank: 20},
		sem.FeedForward{}, sem.FeedForward{Hidden: []int{4, 3}, Activation: models.LeakyRelu,
			NoBias: true, NoiseVariance: 0.2},
		sem.FeedForward{Output: models.IntegratedOutput},
		sem.BDeu{}, sem.BDeu{Alpha: 2, MaxParents: 3, PseudoCounts: sem.BDsCounts},
		sem.BDeu{PseudoCounts: sem.BDJCounts},
		sem.Mixed{}, sem.LatentNormal{}, sem.Generalised{FormRows: 5, MaxParents: 2},
	} {
		got, err := sem.Parse(m.String())
		if err != nil || cmp.Diff(m, got) != "" {
			t.Errorf("%v: error %v, (-want +got):\n%s", m, err, cmp.Diff(m, got))
		}
	}
	for _, text := range []string{"", "nothing", "linear speed=3", "linear noise-variance=fast",
		"ffn hidden=a", "ffn activation=step", "ffn output-layer=none", "bdeu pseudo-counts=none"} {
		if m, err := sem.Parse(text); err == nil {
			t.Errorf("%q: got %v", text, m)
		}
	}
}
