package main

import (
	"encoding/json"
	"math"
	"strconv"

	"tobac"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/cli"
	"tobac/internal/explain"
	"tobac/metrics"

	"github.com/spf13/pflag"
)

// A summary is what a fit reports: the content of summary.json.
type summary struct {
	Run          string         `json:"run"` // id of the run
	Config       runConfig      `json:"config"`
	Engine       string         `json:"engine"`
	Model        string         `json:"model"`
	Reason       string         `json:"reason,omitempty"` // why this model
	Evidence     []evidence     `json:"evidence,omitempty"`
	EdgesPerNode metrics.Number `json:"edges_per_node"` // of the prior, or its posterior mean
	// known or found, sources first; empty with several or none
	Order    []string       `json:"order"`
	Orders   *ordersSummary `json:"orders,omitempty"`
	Warnings []string       `json:"warnings"`
	// Knowledge is what was known of the graph before; left out: nothing.
	Knowledge  *knowledgeSummary `json:"knowledge,omitempty"`
	evaluation                   // of what is listed
	Compared   *comparedSummary  `json:"svgd,omitempty"`
	// Diagnostics say how far the computation can be trusted.
	Diagnostics diagnosticsSummary `json:"diagnostics"`
	Seconds     engine.Seconds     `json:"seconds"`
	Verdict     verdictSummary     `json:"verdict"`
	// of the training rows, transformed but not standardised
	Columns    []effects.Column   `json:"columns"`
	Command    string             `json:"command,omitempty"`    // that repeats the run
	Imputation *imputationSummary `json:"imputation,omitempty"` // nil means no value was missing
}

// evidence is the log marginal likelihood of a model, null if unknown.
type evidence struct {
	Model string         `json:"model"`
	Log   metrics.Number `json:"log_evidence"`
	Note  string         `json:"note,omitempty"`
}

// A comparedSummary judges the particles that a posterior is compared with.
type comparedSummary struct {
	Model string `json:"model"`
	// Distance is the mean absolute difference of their edge probabilities from those
	// that are listed.
	Distance metrics.Number `json:"distance"`
	Seconds  engine.Seconds `json:"seconds"`
	evaluation
}

// runConfig is everything that repeats a run. Its JSON form is one object: the
// input, the settings of the library under their names, and versions.
type runConfig struct {
	inputConfig
	fit    tobac.Config
	beside *stein.SVGD // that the result is compared with; nil without any
}

// MarshalJSON implements json.Marshaler.
func (c runConfig) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(c.inputConfig)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1] // the object stays open
	add := func(key string, value any) {
		if err != nil {
			return
		}
		var v []byte
		if v, err = json.Marshal(value); err == nil {
			text = append(append(append(text, ',', '"'), key...), '"', ':')
			text = append(text, v...)
		}
	}
	model := "auto"
	if c.fit.Model != nil {
		model = c.fit.Model.String()
	}
	add("model", model)
	settings := map[string]any{}
	engines := []engine.Settings{c.fit.Engine}
	if orders := ordersOf(c.fit.Engine); orders != nil {
		engines = append(engines, orders)
	}
	if c.beside != nil {
		engines = append(engines, c.beside)
	}
	for _, t := range topics(&c.fit, engines...) {
		t.Settings.VisitAll(func(flag *pflag.Flag) {
			settings[t.Name+"."+flag.Name] = typed(flag.Value.String())
		})
	}
	add("settings", settings)
	add("seed", c.fit.Seed)
	add("workers", c.fit.Workers)
	add("versions", cli.CurrentVersions())
	return append(text, '}'), err
}

// typed is a text as a number if it is one, and null if it is empty.
func typed(text string) any {
	if text == "" {
		return nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) {
		return json.Number(text)
	}
	return text
}

// units says on which scale the weights are.
func (c *runConfig) units() string {
	switch {
	case c.Standardize:
		return "of standardised columns"
	case c.Transform != "none":
		return "in units of the transformed columns"
	}
	return "in units of the data"
}

// A verdictSummary is the verdict in summary.json.
type verdictSummary struct {
	Sentences []string `json:"sentences"`
	// pairs adjacent with a probability of 0.95 or more
	Stable int `json:"stable"`
	// pairs adjacent with a probability from 0.05 up to 0.95
	Uncertain int `json:"uncertain"`
	// stable pairs with a direction of probability 0.9 or more
	Directed    int    `json:"directed"`
	Open        int    `json:"open"` // the other stable pairs
	Conditional string `json:"conditional,omitempty"`
	// the assumption of all probabilities that the data refute
	Refuted string `json:"refuted,omitempty"`
	// expected fraction of edges towards the larger variance
	ByVariance metrics.Number `json:"by_variance"`
	// nats by which the data support the model
	Margin metrics.Number `json:"margin"`
}

func newVerdictSummary(v explain.Verdict) verdictSummary {
	return verdictSummary{v.Sentences, v.Stable, v.Uncertain, v.Directed, v.Open, v.Conditional,
		v.Refuted, metrics.Number(v.ByVariance), metrics.Number(v.Margin)}
}
