package impute_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tobac/internal/impute"
)

// The donors are all numbers that are at most as far away as the fifth nearest, found by sorting
// all distances; with one number for each row both searches agree.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(-6, 6).Draw(t, "number")) / 2
		}), 1, 30).Draw(t, "numbers")
		slices.Sort(numbers)
		v := float64(rapid.IntRange(-8, 8).Draw(t, "from")) / 4
		var distances []float64
		for _, w := range numbers {
			distances = append(distances, math.Abs(w-v))
		}
		slices.Sort(distances)
		radius := distances[min(5, len(distances))-1]
		var want []int
		for k, w := range numbers {
			if math.Abs(w-v) <= radius {
				want = append(want, k)
			}
		}
		from, to := impute.Nearest(numbers, v)
		if from != want[0] || to != want[len(want)-1]+1 || to-from != len(want) {
			t.Fatalf("nearest to %v among %v: got [%d, %d), want %v", v, numbers, from, to, want)
		}
		pool := make([]int, len(numbers))
		for k := range pool {
			pool[k] = k
		}
		if got := impute.NearestOf(pool, append(slices.Clone(numbers), v), len(numbers),
			1); !slices.Equal(got, want) {
			t.Fatalf("nearest of all to %v among %v: got %v, want %v", v, numbers, got, want)
		}
	})
}
