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

var (
	_ Optimizer    = Adam{}
	_ rowOptimizer = Adam{}
)

// Update implements [Optimizer].
func (o Adam) Update(delta []*mat.Dense, s *State, t int) error { return update(o, delta, s, t) }

// settings are those in use. It panics if one is wrong.
func (o Adam) settings() (eta, beta1, beta2, epsilon float64) {
	return positive("step size", o.StepSize, 0.001), fraction("beta1", o.Beta1, 0.9), fraction("beta2", o.Beta2, 0.999), positive("epsilon", o.Epsilon, 1e-8)
}

func (o Adam) begin(delta []*mat.Dense, s *State) (err error) {
	o.settings()
	if s.First, err = fitMoment(s.First, s.Count, delta); err != nil {
		return err
	}
	if s.Second, err = fitMoment(s.Second, s.Count, delta); err != nil {
		return err
	}
	s.Count++
	return nil
}

func (o Adam) updateRows(delta []*mat.Dense, s *State, _, from, to int) {
	eta, beta1, beta2, epsilon := o.settings()
	correct1 := 1 - math.Pow(beta1, float64(s.Count))
	correct2 := 1 - math.Pow(beta2, float64(s.Count))
	for b, d := range delta {
		for r := from; r < to; r++ {
			phi := d.RawRowView(r)
			a, v := s.First[b][r*len(phi):][:len(phi)], s.Second[b][r*len(phi):][:len(phi)]
			for i, p := range phi {
				a[i] = beta1*a[i] + (1-beta1)*p
				v[i] = beta2*v[i] + (1-beta2)*p*p
				phi[i] = eta * (a[i] / correct1) / (math.Sqrt(v[i]/correct2) + epsilon)
			}
		}
	}
}
