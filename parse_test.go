package tobac_test

import (
	"testing"
	"tobac"
	"tobac/models"

	"github.com/google/go-cmp/cmp"
)

// ParseModel reads what String writes.
func TestParseModel(t *testing.T) {
	for _, m := range []tobac.Model{
		tobac.Linear{}, tobac.Linear{NoiseVariance: 0.1, EdgeVariance: 2, NoIntercept: true, Start: tobac.PriorStart},
		tobac.BGe{}, tobac.BGe{AlphaMu: 2, AlphaLambda: 30, Raw: true},
		tobac.GaussianProcess{}, tobac.GaussianProcess{MaxParents: 3, Rank: 20},
		tobac.FeedForward{}, tobac.FeedForward{Hidden: []int{4, 3}, Activation: models.LeakyRelu, NoBias: true, NoiseVariance: 0.2},
		tobac.FeedForward{Output: models.IntegratedOutput},
	} {
		got, err := tobac.ParseModel(m.String())
		if err != nil || cmp.Diff(m, got) != "" {
			t.Errorf("%v: error %v, (-want +got):\n%s", m, err, cmp.Diff(m, got))
		}
	}
	for _, text := range []string{"", "nothing", "linear speed=3", "linear noise-variance=fast", "ffn hidden=a", "ffn activation=step", "ffn output-layer=none"} {
		if m, err := tobac.ParseModel(text); err == nil {
			t.Errorf("%q: got %v", text, m)
		}
	}
}
