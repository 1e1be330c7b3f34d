package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// TestLogSumExpRows compares with sums of exponentials over any number of rows of any
// length, with awkward numbers among them, in a result of its own and in the place of a
// row, and looks for writes behind the end.
func TestLogSumExpRows(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(40, 41))
		for n := range 40 {
			for count := 1; count < 6; count++ {
				rows := make([][]float64, count)
				for k := range rows {
					rows[k] = sample(rng, n, n%2 == 0)
				}
				got := make([]float64, n+1)
				got[n] = 7
				set.LogSumExpRows(got[:n], rows)
				for i, v := range got[:n] {
					want, column := logSumExp(rows, i)
					if !closeTo(v, want, 1e-15, 2) {
						t.Errorf("%v: number %d of %d, of %v: got %v, want %v", set, i, n, column,
							v, want)
					}
				}
				if got[n] != 7 {
					t.Errorf("%v: %d numbers, and one more was written", set, n)
				}
				in := slices.Clone(rows[count-1])
				rows[count-1] = in
				set.LogSumExpRows(in, rows)
				for i, v := range in {
					if !sameBits(v, got[i]) {
						t.Errorf("%v: number %d of %d in place: got %v, want %v", set, i, n, v,
							got[i])
					}
				}
			}
		}
	}
}

// logSumExp is the logarithm of the sum of exponentials of column i of rows.
func logSumExp(rows [][]float64, i int) (sum float64, column []float64) {
	for _, row := range rows {
		column = append(column, row[i])
	}
	top := slices.Max(column) // NaN if there is one
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top, column
	}
	for _, v := range column {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum), column
}

// TestLogSumExpRowsLaws: shifting all rows shifts the result, equal rows add ln k, no
// row is −∞, one row is itself, results do not depend on the place, and the sets in
// assembly agree to the bit.
func TestLogSumExpRowsLaws(t *testing.T) {
	const n, count = 37, 4
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(42, 43))
		rows, shifted, equal, part := make([][]float64, count), make([][]float64, count),
			make([][]float64, count), make([][]float64, count)
		first := arguments(rng, n)
		for k := range rows {
			rows[k], equal[k] = arguments(rng, n), sample(rand.New(rand.NewPCG(44, 45)), n, false)
			shifted[k] = make([]float64, n)
			vector.Portable.Shift(shifted[k], equal[k], 1000)
		}
		a, b := make([]float64, n), make([]float64, n)
		set.LogSumExpRows(a, rows[:0])
		for _, v := range a {
			if !math.IsInf(v, -1) {
				t.Errorf("%v: of no rows: got %v, want −Inf", set, v)
			}
		}
		set.LogSumExpRows(a, [][]float64{first})
		for i, v := range a {
			if !sameBits(v, first[i]+0) {
				t.Errorf("%v: of one row: got %v, want %v", set, v, first[i])
			}
		}
		set.LogSumExpRows(a, equal)
		set.LogSumExpRows(b, shifted)
		for i, v := range a {
			if want := equal[0][i] + math.Log(count); !closeTo(v, want, 1e-15, 1) ||
				!closeTo(b[i], want+1000, 1e-15, 1) {
				t.Errorf("%v: of equal rows: got %v, with a shift of 1000 %v, want %v", set, v,
					b[i], want)
			}
		}
		set.LogSumExpRows(a, rows)
		for i := range n {
			for k, row := range rows {
				part[k] = row[i : i+1]
			}
			set.LogSumExpRows(b[:1], part)
			if !sameBits(a[i], b[0]) {
				t.Errorf("%v: number %d: got %v, alone %v", set, i, a[i], b[0])
			}
		}
		if set == vector.AVX512 {
			vector.AVX2.LogSumExpRows(b, rows)
			for i, v := range a {
				if math.Float64bits(v) != math.Float64bits(b[i]) {
					t.Errorf("number %d: AVX2 %v, AVX-512 %v", i, b[i], v)
				}
			}
		}
	}
}

// TestLogSumExpRowsLength: a row of another length than the result is a panic.
func TestLogSumExpRowsLength(t *testing.T) {
	defer func() {
		if got, want := recover(), "vector: row 1 has length 3, want 2"; got != want {
			t.Errorf("got panic %v, want %v", got, want)
		}
	}()
	vector.Portable.LogSumExpRows(make([]float64, 2),
		[][]float64{make([]float64, 2), make([]float64, 3)})
}
