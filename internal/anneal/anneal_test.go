package anneal_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac/internal/anneal"
)

// The next temperature leaves half of the points, 1 where all of the way leaves more, and goes on
// where a single point has all weight.
func TestNext(t *testing.T) {
	logs := make([]float64, 100)
	ratios := make([]float64, 100)
	for k := range ratios {
		ratios[k] = float64(k) / 2
	}
	beta := anneal.Next(logs, ratios, 0)
	if ess := anneal.EffectiveSize(logs); !(beta > 0 && beta < 1) || !(math.Abs(ess-50) <= 1e-6) {
		t.Errorf("inverse temperature %v with the effective size %v, want 50", beta, ess)
	}
	if to := anneal.Next(logs, ratios, 0.999); to != 1 || anneal.EffectiveSize(logs) < 99 {
		t.Errorf("from 0.999: %v with the effective size %v", to, anneal.EffectiveSize(logs))
	}
	for k := range ratios {
		ratios[k] = math.Inf(-1)
	}
	ratios[7] = 0
	if to := anneal.Next(logs, ratios, 0.5); !(to > 0.5) || anneal.EffectiveSize(logs) != 1 {
		t.Errorf("one possible point: %v with the effective size %v", to,
			anneal.EffectiveSize(logs))
	}
}

// Systematic resampling takes every point as often as its weight says, up to one.
func TestResample(t *testing.T) {
	weights := []float64{0.05, 0, 0.5, 0.25, 0.2}
	logs := make([]float64, len(weights))
	for k, w := range weights {
		logs[k] = math.Log(w) + 3
	}
	for _, u := range []float64{0, 0.3, 0.999} {
		count := make([]float64, len(weights))
		drawn := anneal.Resample(logs, 37, u)
		for _, k := range drawn {
			count[k]++
		}
		for k, w := range weights {
			if math.Abs(count[k]-37*w) >= 1 {
				t.Errorf("u = %v: point %d is drawn %v times, want about %v", u, k, count[k], 37*w)
			}
		}
		if !slices.IsSorted(drawn) {
			t.Errorf("u = %v: %v", u, drawn)
		}
	}
}

func ExampleResample() {
	fmt.Println(anneal.Resample([]float64{math.Log(1), math.Log(3)}, 4, 0.5))
	// Output:
	// [0 1 1 1]
}
