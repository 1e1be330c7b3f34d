package schedule

import (
	"fmt"
	"math"

	"tobac/internal/words"
)

// Shape is how a number changes from one value to another.
type Shape int

const (
	Linear    Shape = iota // A + (B − A)·u
	Geometric              // A·(B/A)^u, for A and B above 0
	Cosine                 // B + (A − B)·(1 + cos πu)/2, flat at both ends
)

var shapeNames = []string{"linear", "geometric", "cosine"}

// String is the shape's name in the text form of schedules.
func (s Shape) String() string {
	return words.Name(s, shapeNames...)
}

// Ramp goes from From to To between two steps: it is From up to step Start, To from step End
// on, and of the given shape in between.
type Ramp struct {
	Shape    Shape
	From, To float64 // finite, not negative; with Geometric above 0
	// Start and End are steps, 0 ≤ Start ≤ End. Where they are equal, the value jumps there: it is
	// To at End.
	Start, End int
}

// OfRun is a [Ramp] between two parts of a run, whose number of steps [Over] tells it.
type OfRun struct {
	Shape    Shape
	From, To float64 // as in [Ramp]
	// Start and End are parts of the way from the first step of the run (0) to its last one (1), 0
	// ≤ Start ≤ End ≤ 1. An End of 0 means 1.
	Start, End float64
}

var (
	_ Schedule = Ramp{}
	_ relative = OfRun{}
)

// At implements [Schedule]. It panics if a field is out of range.
func (r Ramp) At(step int) float64 {
	must(r.check())
	if step >= r.End {
		return r.To
	}
	if step <= r.Start {
		return r.From
	}
	u := float64(step-r.Start) / float64(r.End-r.Start)
	switch r.Shape {
	case Geometric:
		return math.Exp(math.Log(r.From) + u*(math.Log(r.To)-math.Log(r.From)))
	case Cosine:
		return r.To + (r.From-r.To)*(1+math.Cos(math.Pi*u))/2
	}
	return r.From + (r.To-r.From)*u
}

// At panics: the number of steps is not known. Over says it.
func (r OfRun) At(int) float64 {
	panic(fmt.Sprintf("schedule: %v is relative to a run of unknown length; Over says how many "+
		"steps it has", r))
}

// Over is the ramp of a run of so many steps: the ends are rounded to steps. It panics if a field
// is out of range or steps is below 1.
func (r OfRun) Over(steps int) Schedule {
	must(r.check())
	if steps < 1 {
		panic(fmt.Sprintf("schedule: a run of %d steps", steps))
	}
	r = r.filled()
	last := float64(steps - 1)
	return Ramp{r.Shape, r.From, r.To, int(math.Round(r.Start * last)),
		int(math.Round(r.End * last))}
}

func (r OfRun) filled() OfRun {
	if r.End == 0 {
		r.End = 1
	}
	return r
}

// String is the text form, such as geometric:0.01:100:0-299.
func (r Ramp) String() string {
	return fmt.Sprintf("%v:%s:%s:%d-%d", r.Shape, number(r.From), number(r.To), r.Start, r.End)
}

// String is the text form, such as geometric:0.01:100 or linear:1:0:50%-75%.
func (r OfRun) String() string {
	r = r.filled()
	text := fmt.Sprintf("%v:%s:%s", r.Shape, number(r.From), number(r.To))
	switch {
	case r.End != 1:
		return text + ":" + percent(r.Start) + "-" + percent(r.End)
	case r.Start != 0:
		return text + ":" + percent(r.Start)
	}
	return text
}

func (r Ramp) check() error {
	if r.Start < 0 || r.End < r.Start {
		return fmt.Errorf("steps %d to %d, want an end that is not before the start, and a start "+
			"that is not negative", r.Start, r.End)
	}
	return checkEnds(r.Shape, r.From, r.To)
}

func (r OfRun) check() error {
	if r = r.filled(); !(0 <= r.Start && r.Start <= r.End && r.End <= 1) {
		return fmt.Errorf("from %s to %s of the run, want an end that is not before the start, "+
			"and both between 0%% and 100%%", percent(r.Start), percent(r.End))
	}
	return checkEnds(r.Shape, r.From, r.To)
}

// checkEnds finds values that a shape does not connect.
func checkEnds(s Shape, from, to float64) error {
	if s < 0 || int(s) >= len(shapeNames) {
		return fmt.Errorf("unknown shape %v", s)
	}
	if s == Geometric && (from == 0 || to == 0) {
		return fmt.Errorf("geometric from %v to %v, want numbers above 0", from, to)
	}
	if err := notNegative("start", from); err != nil {
		return err
	}
	return notNegative("end", to)
}

// A Schedule is a number for each step. Its text form, by String or by fmt's %+v, says in
// snapshots what it is.
type Schedule interface {
	// At is the number at a step, counted from 0: finite and not negative. It depends
	// on the step alone.
	At(step int) float64
}

// A relative schedule depends on the number of steps of a run, and has no values before
// that is known.
type relative interface {
	Schedule
	// Over is the schedule for a run of the given number of steps, at least 1.
	Over(steps int) Schedule
}

// Over is s for a run of the given number of steps, at least 1: s itself unless it depends on their
// number.
func Over(s Schedule, steps int) Schedule {
	if r, ok := s.(relative); ok {
		return r.Over(steps)
	}
	return s
}

// Constant is the same number at all steps: finite, not negative.
func Constant(v float64) Schedule { return constant(v) }

// Growth is rate·t at step t, the published schedule of inverse temperatures and penalties. The
// rate is finite, and not negative.
func Growth(rate float64) Schedule { return growth(rate) }

type (
	constant float64
	growth   float64
)

// At implements [Schedule]. It panics if c is out of range.
func (c constant) At(int) float64 {
	must(c.check())
	return float64(c)
}

// At implements [Schedule]. It panics if the rate is out of range.
func (g growth) At(step int) float64 {
	must(g.check())
	return float64(g) * float64(step)
}

// String is the text form, such as constant:0.5.
func (c constant) String() string { return "constant:" + number(float64(c)) }

// String is the text form, such as growth:0.05.
func (g growth) String() string { return "growth:" + number(float64(g)) }

func (c constant) check() error { return notNegative("value", float64(c)) }
func (g growth) check() error   { return notNegative("rate", float64(g)) }

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
