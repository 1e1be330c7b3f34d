package graphchains

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/background"
	"tobac/dag"
	"tobac/diagnostics"
)

// Beside an edge on which four chains stand still at 0 and 1, nothing is sure; elsewhere, where
// chains agree, and where knowledge says so, everything stays.
func TestTemper(t *testing.T) {
	apart := diagnostics.EdgeQuantity{From: 0, To: 1,
		Quantity: diagnostics.Quantity{Mean: 0.5, RHat: math.Inf(1), Range: 1}}
	probabilities := func() *mat.Dense {
		return mat.NewDense(4, 4, []float64{
			0, 0.5, 0.99, 0,
			0, 0, 0.01, 0,
			0.01, 0.02, 0, 0.98,
			0, 0, 0.02, 0})
	}
	p, none := probabilities(), background.Prior{}
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &none)
	adjacent, direction := 1-0.5*0.2, 0.99-0.49*0.2
	if got := p.At(0, 2); math.Abs(got-adjacent*direction) > 1e-12 {
		t.Errorf("beside: %v, want %v", got, adjacent*direction)
	}
	if got := p.At(0, 2) + p.At(2, 0); math.Abs(got-adjacent) > 1e-12 {
		t.Errorf("beside: adjacent with %v, want %v", got, adjacent)
	}
	if p.At(2, 3) != 0.98 || p.At(2, 1) != 0.02 || p.At(0, 1) != 0.5 {
		t.Errorf("elsewhere:\n%v", mat.Formatted(p))
	}
	known := background.Prior{Required: []dag.Edge{{From: 0, To: 2}}}
	p = probabilities()
	p.Set(0, 2, 1)
	p.Set(2, 0, 0)
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &known)
	if p.At(0, 2) != 1 || p.At(2, 0) != 0 {
		t.Errorf("required: %v and %v back", p.At(0, 2), p.At(2, 0))
	}
	apart.RHat = 1.05
	p = probabilities()
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &none)
	if !mat.Equal(p, probabilities()) {
		t.Errorf("chains that agree:\n%v", mat.Formatted(p))
	}
}
