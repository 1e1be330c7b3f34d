package bench_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
)

// measured skips a test that only prints times unless it was asked for.
func measured(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("takes minutes and a quiet machine: go test ./bench -run " +
			"'TestGrowthOf|TestDensityTable' -long -v -timeout 30m")
	}
}

// durations of one piece of work, in seconds per call.
type durations []float64

func (d durations) fastest() float64 { return slices.Min(d) }

// timings measures several pieces of work in turns, so that a busy machine slows
// all of them alike. In its turn a work is repeated for ten milliseconds or
// called once. A work takes part until it has used up the budget, and at least
// three times unless that takes five budgets. One call of each comes first, which
// allocates what all others use and counts only if it takes five budgets by itself.
func timings(tb testing.TB, works []func() error, budget time.Duration) []durations {
	tb.Helper()
	all, spent := make([]durations, len(works)), make([]time.Duration, len(works))
	repeat := func(i int, atLeast time.Duration) {
		from, calls := time.Now(), 0
		for calls == 0 || time.Since(from) < atLeast {
			must.Do(tb, works[i]())
			calls++
		}
		took := time.Since(from)
		all[i], spent[i] = append(all[i], took.Seconds()/float64(calls)), spent[i]+took
	}
	for i := range works {
		if repeat(i, 0); spent[i] < 5*budget {
			all[i], spent[i] = nil, 0
		}
	}
	for busy := true; busy; {
		busy = false
		for i := range works {
			if n := len(all[i]); n > 0 && spent[i] >= budget && (n >= 3 || spent[i] >= 5*budget) {
				continue
			}
			busy = true
			repeat(i, 10*time.Millisecond)
		}
	}
	return all
}

// exponent is the slope of ln y against ln x by least squares.
func exponent(x, y []float64) float64 {
	lx, ly := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	_, slope := stat.LinearRegression(lx, ly, nil, false)
	return slope
}

// digits is a duration, given in seconds, with three significant digits.
func digits(seconds float64) string {
	unit, name := 1.0, "s"
	switch {
	case seconds < 1e-3:
		unit, name = 1e-6, "µs"
	case seconds < 1:
		unit, name = 1e-3, "ms"
	}
	v := seconds / unit
	return strconv.FormatFloat(scalar.Round(v, 2-int(math.Floor(math.Log10(v)))), 'f', -1, 64) +
		" " + name
}

// The measures behind the tables: the exponent of a power law, three digits, turns that end.
func TestTimingMeasures(t *testing.T) {
	x := []float64{3, 5, 20, 100}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 0.02 * math.Pow(v, 2.5)
	}
	if got := exponent(x, y); math.Abs(got-2.5) > 1e-12 {
		t.Errorf("exponent: got %v, want 2.5", got)
	}
	for seconds, want := range map[float64]string{1.2345e-5: "12.3 µs", 0.01: "10 ms",
		123.456: "123 s", 9.999e-4: "1000 µs", 2.5: "2.5 s", 3.4e-7: "0.34 µs"} {
		if got := digits(seconds); got != want {
			t.Errorf("%v s: got %q, want %q", seconds, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) { // where time is what sleeping takes
		quick, slow := 0, 0
		at := timings(t, []func() error{
			func() error { quick++; time.Sleep(3 * time.Millisecond); return nil },
			func() error { slow++; time.Sleep(60 * time.Millisecond); return nil },
		}, 10*time.Millisecond)
		if len(at) != 2 || len(at[0]) != 3 || quick != 1+3*4 || len(at[1]) != 1 || slow != 1 {
			t.Errorf("got %d and %d repeats of %d and %d calls, want 3 and 1 of 13 and 1",
				len(at[0]), len(at[1]), quick, slow)
		}
	})
}
