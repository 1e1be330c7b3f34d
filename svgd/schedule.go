package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Scheduled scales the increments of another optimiser by a factor that depends
// on the step, and so schedules its step size.
type Scheduled struct {
	// Optimizer makes the increments. Nil means RMSProp{}.
	Optimizer Optimizer
	// Factor returns the factor of step t, the number given to [Sampler.Run]. It
	// must depend on t only. Nil means 1.
	Factor func(t int) float64
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
	scale(o.Factor(t), delta)
	return nil
}

// LinearDecay returns a factor for [Scheduled] which is 1 before step from and
// then falls linearly, to reach 0 at step to and stay there. It panics unless
// from < to.
func LinearDecay(from, to int) func(t int) float64 {
	if from >= to {
		panic(fmt.Sprintf("svgd: linear decay from step %d to step %d", from, to))
	}
	return func(t int) float64 {
		return min(1, max(0, float64(to-t)/float64(to-from)))
	}
}
