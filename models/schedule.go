package models

import (
	"fmt"
	"math"
)

// A Schedule is a number that changes from step to step, such as the inverse
// temperature α of the graphs. Its text form, by fmt's %+v or String, says what it is in
// snapshots.
type Schedule interface {
	// At is the number at a step, counted from 0: finite, and not negative.
	At(step int) float64
}

// LinearGrowth is At(t) = Rate·t, as published.
type LinearGrowth struct{ Rate float64 }

// GeometricGrowth grows from From at step 0 to To at step Steps−1 by the same factor
// each step, and stays there: At(t) = From·(To/From)^{min(t, Steps−1)/(Steps−1)}.
type GeometricGrowth struct {
	From, To float64 // above 0
	Steps    int     // at least 2
}

var (
	_ Schedule = LinearGrowth{}
	_ Schedule = GeometricGrowth{}
)

// At implements [Schedule].
func (g LinearGrowth) At(step int) float64 { return g.Rate * float64(step) }

// At implements [Schedule]. It panics if a field is out of range.
func (g GeometricGrowth) At(step int) float64 {
	if !(g.From > 0 && g.To > 0) || g.Steps < 2 {
		panic(fmt.Sprintf("models: geometric growth from %v to %v in %d steps, want positive numbers and at least 2 steps", g.From, g.To, g.Steps))
	}
	part := float64(min(step, g.Steps-1)) / float64(g.Steps-1)
	return math.Exp(math.Log(g.From) + part*math.Log(g.To/g.From))
}
