package svgd

import (
	"gonum.org/v1/gonum/mat"

	"tobac/schedule"
)

// Scheduled scales the increments of another optimiser by a factor that depends
// on the step, and so schedules its step size.
type Scheduled struct {
	// Optimizer makes the increments. Nil means RMSProp{}.
	Optimizer Optimizer
	// Factor is the factor of step t, the number given to [Sampler.Run]. Nil means 1.
	Factor schedule.Schedule
}

var _ Optimizer = Scheduled{}

// Update implements [Optimizer].
func (o Scheduled) Update(delta []*mat.Dense, s *State, t int) error {
	inner := o.Optimizer
	if inner == nil {
		inner = defaultOptimizer
	}
	if err := inner.Update(delta, s, t); err != nil || o.Factor == nil {
		return err
	}
	scale(o.Factor.At(t), delta)
	return nil
}
