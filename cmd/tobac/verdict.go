package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tobac/explain"
	"tobac/internal/cli"
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

func newVerdictSummary(v explain.Verdict) verdictSummary {
	return verdictSummary{v.Sentences, v.Stable, v.Uncertain, v.Directed, v.Open, v.Conditional, v.Refuted, metrics.Number(v.ByVariance), metrics.Number(v.Margin)}
}

// refuted is the assumption that the data refute, after what rests on it.
func (r *result) refuted() string {
	if r.verdict.Refuted == "" {
		return ""
	}
	return ", " + r.verdict.Refuted
}

// mostSentences is how many sentences of the verdict the report prints.
const mostSentences = 5

// printVerdict prints the first sentences of the verdict and its assumptions, or with --details all.
func (r *result) printVerdict(w io.Writer) {
	fmt.Fprintln(w, "\nVerdict")
	all := r.verdict.Sentences
	if assumptions := slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, "All of this assumes") }); !r.details && assumptions >= 0 && len(all) > mostSentences {
		all = append(slices.Clone(all[:min(assumptions, mostSentences-1)]), all[assumptions])
	}
	for _, s := range all {
		cli.PrintField(w, "      -", s)
	}
	if left := len(r.verdict.Sentences) - len(all); left > 0 {
		cli.PrintField(w, "", fmt.Sprintf("(--details prints %s)", cli.Counted(left, "more sentence")))
	}
}
