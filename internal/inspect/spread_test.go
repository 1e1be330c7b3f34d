package inspect_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dataset"
	"tobac/internal/inspect"

	"gonum.org/v1/gonum/mat"
)

// columns has normal values, the same with two decimals, with an atom, and levels.
func columns(n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		v := rng.NormFloat64()
		x.SetRow(i, []float64{v, math.Round(100*v) / 100, max(v, 0), float64(rng.IntN(4))})
	}
	return &dataset.Table{Names: []string{"normal", "rounded", "atom", "levels"}, X: x}
}

func TestSpread(t *testing.T) {
	data := columns(500)
	spread, plain := inspect.Spread(data)
	if !slices.Equal(plain, []int{2, 3}) {
		t.Errorf("columns %v have no density, want 2 and 3", plain)
	}
	again, _ := inspect.Spread(data)
	seen := map[float64]bool{}
	for i := range 500 {
		v, was := spread.X.At(i, 1), data.X.At(i, 1)
		if math.Abs(v-was) > 0.02 || seen[v] {
			t.Fatalf("%v became %v", was, v)
		}
		seen[v] = true
		if spread.X.At(i, 0) != data.X.At(i, 0) || again.X.At(i, 1) != v {
			t.Fatal("values without equals changed, or chance")
		}
	}
}

func TestRecorded(t *testing.T) {
	data := columns(500)
	for j, want := range []bool{false, true, true, false} {
		one := &dataset.Table{Names: data.Names[j : j+1],
			X: mat.DenseCopyOf(data.X.Slice(0, 500, j, j+1))}
		if got := inspect.Recorded(one); got != want {
			t.Errorf("%s: %v, want %v", data.Names[j], got, want)
		}
		one.X.Scale(math.Pi, one.X)
		if got := inspect.Recorded(one); got != want {
			t.Errorf("%s, scaled: %v, want %v", data.Names[j], got, want)
		}
	}
}

// Columns are in range up to magnitudes of 1e50, and where their values are the same or differ by
// 1e-50.
func TestOutOfRange(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{0, 0, true}, {3, 3, true}, {-dataset.Largest, dataset.Largest, true}, {0, 1e-50, true},
		{1e-50, 3e-50, true},
		{0, 1.1e50, false}, {-1.1e50, 0, false}, {0, 0.9e-50, false}, {-1e-60, 0, false},
		{0, math.Inf(1), false}, {math.NaN(), 1, false},
	} {
		if got := inspect.OutOfRange(c.low, c.high); (got == "") != c.want {
			t.Errorf("from %v to %v: %q, want in range %v", c.low, c.high, got, c.want)
		}
	}
}

// Columns of groups of rows are told from those of single rows, and from levels.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	size, teachers := make([]float64, 20), make([]float64, 20)
	for g := range size {
		size[g], teachers[g] = rng.NormFloat64(), rng.NormFloat64()
	}
	x := mat.NewDense(300, 4, nil)
	for i := range 300 {
		g := rng.IntN(20)
		x.SetRow(i, []float64{size[g], teachers[g], size[g] + rng.NormFloat64(),
			float64(rng.IntN(20))})
	}
	data := &dataset.Table{Names: []string{"size", "teachers", "mark", "day"}, X: x}
	want := []string{`"size", "teachers" have one value for each of the same 20 groups of ` +
		`rows: what relates them rests on 20 observations, and counts as 300; fit them on a ` +
		`table with a row for each group`}
	if got := inspect.Warnings(data, false); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}
