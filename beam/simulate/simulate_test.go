package simulate_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/beam/simulate"
)

// One machine does one job after another.
func TestOneMachine(t *testing.T) {
	w := simulate.Work{Jobs: 50, Seconds: 3}
	c := simulate.Cost{Start: 2, Hub: .25, Trip: .5}
	got := simulate.Run(w, c, 1)
	if want := 2 + 50*(3+.25+.5); math.Abs(got.Seconds-want) > 1e-9 ||
		math.Abs(got.PerJob-want/50) > 1e-9 {
		t.Errorf("got %+v, want %v seconds", got, want)
	}
}

// A run is never shorter than the giving program, the work of all machines, or the start allow;
// without a spread machines of which each does as many jobs reach the bound of the work.
func TestBounds(t *testing.T) {
	w := simulate.Work{Jobs: 400, Seconds: 1, LogSD: .7, Seed: 1}
	c := simulate.Cost{Start: .5, Hub: .01, Trip: .02}
	one := simulate.Run(w, c, 1).Seconds - c.Start
	for _, m := range []int{1, 2, 10, 100, 1000} {
		got := simulate.Run(w, c, m).Seconds
		if low := c.Start + max(one/float64(m), 400*c.Hub); got < low-1e-9 {
			t.Errorf("%d machines: %v seconds, want at least %v", m, got, low)
		}
	}
	w.LogSD, c.Hub = 0, 0
	if got, want := simulate.Run(w, c, 100).Seconds,
		c.Start+4*(1+c.Trip); math.Abs(got-want) > 1e-9 {
		t.Errorf("equal jobs: %v seconds, want %v", got, want)
	}
}

// Where the giving program is the bottleneck, more machines do not help.
func TestSaturated(t *testing.T) {
	w := simulate.Work{Jobs: 1000, Seconds: .1}
	c := simulate.Cost{Hub: .1}
	got := simulate.Run(w, c, 100)
	if got.Busy < .99 || math.Abs(got.Seconds-100.1) > .2 {
		t.Errorf("got %+v, want a busy program and 100.1 seconds", got)
	}
}

func Example() {
	w := simulate.Work{Jobs: 1000, Seconds: 10}
	for _, machines := range []int{1, 10, 100} {
		r := simulate.Run(w, simulate.Cost{Start: 5, Hub: .01}, machines)
		fmt.Printf("%3d machines: %6.0f s, %.1f machine-seconds a job\n", machines, r.Seconds,
			r.PerJob)
	}
	// Output:
	//   1 machines:  10015 s, 10.0 machine-seconds a job
	//  10 machines:   1007 s, 10.1 machine-seconds a job
	// 100 machines:    106 s, 10.6 machine-seconds a job
}
