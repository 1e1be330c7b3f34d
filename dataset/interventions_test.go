package dataset_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/must"
)

// marked is a table whose entry (i, j) is 10i+j+1, and whose marks are a function of that
// number: rows 2, 5, 8, … have none.
func marked(n, d int) *dataset.Table {
	t := &dataset.Table{X: mat.NewDense(n, d, nil), Intervened: mat.NewDense(n, d, nil)}
	for j := range d {
		t.Names = append(t.Names, string(rune('a'+j)))
		for i := range n {
			t.X.Set(i, j, float64(10*i+j+1))
			t.Intervened.Set(i, j, mark(t.X.At(i, j)))
		}
	}
	return t
}

func mark(v float64) float64 {
	i, j := int(v-1)/10, int(v-1)%10
	if i%3 != 2 && (i+j)%3 == 0 {
		return 1
	}
	return 0
}

// checkMarks asserts that every number has the mark that it had in the marked
// table; original turns a number into the one there.
func checkMarks(t *testing.T, what string, u *dataset.Table,
	original func(i, j int, v float64) float64) {
	t.Helper()
	if err := u.Validate(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if u.Intervened == nil {
		t.Fatalf("%s: the interventions are lost", what)
	}
	n, d := u.X.Dims()
	for i := range n {
		for j := range d {
			if got, want := u.Intervened.At(i, j), mark(original(i, j, u.X.At(i, j))); got != want {
				t.Errorf("%s: entry [%d,%d] has the mark %v, want %v", what, i, j, got, want)
			}
		}
	}
}

// Marks stay with their numbers, and results share no memory with the table.
func TestInterventionsFollowTheNumbers(t *testing.T) {
	table := marked(12, 4)
	before := mat.DenseCopyOf(table.Intervened)
	same := func(_, _ int, v float64) float64 { return v }
	selected := must.Get(table.Select([]string{"d", "b"}))(t)
	train, heldout := must.Two(table.Split(0.4, rand.New(rand.NewPCG(1, 1))))(t)
	mean, sd := table.Moments()
	standard := must.Get(table.Standardize())(t)
	logs := must.Get(table.Log())(t)
	scores := must.Get(table.NormalScores())(t)
	results := []*dataset.Table{selected, table.Relabel([]int{2, 0, 3, 1}), train, heldout,
		standard, logs, scores}
	for k, original := range []func(i, j int, v float64) float64{
		same, same, same, same,
		func(_, j int, v float64) float64 { return math.Round(mean[j] + sd[j]*v) },
		func(_, _ int, v float64) float64 { return math.Round(math.Exp(v)) },
		func(i, j int, _ float64) float64 { return table.X.At(i, j) },
	} {
		checkMarks(t, []string{"Select", "Relabel", "Split", "Split", "Standardize", "Log",
			"NormalScores"}[k], results[k], original)
	}
	for _, u := range results {
		u.Intervened.Zero()
	}
	if !mat.Equal(table.Intervened, before) {
		t.Error("a result shares its interventions with the table")
	}
	if m, s := (&dataset.Table{Names: table.Names, X: table.X}).Moments(); m[0] != mean[0] ||
		s[0] != sd[0] {
		t.Error("interventions change the moments")
	}
}

func TestObservational(t *testing.T) {
	table := marked(7, 4)
	got := table.Observational()
	want := &dataset.Table{Names: table.Names,
		X: mat.NewDense(2, 4, []float64{21, 22, 23, 24, 51, 52, 53, 54})}
	if !equalTables(got, want) {
		t.Errorf("got %v, want rows 2 and 5", got)
	}
	if again := got.Observational(); again != got {
		t.Error("a table without interventions is not returned as it is")
	}
	all := marked(2, 3)
	all.Intervened.Set(0, 1, 1)
	all.Intervened.Set(1, 2, 1)
	if u := all.Observational(); u != nil {
		t.Errorf("got %v, want nil: no row is without interventions", u)
	}
}

// Moments are over the rows in which a column was not set; of one that does not vary in these, over
// all.
func TestObservedMoments(t *testing.T) {
	u := &dataset.Table{Names: []string{"a", "b"},
		X:          mat.NewDense(4, 2, []float64{1, 7, 3, 7, 50, 3, 60, 3}),
		Intervened: mat.NewDense(4, 2, []float64{0, 0, 0, 0, 1, 1, 1, 1})}
	mean, sd := u.ObservedMoments()
	if mean[0] != 2 || sd[0] != 1 || mean[1] != 5 || sd[1] != 2 {
		t.Errorf("means %v and standard deviations %v, want 2, 5 and 1, 2", mean, sd)
	}
	u.Intervened = nil
	if mean, _ = u.ObservedMoments(); mean[0] != 28.5 || mean[1] != 5 {
		t.Errorf("means %v without marks, want 28.5, 5", mean)
	}
}
