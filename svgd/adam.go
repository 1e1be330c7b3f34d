package svgd

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Adam adds a running mean and bias correction to RMSProp (algorithm 1 of [4],
// with the sign of ascent). At its update number c = 1, 2, …
//
//	a ← β₁·a + (1−β₁)·φ              v ← β₂·v + (1−β₂)·φ²
//	x ← x + η · (a/(1−β₁ᶜ)) / (√(v/(1−β₂ᶜ)) + ε)
//
// ε is outside the root. a and v are [State].First and Second, c is its Count.
type Adam struct {
	// StepSize is η > 0. Zero means 0.001.
	StepSize float64
	// Beta1 is β₁, 0 < β₁ < 1. Zero means 0.9.
	Beta1 float64
	// Beta2 is β₂, 0 < β₂ < 1. Zero means 0.999.
	Beta2 float64
	// Epsilon is ε > 0. Zero means 1e-8.
	Epsilon float64
}

var _ Optimizer = Adam{}

// Update implements [Optimizer].
func (o Adam) Update(delta []*mat.Dense, s *State, _ int) (err error) {
	eta := positive("step size", o.StepSize, 0.001)
	beta1 := fraction("beta1", o.Beta1, 0.9)
	beta2 := fraction("beta2", o.Beta2, 0.999)
	epsilon := positive("epsilon", o.Epsilon, 1e-8)
	if s.First, err = fitMoment(s.First, s.Count, delta); err != nil {
		return err
	}
	if s.Second, err = fitMoment(s.Second, s.Count, delta); err != nil {
		return err
	}
	s.Count++
	correct1 := 1 - math.Pow(beta1, float64(s.Count))
	correct2 := 1 - math.Pow(beta2, float64(s.Count))
	for b, d := range delta {
		restA, restV := s.First[b], s.Second[b]
		rows, cols := d.Dims()
		for r := range rows {
			phi, a, v := d.RawRowView(r), restA[:cols], restV[:cols]
			for i, p := range phi {
				a[i] = beta1*a[i] + (1-beta1)*p
				v[i] = beta2*v[i] + (1-beta2)*p*p
				phi[i] = eta * (a[i] / correct1) / (math.Sqrt(v[i]/correct2) + epsilon)
			}
			restA, restV = restA[cols:], restV[cols:]
		}
	}
	return nil
}
