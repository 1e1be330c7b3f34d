package tobac_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"tobac"
	"tobac/dataset"
)

// The particles of the published recipe are frozen: graphs and weights after 30 steps on the Sachs
// data are those, to nine digits, that they were before the other engines existed. Compilers and
// kernels round differently. What the recipe is worth, package bench tests:
// TestQualityOfPaperSachs.
func TestPaperIsFrozen(t *testing.T) {
	const want = "b44df41a9ef69649348a6303caa56103d385f1d3c075298590900774780af6eb"
	raw, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	cfg := tobac.Paper()
	sampler(&cfg).Steps, cfg.Seed = 30, 1
	h := sha256.New() // its Write never fails
	for _, d := range fit(t, standardised(t, raw), cfg).Draws {
		for _, e := range d.Graph.Edges() {
			fmt.Fprintf(h, "%d %d %.9g\n", e.From, e.To, d.Equations.Weights.At(e.From, e.To))
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of graphs and weights is %s, want %s", got, want)
	}
}
