package table_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/table"

	"gonum.org/v1/gonum/mat"
)

// Heavy right tails, before and after.
func ExampleTransform() {
	t := &dataset.Table{Names: []string{"PKA"},
		X: mat.NewDense(5, 1, []float64{1, 10, 100, 1000, 10000})}
	for _, f := range table.Transforms() {
		u, err := f.Apply(t)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-13v %.2f\n", f, mat.Formatted(u.X.T()))
	}
	// Output:
	// none          [    1.00     10.00    100.00   1000.00  10000.00]
	// log           [0.00  2.30  4.61  6.91  9.21]
	// normal-scores [-1.28  -0.52   0.00   0.52   1.28]
}

// Each transform has a text form that reads back, and applies the method of its name.
func TestTransforms(t *testing.T) {
	data := &dataset.Table{Names: []string{"x"}, X: mat.NewDense(3, 1, []float64{3, 1, 2})}
	logs := must.Get(data.Log())(t)
	scores := must.Get(data.NormalScores())(t)
	want := map[string]*dataset.Table{"none": data, "log": logs, "normal-scores": scores}
	for _, f := range table.Transforms() {
		text := must.Get(json.Marshal(f))(t)
		var again table.Transform
		if err := json.Unmarshal(text, &again); err != nil || again != f ||
			string(text) != `"`+f.String()+`"` {
			t.Errorf("%v is written as %s and reads back as %v, error %v", f, text, again, err)
		}
		got, err := f.Apply(data)
		if err != nil || !mat.Equal(got.X, want[f.String()].X) {
			t.Fatalf("%v gives %v, error %v", f, got, err)
		}
		if _, err := f.Apply(&dataset.Table{}); err == nil ||
			err.Error() != "dataset: table has no numbers" {
			t.Errorf("%v of an empty table: error %v", f, err)
		}
	}
	var f table.Transform
	if err := f.UnmarshalText([]byte("ln")); err == nil ||
		err.Error() != `table: unknown transform "ln"; allowed: none, log, normal-scores` {
		t.Errorf("error %v", err)
	}
	const unknown = "table: unknown transform 7; allowed: none, log, normal-scores"
	if _, err := table.Transform(7).Apply(data); err == nil || err.Error() != unknown {
		t.Errorf("error %v", err)
	}
	if _, err := table.Transform(7).MarshalText(); err == nil || err.Error() != unknown {
		t.Errorf("error %v", err)
	}
	if got := table.Transform(7).String(); got != "table.Transform(7)" {
		t.Errorf("text %q", got)
	}
}
