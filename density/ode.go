package density

import (
	"fmt"

	"tobac/autograd"
)

// RungeKutta solves dx/dt = rate(t, x) from start, the state at a time, which is a number or a
// vector, and stacks the states at later times along a new first axis. Between times it makes a
// number of steps of the classical method of fourth order, whose error falls by 16 if
// their number doubles: compare the results of two numbers. No step, no time, and rates that
// do not fit the state are errors of the builder.
func RungeKutta(
	start *autograd.Node,
	from float64,
	times []float64,
	steps int,
	rate func(t float64, x *autograd.Node) *autograd.Node,
) *autograd.Node {
	row := append(autograd.Shape{1}, start.Shape()...)
	if steps < 1 || len(times) == 0 {
		err := fmt.Errorf("runge–kutta: got %d steps to each of %d times, want at least 1", steps,
			len(times))
		return start.Builder().Fail(row, err)
	}
	states := make([]*autograd.Node, len(times))
	x, last := start, from
	for i, time := range times {
		t, h := last, (time-last)/float64(steps)
		for range steps {
			k1 := rate(t, x)
			k2 := rate(t+h/2, x.Add(k1.Scale(h/2)))
			k3 := rate(t+h/2, x.Add(k2.Scale(h/2)))
			k4 := rate(t+h, x.Add(k3.Scale(h)))
			x = x.Add(k1.Add(k2.Add(k3).Scale(2)).Add(k4).Scale(h / 6))
			t += h
		}
		states[i], last = x.Reshape(row), time
	}
	return autograd.Concat(0, states[0], states[1:]...)
}
