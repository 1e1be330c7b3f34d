package svgd

import "gonum.org/v1/gonum/mat"

// RMSProp scales every coordinate by a running root mean square [3],
//
//	a ← γ·a + (1−γ)·φ²
//	x ← x + η·φ/√(a + ε)
//
// with a = 0 at the start. ε is inside the root; there is neither momentum nor
// bias correction, so the first step is about η/√(1−γ) in every coordinate. a is
// [State].Second.
type RMSProp struct {
	// StepSize is η > 0. Zero means 0.005.
	StepSize float64
	// Decay is γ, 0 < γ < 1. Zero means 0.9.
	Decay float64
	// Epsilon is ε > 0. Zero means 1e-8.
	Epsilon float64
}

var _ Optimizer = RMSProp{}

// Update implements [Optimizer].
func (o RMSProp) Update(delta []*mat.Dense, s *State, _ int) (err error) {
	eta := positive("step size", o.StepSize, 0.005)
	gamma := fraction("decay", o.Decay, 0.9)
	epsilon := positive("epsilon", o.Epsilon, 1e-8)
	if s.Second, err = fitMoment(s.Second, s.Count, delta); err != nil {
		return err
	}
	s.Count++
	for b, d := range delta {
		rest := s.Second[b]
		rows, cols := d.Dims()
		for r := range rows {
			kernels.ScaleByRMS(d.RawRowView(r), rest[:cols], gamma, eta, epsilon)
			rest = rest[cols:]
		}
	}
	return nil
}
