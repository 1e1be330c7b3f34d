package dataset_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"tobac/dataset"
	"tobac/internal/must"
)

func column(values ...float64) *dataset.Table {
	return &dataset.Table{Names: []string{"a"}, X: mat.NewDense(len(values), 1, values)}
}

func scores(t testing.TB, u *dataset.Table) []float64 {
	t.Helper()
	z := must.Get(u.NormalScores())(t)
	return mat.Col(nil, 0, z.X)
}

// Worked by hand: ranks 3, 1, 2 and, with ties, 1½, 3, 1½, 4. The quantiles agree
// with those of package distuv to its rounding.
func TestNormalScores(t *testing.T) {
	for _, row := range []struct {
		values, ranks []float64
	}{
		{[]float64{8, -1, 2}, []float64{3, 1, 2}},
		{[]float64{2, 5, 2, 7}, []float64{1.5, 3, 1.5, 4}},
		{[]float64{0, math.Copysign(0, -1), 1}, []float64{1.5, 1.5, 3}},
		{[]float64{4, 4, 4}, []float64{2, 2, 2}},
		{[]float64{9}, []float64{1}},
	} {
		got := scores(t, column(row.values...))
		for i, r := range row.ranks {
			want := distuv.UnitNormal.Quantile((r - 0.5) / float64(len(row.values)))
			if math.Abs(got[i]-want) > 1e-14 {
				t.Errorf("%v: entry %d is %v, want %v", row.values, i, got[i], want)
			}
		}
	}
}

// A strictly increasing function changes no bit, and a change of sign changes
// signs only; the scores sum to 0 and keep the sequence of the numbers.
func TestNormalScoresLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 40).Draw(t, "values")
		grown, negated := make([]float64, len(values)), make([]float64, len(values))
		for i, v := range values {
			grown[i], negated[i] = 8*v, -v // a power of two keeps all differences
		}
		z := make([][]float64, 3)
		for k, c := range [][]float64{values, grown, negated} {
			u := must.Get(column(c...).NormalScores())(t)
			z[k] = mat.Col(nil, 0, u.X)
		}
		sum := 0.0
		for i := range values {
			sum += z[0][i]
			if z[1][i] != z[0][i] || z[2][i] != -z[0][i] {
				t.Fatalf("scores %v, of eightfold numbers %v, of negated ones %v", z[0], z[1], z[2])
			}
			for j := range values {
				if (values[i] < values[j]) != (z[0][i] < z[0][j]) {
					t.Fatalf("numbers %v have the scores %v", values, z[0])
				}
			}
		}
		// With ties the scores of a group are not the mean of its quantiles, so that only
		// those of distinct numbers sum to 0.
		distinct := slices.Clone(values)
		slices.Sort(distinct)
		if len(slices.Compact(distinct)) == len(values) && math.Abs(sum) > 1e-12 {
			t.Fatalf("the scores %v sum to %v, want 0", z[0], sum)
		}
	})
}

func TestLog(t *testing.T) {
	u := must.Get(column(1, math.E, 0.25).Log())(t)
	if want := mat.NewDense(3, 1, []float64{0, 1, -2 * math.Ln2}); !mat.EqualApprox(u.X, want,
		1e-15) {
		t.Errorf("got %v, want %v", u.X, want)
	}
	for bad, want := range map[float64]string{
		0:  `dataset: row 2, column "a" is 0, want a number above 0, which has a logarithm`,
		-2: `dataset: row 2, column "a" is -2, want a number above 0, which has a logarithm`,
	} {
		if _, err := column(1, bad, 3).Log(); err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	}
}
