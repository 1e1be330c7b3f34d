package main

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"tobac"
	"tobac/effects"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/metrics"
	"tobac/posterior"
	"tobac/sem"

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
	Order        []string       `json:"order"`          // known or found, sources first; empty with several or none
	Orders       *ordersSummary `json:"orders,omitempty"`
	Warnings     []string       `json:"warnings"`
	// Knowledge is what was known of the graph before; left out: nothing.
	Knowledge  *knowledgeSummary `json:"knowledge,omitempty"`
	evaluation                   // of what is listed
	Compared   *comparedSummary  `json:"svgd,omitempty"`
	// Diagnostics say how far the computation can be trusted.
	Diagnostics diagnosticsSummary `json:"diagnostics"`
	Seconds     engine.Seconds     `json:"seconds"`
	Verdict     verdictSummary     `json:"verdict"`
	Columns     []effects.Column   `json:"columns"`              // of the training rows, transformed but not standardised
	Command     string             `json:"command,omitempty"`    // that repeats the run
	Imputation  *imputationSummary `json:"imputation,omitempty"` // nil: no value was missing
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

// inputConfig is what a run was given beside the settings of the library.
type inputConfig struct {
	Data          string  `json:"data"`
	Digest        string  `json:"data_digest,omitempty"` // of the training rows, as they were analysed; "": values were missing
	TrainingRows  int     `json:"training_rows"`
	HeldoutRows   int     `json:"heldout_rows"`
	Variables     int     `json:"variables"`
	Transform     string  `json:"transform"`
	Center        bool    `json:"center,omitempty"`
	Standardize   bool    `json:"standardize"`
	Holdout       float64 `json:"holdout"`                 // fraction of the rows held out; 0: none
	Heldout       string  `json:"heldout"`                 // file of held-out rows; "": none
	Truth         string  `json:"truth"`                   // file of the true graph; "": none
	Interventions string  `json:"interventions,omitempty"` // file
	Imputations   int     `json:"imputations,omitempty"`   // completed tables; 0: no value was missing
	Recipe        string  `json:"recipe"`
	Engine        string  `json:"engine"` // as on the command line
	Order         string  `json:"order"`  // as on the command line
	Prior         string  `json:"prior"`  // as on the command line
	Knowledge     string  `json:"-"`      // file of statements, which the summary lists; "": none
	// Table are the options for the table that were given, and Notes what was left out and coded.
	Table string   `json:"table,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// runConfig is everything that repeats a run. Its JSON form is one object: the
// input, the settings of the library under their names, and versions.
type runConfig struct {
	inputConfig
	fit    tobac.Config
	beside *tobac.SVGD // that the result is compared with; nil without any
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
	engines := []engine.Engine{c.fit.Engine}
	if s, ok := c.fit.Engine.(*tobac.SVGD); ok && s.OrderEngine != nil {
		engines = append(engines, s.OrderEngine)
	}
	if c.beside != nil {
		engines = append(engines, c.beside)
	}
	for _, t := range topics(&c.fit, engines...) {
		t.Settings.VisitAll(func(flag *pflag.Flag) { settings[t.Name+"."+flag.Name] = typed(flag.Value.String()) })
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

// newSummary describes a result.
func newSummary(j *job, r *tobac.Result) summary {
	s := summary{Config: runConfig{j.input, j.fit, j.particles}, Engine: r.Config.Engine.Name(), Model: r.Model, Reason: modelReason(j.fit, r),
		EdgesPerNode: metrics.Number(r.EdgesPerNode), Order: cli.Permuted(r.Names, r.Order()), Warnings: append(append([]string{}, j.warnings...), r.Warnings...), Diagnostics: newDiagnosticsSummary(r), Seconds: r.Seconds}
	s.Knowledge = newKnowledgeSummary(&r.Config.Prior, r.Names, j.input.Knowledge)
	for _, e := range r.Evidence {
		s.Evidence = append(s.Evidence, evidence{e.Model, metrics.Number(e.Log), e.Note})
	}
	if w := closeModels(r.Evidence); w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	s.Orders = newOrdersSummary(r, j)
	s.Cyclic = r.Posterior.Cyclic()
	return s
}

// evaluate judges a result.
func (s *summary) evaluate(j *job, r *tobac.Result) (err error) {
	s.Warnings = slices.Clone(s.Warnings) // of the summary that this one is a copy of
	s.evaluation, err = s.judge(r.Posterior, r.Config.Model, j)
	return err
}

// heldoutLabel says where the held-out rows come from.
func (j *job) heldoutLabel() string {
	if j.input.Heldout != "" {
		return j.input.Heldout
	}
	return j.input.Data
}

// noMetrics says why there are none.
func (s *summary) noMetrics(why error) {
	s.Metrics, s.Failed = nil, cli.Message(why)
}

// judge evaluates a posterior with the truth and the held-out rows of a job, and
// notes warnings. Rows without a density leave the other metrics.
func (s *summary) judge(p *posterior.Posterior, model sem.Model, j *job) (evaluation, error) {
	densities, warning, failed := heldOut(p, model, j.heldout)
	if warning != "" {
		s.Warnings = append(s.Warnings, warning)
	}
	e, err := judge(p, j.truth, densities)
	if failed != nil {
		e.Failed = cli.Message(cli.Located(j.heldoutLabel(), failed))
	}
	return e, err
}
