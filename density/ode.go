package density

import "tobac/autograd"

// RungeKutta solves dx/dt = rate(t, x) from start, the state at a time, which is a number or a
// vector, and stacks the states at later times along a new first axis. Between times it makes a
// number of steps of the classical method of fourth order, whose error falls by 16 if
// their number doubles: compare the results of two numbers.
func RungeKutta(
	start *autograd.Node,
	from float64,
	times []float64,
	steps int,
	rate func(t float64, x *autograd.Node) *autograd.Node,
) *autograd.Node {
	_, states := autograd.Scan(
		len(times),
		[]*autograd.Node{start},
		nil,
		func(i int, carry, _ []*autograd.Node) (next, y []*autograd.Node) {
			x, t := carry[0], from
			if i > 0 {
				t = times[i-1]
			}
			h := (times[i] - t) / float64(steps)
			for range steps {
				k1 := rate(t, x)
				k2 := rate(t+h/2, x.Add(k1.Scale(h/2)))
				k3 := rate(t+h/2, x.Add(k2.Scale(h/2)))
				k4 := rate(t+h, x.Add(k3.Scale(h)))
				x = x.Add(k1.Add(k2.Add(k3).Scale(2)).Add(k4).Scale(h / 6))
				t += h
			}
			return []*autograd.Node{x}, []*autograd.Node{x}
		},
	)
	return states[0]
}
