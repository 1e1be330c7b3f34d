package main

import (
	"fmt"
	"io"

	"tobac"
	"tobac/metrics"
)

// A verdictSummary is the verdict in summary.json.
type verdictSummary struct {
	Sentences   []string       `json:"sentences"`
	Stable      int            `json:"stable"`    // pairs adjacent with a probability of 0.95 or more
	Uncertain   int            `json:"uncertain"` // pairs adjacent with a probability from 0.05 up to 0.95
	Directed    int            `json:"directed"`  // stable pairs with a direction of probability 0.9 or more
	Open        int            `json:"open"`      // the other stable pairs
	Conditional string         `json:"conditional,omitempty"`
	Refuted     string         `json:"refuted,omitempty"` // the assumption of all probabilities that the data refute
	ByVariance  metrics.Number `json:"by_variance"`       // expected fraction of edges towards the larger variance
	Margin      metrics.Number `json:"margin"`            // nats by which the data support the model
}

func newVerdictSummary(v tobac.Verdict) verdictSummary {
	return verdictSummary{v.Sentences, v.Stable, v.Uncertain, v.Directed, v.Open, v.Conditional, v.Refuted, metrics.Number(v.ByVariance), metrics.Number(v.Margin)}
}

// refuted is the assumption that the data refute, after what rests on it.
func (r *result) refuted() string {
	if r.verdict.Refuted == "" {
		return ""
	}
	return ", " + r.verdict.Refuted
}

// printVerdict is the last thing on the screen.
func (r *result) printVerdict(w io.Writer) {
	fmt.Fprintln(w, "\nVerdict")
	for _, s := range r.verdict.Sentences {
		printField(w, "      -", s)
	}
}
