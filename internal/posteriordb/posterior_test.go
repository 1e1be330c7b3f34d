package posteriordb_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/internal/must"
	"tobac/internal/posteriordb"

	"gonum.org/v1/gonum/mat"
)

// Every posterior has data and a reference whose parameters the model has, and a density with a
// gradient in the middle of its coordinates.
func TestAll(t *testing.T) {
	all := posteriordb.All()
	if len(all) != 46 {
		t.Errorf("%d posteriors, want 46", len(all))
	}
	for _, p := range all {
		m := must.Get(p.Compile(1))(t)
		_, d := m.Dims()
		logp, grad, x := make([]float64, 1), mat.NewDense(1, d, nil), mat.NewDense(1, d, nil)
		must.Do(t, m.LogDensity(logp, grad, x))
		if v := logp[0] + mat.Sum(grad); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: log density %v, gradient %v", p.Name, logp, mat.Formatted(grad))
		}
		values := mat.NewDense(2, len(m.Names()), nil)
		if _, err := p.Compare(m.Names(), []*mat.Dense{values}, true); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		m.Close()
	}
}

func ExamplePosterior_Reference() {
	p := posteriordb.Named("garch-garch11")
	r, err := p.Reference()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.2f ± %.2f\n", r.Parameters[0], r.Mean[0], r.SD[0])
	// Output: mu: 5.05 ± 0.12
}
