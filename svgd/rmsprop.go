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

var (
	_ Optimizer    = RMSProp{}
	_ rowOptimizer = RMSProp{}
)

// Update implements [Optimizer].
func (o RMSProp) Update(delta []*mat.Dense, s *State, t int) error { return update(o, delta, s, t) }

// settings are those in use. It panics if one is wrong.
func (o RMSProp) settings() (eta, gamma, epsilon float64) {
	return positive("step size", o.StepSize, 0.005), fraction("decay", o.Decay, 0.9), positive("epsilon", o.Epsilon, 1e-8)
}

func (o RMSProp) begin(delta []*mat.Dense, s *State) (err error) {
	o.settings()
	if s.Second, err = fitMoment(s.Second, s.Count, delta); err != nil {
		return err
	}
	s.Count++
	return nil
}

func (o RMSProp) updateRows(delta []*mat.Dense, s *State, _, from, to int) {
	eta, gamma, epsilon := o.settings()
	for b, d := range delta {
		for r := from; r < to; r++ {
			row := d.RawRowView(r)
			kernels.ScaleByRMS(row, s.Second[b][r*len(row):][:len(row)], gamma, eta, epsilon)
		}
	}
}
