package bcd

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Stage is a part of a [Schedule].
type Stage struct {
	Temperature float64 // τ, above 0
	Until       float64 // the fraction of all steps at which the stage ends, above 0 and at most 1
}

// A Schedule says which temperature τ the permutations have at which step. Stages
// follow each other, each ending later than the one before, the last at 1.
type Schedule []Stage

// Constant is the schedule of one temperature.
func Constant(temperature float64) Schedule { return Schedule{{temperature, 1}} }

// Annealed is the schedule that works on standardised data (baselines.md, section 22):
// 30, 10, 1, 0.5 and 0.25, which end after 5, 10, 20, 60 and 100 percent of the
// steps.
func Annealed() Schedule {
	return Schedule{{30, 0.05}, {10, 0.1}, {1, 0.2}, {0.5, 0.6}, {0.25, 1}}
}

// At is the temperature at a step of steps, counted from 0; after the last step,
// that of the last stage.
func (s Schedule) At(step, steps int) float64 {
	for _, stage := range s {
		if float64(step) < stage.Until*float64(steps) {
			return stage.Temperature
		}
	}
	return s.last()
}

// last is the temperature of the last stage. It panics if there is none.
func (s Schedule) last() float64 { return s[len(s)-1].Temperature }

// String is the text form that [ParseSchedule] reads: 30:0.05,10:0.1,0.25:1.
func (s Schedule) String() string {
	parts := make([]string, len(s))
	for k, stage := range s {
		parts[k] = number(stage.Temperature) + ":" + number(stage.Until)
	}
	return strings.Join(parts, ",")
}

// ParseSchedule reads a temperature, or stages TEMPERATURE:UNTIL separated by
// commas, where UNTIL is a fraction of the steps.
func ParseSchedule(text string) (Schedule, error) {
	if tau, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		s := Constant(tau)
		return s, s.check()
	}
	var s Schedule
	for part := range strings.SplitSeq(text, ",") {
		before, after, ok := strings.Cut(part, ":")
		tau, err1 := strconv.ParseFloat(strings.TrimSpace(before), 64)
		until, err2 := strconv.ParseFloat(strings.TrimSpace(after), 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf(
				"bcd: stage %q of the schedule, want TEMPERATURE:UNTIL such as 0.5:0.6", part)
		}
		s = append(s, Stage{tau, until})
	}
	return s, s.check()
}

func (s Schedule) check() error {
	before := 0.0
	for k, stage := range s {
		if !(stage.Temperature >= leastTemperature && stage.Temperature <= mostTemperature) {
			return fmt.Errorf("bcd: temperature %v of stage %d, want a number from %g to %g",
				stage.Temperature, k+1, leastTemperature, mostTemperature)
		}
		if !(stage.Until > before && stage.Until <= 1) {
			return fmt.Errorf("bcd: stage %d ends at %v of the steps, want a fraction above %v "+
				"and at most 1", k+1, stage.Until, before)
		}
		before = stage.Until
	}
	if before != 1 {
		return fmt.Errorf("bcd: the last stage ends at %v of the steps, want 1", before)
	}
	return nil
}

// Temperatures beyond these neither soften nor sharpen a permutation any more.
const (
	leastTemperature = 1e-3
	mostTemperature  = 1e6
)

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AdaBelief moves parameters against a gradient g (Zhuang et al. 2020). At update
// number c = 1, 2, …, with e = g − m before the update,
//
//	m ← β₁ m + (1−β₁) g,   v ← β₂ v + (1−β₂) e²,
//	x ← x − rate (m/(1−β₁ᶜ)) / (√(v/(1−β₂ᶜ) + 1e-16) + 1e-8),
//
// β₁ = 0.9 and β₂ = 0.999. Its state is First, m, and Second, v.
type adaBelief struct {
	first, second []float64
	updates       int
}

func newAdaBelief(parameters int) adaBelief {
	return adaBelief{first: make([]float64, parameters), second: make([]float64, parameters)}
}

const (
	beta1 = 0.9
	beta2 = 0.999
)

func (o *adaBelief) update(x, gradient []float64, rate float64) {
	o.updates++
	correct1 := rate / (1 - math.Pow(beta1, float64(o.updates)))
	correct2 := 1 / (1 - math.Pow(beta2, float64(o.updates)))
	for i, g := range gradient {
		m, v := o.first[i], o.second[i]
		e := g - m
		m = beta1*m + (1-beta1)*g
		v = beta2*v + (1-beta2)*e*e
		o.first[i], o.second[i] = m, v
		x[i] -= correct1 * m / (math.Sqrt(v*correct2+1e-16) + 1e-8)
	}
}
