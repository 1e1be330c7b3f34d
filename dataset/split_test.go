package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/must"
)

// numbered returns a table with one column that counts the rows.
func numbered(n int) *dataset.Table {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return &dataset.Table{Names: []string{"row"}, X: x}
}

// Percentages of all sizes up to 120: integer arithmetic says how many rows remain for training.
func TestSplitSizesAreDecimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{853}
	for n := 2; n <= 120; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		table := numbered(n)
		for percent := 1; percent < 100; percent++ {
			want := (100 - percent) * n / 100
			if want == 0 {
				continue
			}
			train, heldout, err := table.Split(float64(percent)/100, rng)
			if err != nil {
				t.Fatalf("%d rows, %d %%: %v", n, percent, err)
			}
			got, more := rows(train), rows(heldout)
			if got != want || more != n-want {
				t.Fatalf("%d rows, %d %%: %d and %d, want %d and %d", n, percent, got, more, want,
					n-want)
			}
		}
	}
}

func rows(t *dataset.Table) int {
	n, _ := t.X.Dims()
	return n
}

func TestSplitKeepsEveryRowOnce(t *testing.T) {
	table := numbered(50)
	train, heldout := must.Two(table.Split(0.3, rand.New(rand.NewPCG(3, 4))))(t)
	all := append(mat.Col(nil, 0, train.X), mat.Col(nil, 0, heldout.X)...)
	if slices.IsSorted(all) {
		t.Error("rows are not permuted")
	}
	slices.Sort(all)
	if !slices.Equal(all, mat.Col(nil, 0, table.X)) {
		t.Errorf("rows %v", all)
	}
	if !slices.IsSorted(mat.Col(nil, 0, table.X)) {
		t.Error("the table changed")
	}
	again, _, err := table.Split(0.3, rand.New(rand.NewPCG(3, 4)))
	if err != nil || !equalTables(again, train) {
		t.Errorf("the same generator gives another split, error %v", err)
	}
}

// Each of 10 rows is held out in 3 of 10 splits on average. 2000 splits: standard deviation
// √(2000·0.3·0.7) = 20.5, five of them allowed.
func TestSplitIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	table := numbered(10)
	var count [10]int
	for range 2000 {
		_, heldout := must.Two(table.Split(0.3, rng))(t)
		for _, row := range mat.Col(nil, 0, heldout.X) {
			count[int(row)]++
		}
	}
	for row, times := range count {
		if times < 600-103 || times > 600+103 {
			t.Errorf("row %d was held out %d times, want 600 ± 103", row, times)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	tests := []struct {
		n        int
		fraction float64
		want     string
	}{
		{10, 0, "dataset: held-out fraction 0; allowed: numbers above 0 and below 1"},
		{10, 1, "dataset: held-out fraction 1; allowed: numbers above 0 and below 1"},
		{10, -0.1, "dataset: held-out fraction -0.1; allowed: numbers above 0 and below 1"},
		{10, 10, "dataset: held-out fraction 10; allowed: numbers above 0 and below 1"},
		{10, math.NaN(), "dataset: held-out fraction NaN; allowed: numbers above 0 and below 1"},
		{10, 0.95, "dataset: held-out fraction 0.95 of 10 rows leaves 0 for training and 10 held " +
			"out, want at least one of each"},
		{10, 1e-15, "dataset: held-out fraction 1e-15 of 10 rows leaves 10 for training and 0 " +
			"held out, want at least one of each"},
		{1, 0.5, "dataset: held-out fraction 0.5 of 1 rows leaves 0 for training and 1 held out, " +
			"want at least one of each"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%v of %d", test.fraction, test.n), func(t *testing.T) {
			_, _, err := numbered(test.n).Split(test.fraction, rand.New(rand.NewPCG(1, 1)))
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}
