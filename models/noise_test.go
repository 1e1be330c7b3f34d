package models_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"tobac/models"
)

// A streamName identifies one stream of noise.
type streamName struct {
	seed           uint64
	purpose        models.Purpose
	step, particle int
}

func (s streamName) draw(n int) []float64 {
	u := make([]float64, n)
	models.SeededNoise(s.seed).Fill(u, s.purpose, s.step, s.particle)
	return u
}

// neighbours are a stream and others that differ from it in one respect or two.
func neighbours() []streamName {
	return []streamName{
		{1, models.SoftGraphs, 7, 3},
		{2, models.SoftGraphs, 7, 3},
		{0, models.SoftGraphs, 7, 3},
		{1, models.HardGraphs, 7, 3},
		{1, models.SoftGraphs, 8, 3},
		{1, models.SoftGraphs, 7, 4},
		{1, models.SoftGraphs, 3, 7},
		{1, models.HardGraphs, 3, 7},
		{1, models.SoftGraphs, 0, 0},
	}
}

// TestNoiseIsUniform checks range, moments and the correlation of consecutive
// numbers: 20 comparisons per stream, each within 4.5 standard errors.
func TestNoiseIsUniform(t *testing.T) {
	const n = 1 << 16
	for _, name := range neighbours() {
		t.Run(fmt.Sprint(name), func(t *testing.T) {
			u := name.draw(n)
			var sum, squares, serial float64
			var bins [16]float64
			for i, v := range u {
				if !(v > 0 && v < 1) {
					t.Fatalf("number %d is %v, want it strictly between 0 and 1", i, v)
				}
				c := v - 0.5
				sum += c
				squares += c * c
				if i > 0 {
					serial += c * (u[i-1] - 0.5)
				}
				bins[int(v*16)]++
			}
			// Variances of c, c² and c·c′: 1/12, 1/180, 1/144.
			for _, m := range []struct {
				what            string
				value, variance float64
			}{
				{"mean", sum / n, 1. / 12}, {"variance", squares/n - 1./12, 1. / 180},
				{"serial product", serial / n, 1. / 144},
			} {
				if se := math.Sqrt(m.variance / n); !(math.Abs(m.value) <= 4.5*se) {
					t.Errorf("%s is off by %v, want 0 ± %v", m.what, m.value, se)
				}
			}
			for b, count := range bins {
				if se := math.Sqrt(n * 15. / 256); !(math.Abs(count-n/16) <= 4.5*se) {
					t.Errorf("bin %d of 16 has %v numbers, want %d ± %v", b, count, n/16, se)
				}
			}
		})
	}
}

// TestNoiseStreamsAreIndependent checks that streams which differ in seed,
// purpose, step or particle are uncorrelated, in place and one place apart:
// 4.5 standard errors for 72 comparisons.
func TestNoiseStreamsAreIndependent(t *testing.T) {
	const n = 1 << 16
	names := neighbours()
	drawn := make([][]float64, len(names))
	for i, name := range names {
		drawn[i] = name.draw(n)
	}
	for i, a := range drawn {
		for j, b := range drawn[:i] {
			var same, shifted float64
			for k := 1; k < n; k++ {
				same += (a[k] - 0.5) * (b[k] - 0.5)
				shifted += (a[k] - 0.5) * (b[k-1] - 0.5)
			}
			if se := math.Sqrt(n) / 12; !(math.Abs(same) <= 4.5*se) ||
				!(math.Abs(shifted) <= 4.5*se) {
				t.Errorf("streams %v and %v: products add up to %v and %v, want 0 ± %v", names[i],
					names[j], same, shifted, se)
			}
		}
	}
}

// TestNoiseAlongSteps looks across streams: the first and the tenth number of
// consecutive steps, and of consecutive particles, are uncorrelated and uniform
// in mean. 4.5 standard errors for 8 comparisons.
func TestNoiseAlongSteps(t *testing.T) {
	const n = 20000
	for _, along := range []string{"step", "particle"} {
		for _, place := range []int{0, 9} {
			sum, serial, last := 0.0, 0.0, 0.0
			for i := range n {
				name := streamName{3, models.HardGraphs, i, 2}
				if along == "particle" {
					name = streamName{3, models.HardGraphs, 2, i}
				}
				c := name.draw(place + 1)[place] - 0.5
				sum += c
				serial += c * last
				last = c
			}
			if !(math.Abs(sum) <= 4.5*math.Sqrt(n/12.)) ||
				!(math.Abs(serial) <= 4.5*math.Sqrt(n)/12) {
				t.Errorf(
					"along %ss, place %d: sum %v, want 0 ± %v; serial products %v, want 0 ± %v",
					along, place, sum, math.Sqrt(n/12.), serial, math.Sqrt(n)/12)
			}
		}
	}
}

// TestNoiseStreamsAreDistinct asserts that 64,000 streams start with different
// numbers. Of 2⁵² possible ones a coincidence has probability 5e-7.
func TestNoiseStreamsAreDistinct(t *testing.T) {
	seen := map[float64]streamName{}
	for _, seed := range []uint64{0, 1, 2, math.MaxUint64} {
		for _, purpose := range []models.Purpose{models.SoftGraphs, models.HardGraphs} {
			for step := range 200 {
				for particle := range 40 {
					name := streamName{seed, purpose, step, particle}
					u := name.draw(1)[0]
					if old, ok := seen[u]; ok {
						t.Fatalf("streams %v and %v both start with %v", old, name, u)
					}
					seen[u] = name
				}
			}
		}
	}
}

// TestNoiseGolden freezes the streams: results of a seed must not change from
// one version to the next. Streams compare exactly, on any processor.
func TestNoiseGolden(t *testing.T) {
	want := []string{"a97f849810d53bfe", "0c28dadae00f2576", "f17afcf4edd3868c"}
	for i, name := range []streamName{{0, models.SoftGraphs, 0, 0}, {1, models.HardGraphs, 12, 3},
		{math.MaxUint64, models.SoftGraphs, 999, 29}} {
		h := fnv.New64a()
		for _, u := range name.draw(1000) {
			fmt.Fprintf(h, "%016x", math.Float64bits(u))
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want[i] {
			t.Errorf("stream %v: hash of the first 1000 numbers is %s, want %s", name, got, want[i])
		}
	}
}
