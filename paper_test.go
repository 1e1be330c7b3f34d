package tobac_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/internal/vector"
)

// The particles of the published recipe are frozen: graphs and weights after 30
// steps on the Sachs data have the bits that they had before the other engines
// existed. Vector and portable kernels round differently, other processors too.
func TestPaperIsFrozen(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the bits are those of amd64")
	}
	want := "284d683cbdf95dea9efc59d34be7043ff34e57d7f6e561de3c44eefd2f0cc392"
	kernels, err := vector.Default()
	if err != nil {
		t.Fatal(err)
	}
	if kernels == vector.Portable {
		want = "45d55c00275e617b2dcca0a230463e7f7b086915dcdf86023e9abefab7c45802"
	}
	raw, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	cfg := tobac.Paper()
	cfg.Sampler.Steps, cfg.Seed = 30, 1
	h := sha256.New() // its Write never fails
	for _, d := range fit(t, standardised(t, raw), cfg).Draws {
		for _, e := range d.Graph.Edges() {
			var b [24]byte
			binary.LittleEndian.PutUint64(b[:8], uint64(e.From))
			binary.LittleEndian.PutUint64(b[8:16], uint64(e.To))
			binary.LittleEndian.PutUint64(b[16:], math.Float64bits(d.Equations.Weights.At(e.From, e.To)))
			h.Write(b[:])
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of graphs and weights is %s, want %s", got, want)
	}
}
