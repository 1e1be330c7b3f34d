package svgd_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/svgd"
)

// squares returns the matrix a rule sees for particles on a line, with NaN where
// the rule must not look.
func squares(points ...float64) *mat.Dense {
	n := len(points)
	sq := mat.NewDense(n, n, nil)
	sq.Apply(func(r, m int, _ float64) float64 {
		if m >= r {
			return math.NaN()
		}
		return (points[r] - points[m]) * (points[r] - points[m])
	}, sq)
	return sq
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []float64
		want   float64
	}{
		{"single particle", []float64{3}, 1},
		{"all at one point", []float64{2, 2, 2}, 1},
		{"one pair", []float64{0, 3}, 9 / math.Log(3)},
		{"odd: squares 1 4 9", []float64{0, 1, 3}, 4 / math.Log(4)},
		{"even: squares 1 4 9 16 36 49", []float64{0, 1, 3, 7}, 12.5 / math.Log(5)},
		{"even with equal middle: squares 1 1 1 4 4 9", []float64{0, 1, 2, 3}, 2.5 / math.Log(5)},
		{"coinciding pair left out: squares 0 1 1", []float64{0, 0, 1}, 1 / math.Log(4)},
		{"scale: squares 1e-300 and 4e-300", []float64{0, 1e-150, 2e-150}, 1e-300 / math.Log(4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := svgd.Median{}.Bandwidth(squares(c.points...))
			if !(math.Abs(got-c.want) <= 1e-15*c.want) {
				t.Errorf("h = %v, want %v", got, c.want)
			}
		})
	}
}

// TestMedianMatchesSort compares with sorting, ties and squares from 1e-300 to infinity included.
func TestMedianMatchesSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(-10, 10),
			rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) }),
			rapid.Map(rapid.IntRange(-520, 600), func(i int) float64 { return math.Ldexp(1, i) }),
		), 1, 12).Draw(t, "points")
		sq := squares(points...)
		var positive []float64
		for r := range points {
			for m := range r {
				if v := sq.At(r, m); v > 0 {
					positive = append(positive, v)
				}
			}
		}
		want := 1.0
		if k := len(positive); k > 0 {
			slices.Sort(positive)
			low, high := positive[(k-1)/2], positive[k/2]
			if want = low; high > low {
				want += (high - low) / 2
			}
			want /= math.Log(float64(len(points)) + 1)
		}
		if got := (svgd.Median{}).Bandwidth(sq); got != want {
			t.Fatalf("h = %v, want %v for %v", got, want, points)
		}
	})
}
