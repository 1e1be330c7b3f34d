package dataset_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

// The facts of section 9.2 of the specification.
func TestSachs(t *testing.T) {
	table, g := must.Two(dataset.Sachs())(t)
	names := []string{"praf", "pmek", "plcg", "PIP2", "PIP3", "p44/42", "pakts473", "PKA", "PKC",
		"P38", "pjnk"}
	if diff := cmp.Diff(names, table.Names); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	if n, d := table.X.Dims(); n != 853 || d != 11 {
		t.Fatalf("%d × %d, want 853 × 11", n, d)
	}
	if mat.Min(table.X) <= 0 {
		t.Errorf("smallest intensity %v, want positive ones", mat.Min(table.X))
	}
	mean, sd := table.Moments()
	// Listed with four decimals or fewer, so within half a unit of the last place of the listed
	// digits.
	wantMean := []float64{59.3145, 30.0293, 19.4948, 81.5539, 30.4585, 22.1835, 41.9817, 567.024,
		15.019, 34.0243, 38.4584}
	wantSD := []float64{41.82, 27.4327, 14.6643, 93.4594, 34.1814, 89.8391, 126.586, 427.5491,
		11.5851, 19.4105, 43.068}
	for j := range names {
		if math.Abs(mean[j]-wantMean[j]) > 6e-5 || math.Abs(sd[j]-wantSD[j]) > 6e-5 {
			t.Errorf("%s: mean %.5f, deviation %.5f, want %v and %v", names[j], mean[j], sd[j],
				wantMean[j], wantSD[j])
		}
	}
	correlations := []struct {
		a, b int
		want float64
	}{{0, 1, 0.79}, {5, 6, 0.99}, {5, 7, 0.39}, {6, 7, 0.44}, {8, 9, 0.74}}
	for _, c := range correlations {
		got := stat.Correlation(mat.Col(nil, c.a, table.X), mat.Col(nil, c.b, table.X), nil)
		if math.Abs(got-c.want) > 0.005 {
			t.Errorf("correlation of %s and %s is %.3f, want %v", names[c.a], names[c.b], got,
				c.want)
		}
	}
	want := []dag.Edge{
		{From: 0, To: 1}, {From: 1, To: 5}, {From: 2, To: 3}, {From: 2, To: 4}, {From: 4, To: 3},
		{From: 5, To: 6},
		{From: 7, To: 0}, {From: 7, To: 1}, {From: 7, To: 5}, {From: 7, To: 6}, {From: 7, To: 9},
		{From: 7, To: 10},
		{From: 8, To: 0}, {From: 8, To: 1}, {From: 8, To: 7}, {From: 8, To: 9}, {From: 8, To: 10},
	}
	if diff := cmp.Diff(want, g.Edges()); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	order := must.Get(g.TopologicalOrder())(t)
	if diff := cmp.Diff([]int{2, 8, 4, 7, 3, 0, 9, 10, 1, 5, 6}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
