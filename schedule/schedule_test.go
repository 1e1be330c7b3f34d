package schedule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tobac/internal/must"
	_ "tobac/internal/rapidseed" // property tests draw the same cases in every run
	"tobac/schedule"
)

// Every form against its definition, at hand-worked steps.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		text  string
		steps int // of the run
		want  map[int]float64
	}{
		{"constant:2.5", 3, map[int]float64{0: 2.5, 7: 2.5}},
		{"growth:0.05", 3, map[int]float64{0: 0, 1: 0.05, 200: 10}},
		{"linear:1:0", 5, map[int]float64{0: 1, 1: 0.75, 4: 0, 9: 0}},
		{"linear:1:0:50%", 9, map[int]float64{0: 1, 4: 1, 5: 0.75, 6: 0.5, 8: 0}},
		{"linear:2:4:25%-75%", 9, map[int]float64{0: 2, 2: 2, 4: 3, 6: 4, 8: 4}},
		{"geometric:0.01:100", 5, map[int]float64{0: 0.01, 1: 0.1, 2: 1, 3: 10, 4: 100, 6: 100}},
		{"geometric:8:1:10-13", 1000, map[int]float64{0: 8, 10: 8, 11: 4, 12: 2, 13: 1, 999: 1}},
		{"cosine:1:0", 5, map[int]float64{0: 1, 1: (1 + math.Sqrt2/2) / 2, 2: 0.5, 4: 0}},
		{"linear:1:3:4-4", 9, map[int]float64{3: 1, 4: 3}},
		{"geometric:0.01:100", 1, map[int]float64{0: 100}},
	} {
		s := must.Get(schedule.Parse(c.text))(t)
		for step, want := range c.want {
			if got := schedule.Over(s,
				c.steps).At(step); math.Abs(got-want) > 1e-13*math.Abs(want) {
				t.Errorf("%s over %d steps at %d: got %v, want %v", c.text, c.steps, step, got,
					want)
			}
		}
	}
}

// own is a schedule of one's own.
type own struct{ a float64 }

func (o own) At(step int) float64 { return o.a / float64(step+1) }

// Over leaves other schedules alone, and only those of the package have a text that can be read.
func TestOwnSchedule(t *testing.T) {
	if got := schedule.Over(own{3}, 10); got != schedule.Schedule(own{3}) {
		t.Errorf("over 10 steps: %v", got)
	}
	for _, s := range []schedule.Schedule{own{3}, nil} {
		if text, ok := schedule.Text(s); ok {
			t.Errorf("%#v has the text %q", s, text)
		}
	}
	for _, s := range []schedule.Schedule{schedule.Constant(-1), schedule.Ramp{Start: 2, End: 1},
		schedule.OfRun{Shape: 9}} {
		text, ok := schedule.Text(s)
		if back, err := schedule.Parse(text); !ok || err == nil {
			t.Errorf("%#v has the text %q (%v), which is %v", s, text, ok, back)
		}
	}
}

