package bcd

import (
	"fmt"
	"slices"
)

// A State is the state of a fit at a step boundary. Its JSON form keeps every bit: a
// fit restored from it goes on as if it had never stopped. Numbers are finite.
type State struct {
	Step       int          `json:"step"`
	Parameters []float64    `json:"parameters"` // all arrays, one after the other
	First      []float64    `json:"first"`      // moments of the optimiser
	Second     []float64    `json:"second"`
	Updates    int          `json:"updates"`            // of the optimiser
	Skipped    int          `json:"skipped,omitempty"`  // steps left out
	InARow     int          `json:"in_a_row,omitempty"` // of them, the last ones
	Unsolved   int          `json:"unsolved,omitempty"` // samples whose permutation had no gradient
	Trace      []TracePoint `json:"trace"`
	// of the steps left out, those of the starts before
	Before int       `json:"skipped_before,omitempty"`
	ELBOs  []float64 `json:"elbos,omitempty"` // of the starts that are finished
	// parameters of the best one of them, while others follow
	Best []float64 `json:"best,omitempty"`
}

// State copies the state of the fit.
func (m *Model) State() *State {
	return &State{
		Step: m.step, Parameters: slices.Clone(m.parameters),
		First: slices.Clone(m.optimizer.first), Second: slices.Clone(m.optimizer.second),
		Updates: m.optimizer.updates, Skipped: m.skipped, InARow: m.inARow, Unsolved: m.unsolved,
		Trace:  slices.Clone(m.trace),
		Before: m.before, ELBOs: slices.Clone(m.elbos), Best: slices.Clone(m.best),
	}
}

// A statePart is a list of numbers, one for each parameter.
type statePart struct {
	name   string
	values []float64
}

// Restore continues from a state of a fit with the same data, settings and seed,
// which is copied. An error names what does not fit, and leaves the model as it was.
func (m *Model) Restore(s *State) error {
	if s.Step < 0 || s.Step > m.settings.Steps {
		return fmt.Errorf("bcd: state is at step %d, want one from 0 to %d", s.Step,
			m.settings.Steps)
	}
	start, from, _ := m.settings.startOf(s.Step)
	finished := start
	if s.Step == m.settings.Steps && m.settings.Starts > 1 {
		finished++
	}
	if len(s.ELBOs) != finished {
		return fmt.Errorf("bcd: state has the ELBO of %d starts at step %d, want %d", len(s.ELBOs),
			s.Step, finished)
	}
	if slices.ContainsFunc(s.ELBOs, func(v float64) bool { return !finite(v) }) {
		return fmt.Errorf("bcd: state has the ELBOs %v, want finite numbers", s.ELBOs)
	}
	parts := []statePart{{"parameters", s.Parameters}, {"first moments", s.First},
		{"second moments", s.Second}}
	if 0 < finished && finished < m.settings.Starts {
		parts = append(parts, statePart{"parameters of the best start", s.Best})
	} else if len(s.Best) > 0 {
		return fmt.Errorf(
			"bcd: state has parameters of a best start at step %d, where there is no other", s.Step)
	}
	for _, part := range parts {
		if len(part.values) != len(m.parameters) {
			return fmt.Errorf("bcd: state has %d %s, want %d", len(part.values), part.name,
				len(m.parameters))
		}
		for i, v := range part.values {
			if !finite(v) {
				return fmt.Errorf("bcd: state has %v among its %s, at %d, want finite numbers", v,
					part.name, i)
			}
		}
	}
	if s.Before < 0 || s.Skipped < s.Before || s.InARow < 0 || s.InARow > s.Skipped-s.Before ||
		s.Updates != s.Step-from-(s.Skipped-s.Before) || s.Updates < 0 || s.Unsolved < 0 {
		return fmt.Errorf("bcd: state has %d updates and %d steps left out, %d in a row, which "+
			"do not make %d steps", s.Updates, s.Skipped-s.Before, s.InARow, s.Step-from)
	}
	m.step, m.skipped, m.inARow, m.unsolved = s.Step, s.Skipped, s.InARow, s.Unsolved
	m.parameters = slices.Clone(s.Parameters)
	m.optimizer = adaBelief{slices.Clone(s.First), slices.Clone(s.Second), s.Updates}
	m.trace = slices.Clone(s.Trace)
	m.before, m.elbos, m.best = s.Before, slices.Clone(s.ELBOs), slices.Clone(s.Best)
	return nil
}
