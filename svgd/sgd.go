package svgd

import "gonum.org/v1/gonum/mat"

// SGD is plain gradient ascent,
//
//	x ← x + η·φ
type SGD struct {
	// StepSize is η > 0. Zero means 0.005.
	StepSize float64
}

var _ Optimizer = SGD{}

// Update implements [Optimizer]. It fits every state.
func (o SGD) Update(delta []*mat.Dense, s *State, _ int) error {
	eta := positive("step size", o.StepSize, 0.005)
	scale(eta, delta)
	s.Count++
	return nil
}
