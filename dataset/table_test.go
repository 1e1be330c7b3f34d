package dataset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

// tables draws tables with n rows and d columns, at least minRows and one, with awkward names and
// numbers of all sizes.
func tables(minRows int, number *rapid.Generator[float64]) *rapid.Generator[*dataset.Table] {
	return rapid.Custom(func(t *rapid.T) *dataset.Table {
		n, d := rapid.IntRange(minRows, 8).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		awkward := rapid.SampledFrom([]string{"a", " a", "1", "-2.5e3", "1,5", "x;y", "x\ty",
			"\r\nb", `"`, `""q`, "NaN", "\uFEFFx", "p44/42"})
		named := rapid.OneOf(awkward, rapid.StringMatching(`[\pL\d ,;"]{0,4}[\pL]`))
		return &dataset.Table{
			Names: rapid.SliceOfNDistinct(named, d, d, rapid.ID).Draw(t, "names"),
			X:     mat.NewDense(n, d, rapid.SliceOfN(number, n*d, n*d).Draw(t, "numbers")),
		}
	})
}

func equalTables(a, b *dataset.Table) bool {
	if (a.Intervened == nil) != (b.Intervened == nil) || a.Intervened != nil &&
		!mat.Equal(a.Intervened, b.Intervened) {
		return false
	}
	return slices.Equal(a.Names, b.Names) && mat.Equal(a.X, b.X)
}

