package arviz_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"tobac/arviz"
	"tobac/chain"
	"tobac/density"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Arrays have the shape chain × draw × their own, which from_json of ArviZ 0.23 reads (checked by
// hand with that version).
func ExampleWrite() {
	values := []*mat.Dense{mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	_ = arviz.Write(
		os.Stdout,
		arviz.Group{
			Name:      "posterior",
			Variables: []density.Recorded{{Name: "tau"}, {Name: "theta", Shape: []int{2}}},
			Chains:    values,
		},
	)
	// Output:
	// {
	// "posterior": {
	// "tau": [[1, 4]],
	// "theta": [[[2, 3], [5, 6]]]}
	// }
}

// What is written is JSON with all numbers; statistics of draws come by the observer.
func TestWrite(t *testing.T) {
	stats := arviz.NewStats(2)
	for k := range 2 {
		for i := range 3 {
			stats.Observe(k, &chain.Chain{Energy: float64(10*k + i), Divergent: i == 2, Leaps: 7})
		}
	}
	x := mat.NewDense(1, 4, []float64{1, -2.5e-300, 3, 4})
	var b bytes.Buffer
	must.Do(t, arviz.Write(
		&b,
		stats.Group(),
		arviz.Group{
			Name:      "observed_data",
			Variables: []density.Recorded{{Name: "y", Shape: []int{2, 2}}},
			Chains:    []*mat.Dense{x},
		},
	))
	var got map[string]map[string]any
	must.Do(t, json.Unmarshal(b.Bytes(), &got))
	if want := []any{
		[]any{1., -2.5e-300},
		[]any{3., 4.},
	}; !reflect.DeepEqual(got["observed_data"]["y"], want) {
		t.Errorf("observed_data: %v", got["observed_data"])
	}
	if want := []any{
		[]any{0., 1., 2.},
		[]any{10., 11., 12.},
	}; !reflect.DeepEqual(got["sample_stats"]["energy"], want) ||
		!reflect.DeepEqual(stats.Energies(), [][]float64{{0, 1, 2}, {10, 11, 12}}) {
		t.Errorf("energies: %v, %v", got["sample_stats"]["energy"], stats.Energies())
	}
	if stats.Divergent() != 2 {
		t.Errorf("%d divergent draws, want 2", stats.Divergent())
	}
}

func TestMistakes(t *testing.T) {
	x := []*mat.Dense{mat.NewDense(1, 1, []float64{math.NaN()})}
	v := []density.Recorded{{Name: "a"}}
	for want, g := range map[string]arviz.Group{`group "posteriors"`: {Name: "posteriors",
		Variables: v, Chains: x}, "0 chains": {Name: "posterior", Variables: v},
		"want 1 of 2": {Name: "posterior", Variables: append(v, v...), Chains: x}} {
		var b bytes.Buffer
		if err := arviz.Write(&b, g); err == nil || !strings.Contains(err.Error(), want) ||
			b.Len() > 0 {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
