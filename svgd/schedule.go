package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
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

var (
	_ Optimizer    = Scheduled{}
	_ rowOptimizer = Scheduled{}
)

// Update implements [Optimizer].
func (o Scheduled) Update(delta []*mat.Dense, s *State, t int) error {
	if asRows(o) != nil {
		return update(o, delta, s, t)
	}
	if err := o.inner().Update(delta, s, t); err != nil {
		return err
	}
	for _, d := range delta {
		n, _ := d.Dims()
		o.scaleRows(d, t, 0, n)
	}
	return nil
}

func (o Scheduled) inner() Optimizer {
	if o.Optimizer == nil {
		return defaultOptimizer
	}
	return o.Optimizer
}

func (o Scheduled) begin(delta []*mat.Dense, s *State) error {
	return asRows(o.inner()).begin(delta, s)
}

func (o Scheduled) updateRows(delta []*mat.Dense, s *State, t, from, to int) {
	asRows(o.inner()).updateRows(delta, s, t, from, to)
	for _, d := range delta {
		o.scaleRows(d, t, from, to)
	}
}

func (o Scheduled) scaleRows(delta *mat.Dense, t, from, to int) {
	if o.Factor == nil {
		return
	}
	factor := o.Factor(t)
	for r := from; r < to; r++ {
		floats.Scale(factor, delta.RawRowView(r))
	}
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
