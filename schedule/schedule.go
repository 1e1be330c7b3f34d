package schedule

import (
	"fmt"
	"math"
)

// A Schedule is a number for each step. Its text form, by String or by fmt's %+v, says in
// snapshots what it is.
type Schedule interface {
	// At is the number at a step, counted from 0: finite and not negative. It depends
	// on the step alone.
	At(step int) float64
}

// A Relative schedule depends on the number of steps of a run, and has no values before
// that is known.
type Relative interface {
	Schedule
	// Over is the schedule for a run of the given number of steps, at least 1.
	Over(steps int) Schedule
}

// Over is s for a run of the given number of steps, at least 1: s itself unless it is [Relative].
func Over(s Schedule, steps int) Schedule {
	if r, ok := s.(Relative); ok {
		return r.Over(steps)
	}
	return s
}

// Constant is the same number at all steps: finite, not negative.
type Constant float64

// Growth is At(t) = Rate·t, the published schedule of inverse temperatures and penalties.
type Growth struct{ Rate float64 } // finite, not negative

var (
	_ Schedule = Constant(0)
	_ Schedule = Growth{}
)

// At implements [Schedule]. It panics if c is out of range.
func (c Constant) At(int) float64 {
	must(c.check())
	return float64(c)
}

// At implements [Schedule]. It panics if the rate is out of range.
func (g Growth) At(step int) float64 {
	must(g.check())
	return g.Rate * float64(step)
}

// String is the text form, such as constant:0.5.
func (c Constant) String() string { return "constant:" + number(float64(c)) }

// String is the text form, such as growth:0.05.
func (g Growth) String() string { return "growth:" + number(g.Rate) }

func (c Constant) check() error { return notNegative("value", float64(c)) }
func (g Growth) check() error   { return notNegative("rate", g.Rate) }

func notNegative(what string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%s %v, want a finite number, not negative", what, v)
	}
	return nil
}

// must panics with the package's name in front of what a check found.
func must(err error) {
	if err != nil {
		panic("schedule: " + err.Error())
	}
}
