package models_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"tobac/models"
)

// TestNoiseGolden freezes the streams: results of a seed must not change from
// one version to the next. Streams compare exactly, on any processor. That they are uniform and
// differ is tested by internal/vector and internal/stream.
func TestNoiseGolden(t *testing.T) {
	for _, tt := range []struct {
		seed           uint64
		purpose        models.Purpose
		step, particle int
		want           string
	}{
		{0, models.SoftGraphs, 0, 0, "a97f849810d53bfe"},
		{1, models.HardGraphs, 12, 3, "0c28dadae00f2576"},
		{math.MaxUint64, models.SoftGraphs, 999, 29, "f17afcf4edd3868c"},
	} {
		h, u := fnv.New64a(), make([]float64, 1000)
		models.SeededNoise(tt.seed).Fill(u, tt.purpose, tt.step, tt.particle)
		for _, v := range u {
			fmt.Fprintf(h, "%016x", math.Float64bits(v))
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != tt.want {
			t.Errorf("stream %v: hash of the first 1000 numbers is %s", tt, got)
		}
	}
}
