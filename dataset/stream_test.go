package dataset_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

// The random streams are part of the promise that a seed names a data set for good. Noise of
// variance 1 on a graph without edges is the stream itself. The hashes were computed with this
// package and Go 1.26 on amd64; a change here changes every simulated data set.
func TestStreamsAreFrozen(t *testing.T) {
	s := simulate(t, dag.New(3),
		dataset.LinearConfig{Rows: 50, HeldoutRows: 50, NoiseVariance: 1, Seed: 42})
	w := simulate(t, complete(12), dataset.LinearConfig{Rows: 1, HeldoutRows: 1, Seed: 42})
	er := erGraph(t, dataset.ERConfig{Vars: 20, Seed: 42})
	sf := must.Get(dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: 20, Seed: 42}))(t)
	got := map[string]string{
		"train":       hash(s.Train.X.RawMatrix().Data),
		"heldout":     hash(s.Heldout.X.RawMatrix().Data),
		"weights":     hash(w.Weights.RawMatrix().Data),
		"Erdős–Rényi": hash(er.Edges()),
		"scale-free":  hash(sf.Edges()),
	}
	want := map[string]string{
		"train":       "5debe241f514082b",
		"heldout":     "3cd94204eccb434f",
		"weights":     "8c26e27c0ad242dd",
		"Erdős–Rényi": "05b5ab1789cb8308",
		"scale-free":  "e946b63ada13e43d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

// The construction that the package promises: ChaCha8 keyed with the seed, little-endian, and the
// purpose.
func TestStreamIsKeyedBySeedAndPurpose(t *testing.T) {
	var key [32]byte
	copy(key[:], "\x2a\x00\x00\x00\x00\x00\x00\x00simulate heldout")
	rng := rand.New(rand.NewChaCha8(key))
	s := simulate(t, dag.New(2),
		dataset.LinearConfig{Rows: 1, HeldoutRows: 3, NoiseVariance: 1, Seed: 42})
	for _, got := range s.Heldout.X.RawMatrix().Data {
		if want := rng.NormFloat64(); got != want {
			t.Fatalf("noise %v, want %v", got, want)
		}
	}
}

// hash identifies numbers exactly: Go prints each float64 with as many digits as tell it from all
// others.
func hash(values any) string {
	sum := sha256.Sum256(fmt.Append(nil, values))
	return hex.EncodeToString(sum[:8])
}
