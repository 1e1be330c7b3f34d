package additive

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// One value has the density of the normal distribution; a second one is predicted by hand: it gains
// 2(a+1)/(2a+1) in each interval that both are in, and 2a/(2a+1) where they part.
func TestTreeEvidence(t *testing.T) {
	normal := distuv.UnitNormal.LogProb
	if got := treeEvidence([]float64{0.7}); math.Abs(got-normal(0.7)) > 1e-12 {
		t.Errorf("one value: %v, want %v", got, normal(0.7))
	}
	together, apart := func(k float64) float64 { return math.Log(2 * (k*k + 1) / (2*k*k + 1)) },
		func(k float64) float64 { return math.Log(2 * k * k / (2*k*k + 1)) }
	// In quantiles 0.758 and 0.579 they share [1/2, 1], then part at 3/4.
	want := normal(0.7) + normal(0.2) + together(1) + apart(2)
	if got := treeEvidence([]float64{0.7, 0.2}); math.Abs(got-want) > 1e-12 {
		t.Errorf("two values: %v, want %v", got, want)
	}
}