func TestValidate(t *testing.T) {
	one := mat.NewDense(1, 2, []float64{1, 2})
	tests := []struct {
		name  string
		table *dataset.Table
		want  string
	}{
		{"nil", nil, "dataset: table has no numbers"},
		{"no matrix", &dataset.Table{Names: []string{"a"}}, "dataset: table has no numbers"},
		{"empty matrix", &dataset.Table{X: &mat.Dense{}}, "dataset: table has no numbers"},
		{"too few names", &dataset.Table{Names: []string{"a"}, X: one},
			"dataset: table has 1 names for 2 columns"},
		{"blank name", &dataset.Table{Names: []string{"a", " "}, X: one},
			"dataset: column 2 has no name"},
		{"repeated name", &dataset.Table{Names: []string{"a", "a"}, X: one},
			`dataset: columns 1 and 2 are both named "a"`},
		{"name not UTF-8", &dataset.Table{Names: []string{"a", "\xff"}, X: one},
			`dataset: name "\xff" of column 2 is not UTF-8`},
		{"NaN", &dataset.Table{Names: []string{"a", "b"},
			X: mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()})},
			`dataset: row 2, column "b" is NaN, want a finite number`},
		{"infinity", &dataset.Table{Names: []string{"a", "b"},
			X: mat.NewDense(1, 2, []float64{math.Inf(-1), 2})},
			`dataset: row 1, column "a" is -Inf, want a finite number`},
		{"empty interventions", &dataset.Table{Names: []string{"a", "b"}, X: one,
			Intervened: &mat.Dense{}},
			"dataset: the matrix of interventions is empty; nil stands for none"},
		{"interventions of another size", &dataset.Table{Names: []string{"a", "b"}, X: one,
			Intervened: mat.NewDense(2, 1, nil)},
			"dataset: interventions are 2×1, want 1×2 like the table"},
		{"mark that is neither 0 nor 1", &dataset.Table{Names: []string{"a", "b"}, X: one,
			Intervened: mat.NewDense(1, 2, []float64{1, 0.5})},
			`dataset: row 1, column "b" of the interventions is 0.5, want 0 or 1`},
		{"mark that is NaN", &dataset.Table{Names: []string{"a", "b"}, X: one,
			Intervened: mat.NewDense(1, 2, []float64{math.NaN(), 0})},
			`dataset: row 1, column "a" of the interventions is NaN, want 0 or 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.table.Validate(); err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
			if _, err := test.table.Standardize(); err == nil || err.Error() != test.want {
				t.Errorf("Standardize\n got %v\nwant %s", err, test.want)
			}
			if _, err := test.table.Select(nil); err == nil || err.Error() != test.want {
				t.Errorf("Select\n got %v\nwant %s", err, test.want)
			}
			if _, _, err := test.table.Split(0.5, rand.New(rand.NewPCG(1, 1))); err == nil ||
				err.Error() != test.want {
				t.Errorf("Split\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

// The divisor is n, not n−1: the values 1 and 3 have mean 2 and deviation 1.
func TestMomentsAreThoseOfThePopulation(t *testing.T) {
	table := &dataset.Table{Names: []string{"a", "b"},
		X: mat.NewDense(2, 2, []float64{1, 10, 3, 50})}
	mean, sd := table.Moments()
	if diff := cmp.Diff([][]float64{{2, 30}, {1, 20}}, [][]float64{mean, sd}); diff != "" {
		t.Errorf("mean, sd (-want +got):\n%s", diff)
	}
	z := must.Get(table.Standardize())(t)
	if want := mat.NewDense(2, 2, []float64{-1, -1, 1, 1}); !mat.Equal(z.X, want) {
		t.Errorf("standardised %v, want %v", z.X, want)
	}
}

func TestStandardizeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := tables(2, rapid.Float64Range(-1e3, 1e3)).Draw(t, "table")
		n, d := table.X.Dims()
		for j := range d { // spread of at least 1 per column, so that rounding stays small
			table.X.Set(0, j, table.X.At(1, j)+1)
		}
		before := mat.DenseCopyOf(table.X)
		z := must.Get(table.Standardize())(t)
		if !mat.Equal(table.X, before) {
			t.Fatal("the table changed")
		}
		mean, sd := z.Moments()
		for j := range d {
			// Rounding: 1e3 over a deviation of at least 1/2 times 1e-16, times the rows.
			if math.Abs(mean[j]) > 1e-11 || math.Abs(sd[j]-1) > 1e-11 {
				t.Fatalf("column %d: mean %v, deviation %v", j, mean[j], sd[j])
			}
		}
		scale, shift := rapid.Float64Range(0.1, 10).Draw(t, "scale"),
			rapid.Float64Range(-10, 10).Draw(t, "shift")
		affine := &dataset.Table{Names: table.Names, X: mat.NewDense(n, d, nil)}
		affine.X.Apply(func(_, _ int, v float64) float64 { return scale*v + shift }, table.X)
		again := must.Get(affine.Standardize())(t)
		if !mat.EqualApprox(again.X, z.X, 1e-9) {
			t.Fatalf("scaling by %v and shifting by %v changes the result", scale, shift)
		}
	})
}

func TestStandardizeErrors(t *testing.T) {
	tests := []struct {
		name   string
		column []float64
		want   string
	}{
		// 0.1 added three times and divided by three is not 0.1: the deviation of a constant column
		// need not come out as zero.
		{"constant", []float64{0.1, 0.1, 0.1},
			`dataset: column "b" cannot be standardised: all 3 values are 0.1, want at least two different ones`},
		{"overflow", []float64{1e308, -1e308, 0},
			`dataset: column "b" cannot be standardised: mean 0, standard deviation +Inf, want finite ones, the latter above 0`},
		{"underflow", []float64{1e-200, 2e-200, 3e-200},
			`dataset: column "b" cannot be standardised: mean 2e-200, standard deviation 0, want finite ones, the latter above 0`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := mat.NewDense(3, 2, []float64{1, 0, 2, 0, 3, 0})
			x.SetCol(1, test.column)
			_, err := (&dataset.Table{Names: []string{"a", "b"}, X: x}).Standardize()
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	table := &dataset.Table{Names: []string{"a", "b", "c"},
		X: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	got := must.Get(table.Select([]string{"c", "a"}))(t)
	if want := (&dataset.Table{Names: []string{"c", "a"},
		X: mat.NewDense(2, 2, []float64{3, 1, 6, 4})}); !equalTables(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	tests := []struct {
		name    string
		columns []string
		want    string
	}{
		{"none", nil, `dataset: no column selected; allowed: "a", "b", "c"`},
		{"unknown", []string{"a", "d"}, `dataset: no column is named "d"; allowed: "a", "b", "c"`},
		{"repeated", []string{"a", "b", "a"},
			`dataset: selection: columns 1 and 3 are both named "a"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := table.Select(test.columns); err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestRelabel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := tables(1, rapid.Float64()).Draw(t, "table")
		identity := make([]int, len(table.Names))
		for j := range identity {
			identity[j] = j
		}
		order := rapid.Permutation(identity).Draw(t, "order")
		got := table.Relabel(order)
		for a, j := range order {
			if got.Names[a] != table.Names[j] ||
				!slices.Equal(mat.Col(nil, a, got.X), mat.Col(nil, j, table.X)) {
				t.Fatalf("column %d is not column %d of the original", a, j)
			}
		}
		if !equalTables(got.Relabel(dag.Inverse(order)), table) {
			t.Fatal("the inverse does not lead back")
		}
		selected, err := table.Select(got.Names)
		if err != nil || !equalTables(selected, got) {
			t.Fatalf("selecting the names in that order gives %v, error %v", selected, err)
		}
	})
}

func TestMisuseNamesThePackage(t *testing.T) {
	table := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(1, 2, []float64{1, 2})}
	tests := []struct {
		name string
		call func()
		want string
	}{
		{"Moments of nothing", func() { (&dataset.Table{}).Moments() },
			"dataset: table has no numbers"},
		{"short order", func() {
			table.Relabel([]int{0})
		}, "dataset: order of 1 columns for a table with 2"},
		{"no permutation", func() { table.Relabel([]int{0, 0}) },
			"dag: order [0 0] is not a permutation of 0 to 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic %v, want %s", got, test.want)
				}
			}()
			test.call()
		})
	}
}
