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
}

// State copies the state of the fit.
func (m *Model) State() *State {
	return &State{
		Step: m.step, Parameters: slices.Clone(m.parameters), First: slices.Clone(m.optimizer.first), Second: slices.Clone(m.optimizer.second),
		Updates: m.optimizer.updates, Skipped: m.skipped, InARow: m.inARow, Unsolved: m.unsolved, Trace: slices.Clone(m.trace),
	}
}

// Restore continues from a state of a fit with the same data, settings and seed,
// which is copied. An error names what does not fit, and leaves the model as it was.
func (m *Model) Restore(s *State) error {
	for _, part := range []struct {
		name   string
		values []float64
	}{{"parameters", s.Parameters}, {"first moments", s.First}, {"second moments", s.Second}} {
		if len(part.values) != len(m.parameters) {
			return fmt.Errorf("bcd: state has %d %s, want %d", len(part.values), part.name, len(m.parameters))
		}
		for i, v := range part.values {
			if !finite(v) {
				return fmt.Errorf("bcd: state has %v among its %s, at %d, want finite numbers", v, part.name, i)
			}
		}
	}
	if s.Step < 0 || s.Step > m.settings.Steps {
		return fmt.Errorf("bcd: state is at step %d, want one from 0 to %d", s.Step, m.settings.Steps)
	}
	if s.Skipped < 0 || s.InARow < 0 || s.InARow > s.Skipped || s.Updates != s.Step-s.Skipped || s.Updates < 0 || s.Unsolved < 0 {
		return fmt.Errorf("bcd: state has %d updates and %d steps left out, %d in a row, which do not make %d steps", s.Updates, s.Skipped, s.InARow, s.Step)
	}
	m.step, m.skipped, m.inARow, m.unsolved = s.Step, s.Skipped, s.InARow, s.Unsolved
	m.parameters = slices.Clone(s.Parameters)
	m.optimizer = adaBelief{slices.Clone(s.First), slices.Clone(s.Second), s.Updates}
	m.trace = slices.Clone(s.Trace)
	return nil
}
