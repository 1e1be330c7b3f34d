package main

import (
	"fmt"
	"math"
	"strings"

	"tobac"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/graphchecks"
	"tobac/internal/words"
	"tobac/metrics"
)

// A diagnosticsSummary says how far the computation of a result can be trusted.
type diagnosticsSummary struct {
	Verdict diagnostics.Verdict `json:"verdict"` // the worst of all checks
	Checks  []checkSummary      `json:"checks"`
	Graphs  int                 `json:"graphs"`  // distinct ones among the particles or draws
	Classes int                 `json:"classes"` // their Markov equivalence classes
	// Details of single engines; left out for others.
	Chains   *chainSummary    `json:"chains,omitempty"`
	Training *trainingSummary `json:"training,omitempty"`
}

// A checkSummary is a [diagnostics.Check].
type checkSummary struct {
	Name     string              `json:"name"`
	Value    metrics.Number      `json:"value"` // null: too little to tell
	Doubtful metrics.Number      `json:"doubtful"`
	Bad      metrics.Number      `json:"bad"`
	Verdict  diagnostics.Verdict `json:"verdict"`
	Text     string              `json:"text,omitempty"` // what is wrong, where something is
}

func newDiagnosticsSummary(r *tobac.Result) diagnosticsSummary {
	s := diagnosticsSummary{Verdict: diagnostics.Worst(r.Checks), Checks: []checkSummary{},
		Chains: newChainSummary(r.Diagnostics, r.Names), Training: newTrainingSummary(r.Training)}
	s.Graphs, s.Classes = graphchecks.Variety(r.Posterior.Graphs())
	for _, c := range r.Checks {
		q := checkSummary{Name: c.Name, Value: metrics.Number(c.Value),
			Doubtful: metrics.Number(c.Doubtful), Bad: metrics.Number(c.Bad), Verdict: c.Verdict}
		if c.Verdict != diagnostics.OK {
			q.Text = c.Text
		}
		s.Checks = append(s.Checks, q)
	}
	return s
}

// String says in a line which checks are not ok, or that all are; warnings say what is wrong.
func (s *diagnosticsSummary) String() string {
	var fine, wrong []string
	for _, c := range s.Checks {
		if math.IsNaN(float64(c.Doubtful)) {
			continue // no threshold
		}
		text := strings.ReplaceAll(c.Name, "_", " ")
		if word, ok := checkWords[c.Name]; ok {
			text = word
		}
		switch v := float64(c.Value); {
		case math.IsNaN(v):
		case v >= 1000:
			text += fmt.Sprintf(" %.0f", v)
		default:
			text += fmt.Sprintf(" %.3g", v)
		}
		if c.Verdict == diagnostics.OK {
			fine = append(fine, text)
		} else {
			wrong = append(wrong, fmt.Sprintf("%s is %s", text, c.Verdict))
		}
	}
	if len(wrong) == 0 {
		return "passed: " + strings.Join(fine, ", ")
	}
	return strings.Join(append(wrong, fine...), ", ")
}

// checkWords are what the report calls checks whose names are abbreviations.
var checkWords = map[string]string{"r_hat": "R̂", "ess": "effective sample size",
	"draws": "effective draws"}

// A chainSummary says whether Markov chains agree; [diagnostics.GraphChains] defines its
// numbers, which are null where there are too few samples.
type chainSummary struct {
	Samples   int            `json:"samples"`
	MaxRHat   metrics.Number `json:"max_r_hat"` // of the least certain edges
	MinESS    metrics.Number `json:"min_ess"`   // of the least certain edges
	LogP      quantity       `json:"log_p"`
	Uncertain []edgeSummary  `json:"uncertain"` // the least certain edges
	Rungs     []rungSummary  `json:"rungs"`
}

// A quantity is the mean of a function of the graphs over the chains.
type quantity struct {
	Mean          metrics.Number `json:"mean"`
	StandardError metrics.Number `json:"standard_error"`
	RHat          metrics.Number `json:"r_hat"`
	ESS           metrics.Number `json:"ess"`
}

type edgeSummary struct {
	Source string `json:"source"`
	Target string `json:"target"`
	quantity
}

// A rungSummary holds the parts of the proposals of an inverse temperature that were accepted.
type rungSummary struct {
	InverseTemperature metrics.Number `json:"inverse_temperature"`
	Relocate           metrics.Number `json:"relocate"`
	Swap               metrics.Number `json:"swap"`
	SplitMerge         metrics.Number `json:"split_merge"`
	Reverse            metrics.Number `json:"reverse"`
	Exchange           metrics.Number `json:"exchange"`
}

// newChainSummary is nil for a result without chains.
func newChainSummary(d *diagnostics.GraphChains, names []string) *chainSummary {
	if d == nil {
		return nil
	}
	s := &chainSummary{Samples: d.Samples, MaxRHat: metrics.Number(d.MaxRHat()),
		MinESS: metrics.Number(d.MinESS()), LogP: newQuantity(d.LogP)}
	for _, e := range d.Uncertain {
		s.Uncertain =
			append(s.Uncertain, edgeSummary{names[e.From], names[e.To], newQuantity(e.Quantity)})
	}
	for _, r := range d.Rungs {
		s.Rungs = append(s.Rungs, rungSummary{metrics.Number(r.InverseTemperature),
			metrics.Number(r.Relocate), metrics.Number(r.Swap),
			metrics.Number(r.SplitMerge), metrics.Number(r.Reverse), metrics.Number(r.Exchange)})
	}
	return s
}

func newQuantity(q diagnostics.Quantity) quantity {
	return quantity{metrics.Number(q.Mean), metrics.Number(q.StandardError), metrics.Number(q.RHat),
		metrics.Number(q.ESS)}
}

// String says it in one line of the report.
func (s *chainSummary) String() string {
	if math.IsNaN(float64(s.MaxRHat)) {
		return fmt.Sprintf("%d samples are too few to compare", s.Samples)
	}
	return fmt.Sprintf("the %d least certain edges have R̂ up to %.2f (want 1.1), and at least "+
		"%.0f independent samples (want 100)", len(s.Uncertain), s.MaxRHat, s.MinESS)
}

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
	s := &trainingSummary{Exact: t.Exact, Skipped: t.Skipped, Distance: metrics.Number(t.Distance),
		Trace: []tracePoint{}, Starts: t.Starts}
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
		text = fmt.Sprintf("%s %.4g at step %d, %.4g at step %d", s.Quantity, first.Value,
			first.Step, last.Value, last.Step)
	}
	if len(s.Starts) > 0 {
		texts := make([]string, len(s.Starts))
		for k, v := range s.Starts {
			texts[k] = fmt.Sprintf("%.4g", v)
		}
		text = fmt.Sprintf("%s %s at the end of each of %d starts; the highest was kept",
			s.Quantity, strings.Join(texts, ", "), len(texts))
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
		return "The listed probabilities are sums over the flows of all graphs: nothing has to " +
			"converge. Graphs are drawn from them independently."
	}
	text := "Training: " + s.String() + "."
	if math.IsNaN(float64(s.Distance)) {
		text += " There is no test of convergence, and the distance from the posterior is " +
			"unknown: compare a run with another --seed."
	}
	return text
}
