package main

import (
	"fmt"
	"math"
	"strings"

	"tobac/engine"
	"tobac/internal/words"
	"tobac/metrics"
)

// A trainingSummary says how a distribution over graphs was trained; [engine.Training] defines its
// numbers, which are null where they are unknown.
type trainingSummary struct {
	Quantity string         `json:"quantity"` // ELBO or loss; "" means nothing was trained
	Exact    bool           `json:"exact"`
	Skipped  int            `json:"skipped_steps"`
	Distance metrics.Number `json:"total_variation"` // from the exact posterior
	Trace    []tracePoint   `json:"trace"`
	Starts   []float64      `json:"starts,omitempty"` // ELBO at their ends; the highest was kept
}

type tracePoint struct {
	Step  int            `json:"step"`
	Value metrics.Number `json:"value"`
}

// newTrainingSummary is nil for a result without a training.
func newTrainingSummary(t *engine.Training) *trainingSummary {
	if t == nil {
		return nil
	}
	s := &trainingSummary{Exact: t.Exact, Skipped: t.Skipped, Distance: metrics.Number(t.Distance), Trace: []tracePoint{}, Starts: t.Starts}
	for _, p := range t.Trace {
		s.Quantity = p.Quantity
		s.Trace = append(s.Trace, tracePoint{p.Step, metrics.Number(p.Value)})
	}
	return s
}

// String says it in one line of the report.
func (s *trainingSummary) String() string {
	if s.Exact {
		return "nothing: flows are exact"
	}
	text := "too short for a trace"
	if n := len(s.Trace); n > 0 {
		first, last := s.Trace[0], s.Trace[n-1]
		text = fmt.Sprintf("%s %.4g at step %d, %.4g at step %d", s.Quantity, first.Value, first.Step, last.Value, last.Step)
	}
	if len(s.Starts) > 0 {
		texts := make([]string, len(s.Starts))
		for k, v := range s.Starts {
			texts[k] = fmt.Sprintf("%.4g", v)
		}
		text = fmt.Sprintf("%s %s at the end of each of %d starts; the highest was kept", s.Quantity, strings.Join(texts, ", "), len(texts))
	}
	if !math.IsNaN(float64(s.Distance)) {
		text += fmt.Sprintf("; total variation %.3f from the exact posterior", s.Distance)
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf("; %s skipped", words.Counted(s.Skipped, "step"))
	}
	return text
}

// convergence says on the page of the report whether the training has reached its target.
func (s *trainingSummary) convergence() string {
	if s.Exact {
		return "The listed probabilities are sums over the flows of all graphs: nothing has to converge. Graphs are drawn from them independently."
	}
	text := "Training: " + s.String() + "."
	if math.IsNaN(float64(s.Distance)) {
		text += " There is no test of convergence, and the distance from the posterior is unknown: compare a run with another --seed."
	}
	return text
}