// A text is read back as the value that wrote it; a schedule is between its ends, monotone, and
// exact at both.
func TestLaws(t *testing.T) {
	positive := rapid.Float64Range(1e-9, 1e9)
	rapid.Check(t, func(t *rapid.T) {
		shape := schedule.Shape(rapid.IntRange(0, 2).Draw(t, "shape"))
		a, b := positive.Draw(t, "from"), positive.Draw(t, "to")
		var s schedule.Schedule
		if rapid.Bool().Draw(t, "relative") {
			end := rapid.Float64Range(0.001, 1).Draw(t, "end")
			r := schedule.OfRun{Shape: shape, From: a, To: b,
				Start: rapid.Float64Range(0, end).Draw(t, "start"), End: end}
			if r.Start == 0 && r.End == 1 {
				r.End = 0 // which says the same, and is how the whole run is read
			}
			s = r
		} else {
			start := rapid.IntRange(0, 1000).Draw(t, "start")
			s = schedule.Ramp{Shape: shape, From: a, To: b, Start: start,
				End: start + rapid.IntRange(0, 1000).Draw(t, "length")}
		}
		text, ok := schedule.Text(s)
		back, err := schedule.Parse(text)
		if !ok || err != nil || back != s || text != fmt.Sprint(s) {
			t.Fatalf("%#v is written as %q (%v) and read as %#v, %v", s, text, ok, back, err)
		}
		r := schedule.Over(s, rapid.IntRange(1, 2000).Draw(t, "steps")).(schedule.Ramp)
		low, high := min(a, b)*(1-1e-12), max(a, b)*(1+1e-12)
		before := r.At(0)
		for step := 1; step <= r.End+1; step += 1 + r.End/50 {
			v := r.At(step)
			if v < low || v > high || (v-before)*(b-a) < -1e-12*max(a, b)*max(a, b) {
				t.Fatalf("%v at step %d is %v, %v before", r, step, v, before)
			}
			before = v
		}
		if r.At(r.End) != b || r.Start > 0 && r.At(r.Start-1) != a {
			t.Fatalf("%v begins with %v and ends with %v", r, r.At(max(r.Start-1, 0)), r.At(r.End))
		}
	})
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                `unknown form "", want constant, growth, linear, geometric or cosine`,
		"exp:1:2":         `unknown form "exp", want constant`,
		"constant":        "got 0 after constant, want one number",
		"growth:1:2":      "got 2 after growth, want one number",
		"growth:-1":       "rate -1, want a finite number, not negative",
		"constant:NaN":    "value NaN, want a finite number, not negative",
		"constant:x":      `"x" is not a number`,
		"linear:1":        "got 1 after linear, want two numbers, and a part of the run if any",
		"linear:1:-2":     "end -2, want a finite number, not negative",
		"linear:Inf:1":    "start +Inf, want a finite number, not negative",
		"geometric:0:100": "geometric from 0 to 100, want numbers above 0",
		"cosine:1:0:9-3":  "steps 9 to 3, want an end that is not before the start",
		"cosine:1:0:60%-30%": "from 60% to 30% of the run, want an end that is not before " +
			"the start",
		"cosine:1:0:60%-130%":     "from 60% to 130% of the run",
		"cosine:1:0:10":           `part "10", want START-END in steps`,
		"cosine:1:0:10-x":         `part "10-x", want START-END in steps`,
		"cosine:1:0:x%-50%":       `part "x%-50%", want START-END in steps`,
		"cosine:1:0:0%-0%":        `part "0%-0%", want START-END in steps`,
		"geometric:1:100:1-2:3-4": "got 4 after geometric",
	} {
		if s, err := schedule.Parse(text); err == nil ||
			!strings.HasPrefix(err.Error(), fmt.Sprintf("schedule %q: %s", text, want)) {
			t.Errorf("%q: got %v, %v, want %s", text, s, err, want)
		}
	}
}

func TestPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"schedule: value -1, want a finite number, not negative": func() {
			schedule.Constant(-1).At(0)
		},
		"schedule: rate -1, want a finite number, not negative": func() {
			schedule.Growth(-1).At(3)
		},
		"schedule: unknown shape schedule.Shape(7)": func() {
			schedule.Ramp{Shape: 7}.At(3)
		},
		"schedule: a run of 0 steps": func() {
			schedule.OfRun{}.Over(0)
		},
		"schedule: linear:1:2 is relative to a run of unknown length; Over says how many steps " +
			"it has": func() { schedule.OfRun{From: 1, To: 2}.At(0) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("got the panic %v, want %s", got, want)
				}
			}()
			f()
		}()
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"constant:1", "growth:0.05", "linear:1:0:50%",
		"geometric:0.01:100:0-299", "cosine:1:0:12.5%-75%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schedule.Parse(text)
		if err != nil {
			return
		}
		again, ok := schedule.Text(s)
		if back, err := schedule.Parse(again); !ok || err != nil || back != s {
			t.Fatalf("%q is %#v, written as %q (%v), which is %#v, %v", text, s, again, ok, back,
				err)
		}
		for _, step := range []int{0, 1, 50, 99, 1 << 30} {
			if v := schedule.Over(s, 100).At(step); !(v >= 0) {
				t.Fatalf("%q at step %d is %v", text, step, v)
			}
		}
	})
}
