package svgd

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SGD is plain gradient ascent,
//
//	x ← x + η·φ
type SGD struct {
	// StepSize is η > 0. Zero means 0.005.
	StepSize float64
}

var (
	_ Optimizer    = SGD{}
	_ rowOptimizer = SGD{}
)

// Update implements [Optimizer].
func (o SGD) Update(delta []*mat.Dense, s *State, t int) error { return update(o, delta, s, t) }

func (o SGD) eta() float64 { return positive("step size", o.StepSize, 0.005) }

func (o SGD) begin(_ []*mat.Dense, s *State) error {
	o.eta()
	s.Count++
	return nil
}

func (o SGD) updateRows(delta []*mat.Dense, _ *State, _, from, to int) {
	for _, d := range delta {
		for r := from; r < to; r++ {
			floats.Scale(o.eta(), d.RawRowView(r))
		}
	}
}
