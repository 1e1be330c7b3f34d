package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/explain"
	"tobac/internal/file"
	"tobac/internal/report"
	"tobac/metrics"
	"tobac/posterior"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// storedSummary is what commands take from summary.json. It is read from the file's text after a
// fit too, so that tobac report writes the same page.
type storedSummary struct {
	Run          string          `json:"run"`
	Config       json.RawMessage `json:"config"`
	Engine       string          `json:"engine"`
	Model        string          `json:"model"`
	Reason       string          `json:"reason"`
	Evidence     []evidence      `json:"evidence"`
	EdgesPerNode metrics.Number  `json:"edges_per_node"`
	Order        []string        `json:"order"`
	Warnings     []string        `json:"warnings"`
	Command      string          `json:"command"`
	Verdict      struct {
		Sentences []string `json:"sentences"`
		Refuted   string   `json:"refuted"`
	} `json:"verdict"`
	Diagnostics diagnosticsSummary `json:"diagnostics"`
	Compared    *struct {
		Distance metrics.Number `json:"distance"`
	} `json:"svgd"`
	Columns []effects.Column `json:"columns"`
	evaluation

	config struct { // of Config
		inputConfig
		Seed     uint64       `json:"seed"`
		Versions cli.Versions `json:"versions"`
	}
	settings []report.Fact
}

func readSummary(text []byte) (*storedSummary, error) {
	s := &storedSummary{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(s.Config, &s.config); err != nil {
		return nil, err
	}
	var err error
	s.settings, err = settingFacts(s.Config)
	return s, err
}

// summaryIn reads summary.json of a folder that tobac fit wrote.
func summaryIn(files *file.Folder, dir string) (*storedSummary, error) {
	text, err := storedText(files, dir, summaryFile)
	if err != nil {
		return nil, needed(err)
	}
	s, err := readSummary(text)
	if err != nil {
		return nil, cli.Located(filepath.Join(dir, summaryFile), err)
	}
	return s, files.SameRun(summaryFile, s.Run)
}

// readResult reads the draws and the summary of a folder that tobac fit wrote.
func readResult(files *file.Folder, dir string) (p *posterior.Posterior, s *storedSummary,
	err error) {
	if p, err = readDraws(files, dir, particlesFile); err != nil {
		return nil, nil, needed(err)
	}
	s, err = summaryIn(files, dir)
	return p, s, err
}

// settingFacts are the members of a JSON object in their sequence, without those that
// change no number of a result.
func settingFacts(config json.RawMessage) ([]report.Fact, error) {
	var facts []report.Fact
	d := json.NewDecoder(bytes.NewReader(config))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok || name == "versions" || name == "workers" || name == "data_digest" {
			continue
		}
		if name == "settings" {
			settings, err := settingFacts(value)
			if err != nil {
				return nil, err
			}
			facts = append(facts, settings...)
			continue
		}
		text := string(value)
		var plain string
		switch {
		case text == "null" || text == `""`:
			text = "–"
		case json.Unmarshal(value, &plain) == nil:
			text = plain
		}
		facts = append(facts, report.Fact{Name: strings.ReplaceAll(name, "_", "-"), Text: text})
	}
	return facts, nil
}

// newContent puts together what a report tells. data are the rows of the fit before they
// were standardised, transformed like them; nil means unknown. truth may be nil.
func newContent(p *posterior.Posterior, s *storedSummary, data *dataset.Table,
	truth *dag.Graph) report.Content {
	c := report.Content{
		Title: "Causal graph of " + s.config.Data, Data: s.data(), Names: p.Names,
		Marginals: p.Marginals, Units: s.units(),
		Ancestors: report.Ancestors(p), EdgeCounts: report.EdgeCounts(p),
		Convergence: s.convergence(), Truth: truth, Metrics: s.metrics(),
		Refuted: s.Verdict.Refuted,
		Facts:   s.facts(p), Settings: s.settings, Command: s.Command,
		Versions: []report.Fact{{Name: "tobac", Text: s.config.Versions.Tobac},
			{Name: "Go", Text: s.config.Versions.Go},
			{Name: "Platform", Text: s.config.Versions.Platform}},
	}
	c.Verdict, c.Warnings = explain.Parted(s.Verdict.Sentences, s.Warnings)
	for _, f := range []report.Fact{{Name: "Arithmetic", Text: s.config.Versions.Arithmetic},
		{Name: "Run", Text: s.Run}} {
		if f.Text != "" { // results of former versions have neither
			c.Versions = append(c.Versions, f)
		}
	}
	if len(p.Components) > 0 && p.Components[0].Order != nil {
		c.Precedes = p.Precedes()
	}
	if data != nil {
		c.Fit = report.FitColumns(p, p.Standardization.Apply(data.X), data.Intervened)
		for j := range p.Names {
			sd := 1.0
			if !s.config.Standardize { // effects are those of the columns that were analysed
				sd = stat.StdDev(mat.Col(nil, j, data.X), nil)
			}
			c.SD = append(c.SD, sd)
		}
	}
	switch {
	case data == nil:
		c.Facts = append(c.Facts, report.Fact{Name: "Fit",
			Text: "not checked: tobac report needs the table for it, --data FILE"})
	case c.Fit == nil:
		c.Facts = append(c.Facts,
			report.Fact{Name: "Fit", Text: "not checked: the graphs come without linear equations"})
	}
	return c
}

// data says what was analysed.
func (s *storedSummary) data() string {
	in := &s.config
	text := fmt.Sprintf("%d rows of %d variables", in.TrainingRows, in.Variables)
	if in.Transform != "none" && in.Transform != "" {
		text += ", " + transformed(in.Transform)
	}
	if in.Standardize {
		text += ", standardised"
	}
	if in.HeldoutRows > 0 {
		text += fmt.Sprintf("; %d more rows held out", in.HeldoutRows)
	}
	if in.Interventions != "" {
		text += "; values set by intervention: " + in.Interventions
	}
	return text
}

func (s *storedSummary) units() string {
	c := runConfig{inputConfig: s.config.inputConfig}
	return c.units()
}

// facts describe the run in sentences.
func (s *storedSummary) facts(p *posterior.Posterior) []report.Fact {
	model := sem.Describe(s.Model) + reasonText(s.Reason)
	if len(s.Evidence) > 1 {
		var all []string
		for _, e := range s.Evidence {
			text := fmt.Sprintf("%.1f nats", e.Log)
			if math.IsNaN(float64(e.Log)) {
				text = "left out, " + e.Note
			}
			all = append(all, sem.Describe(e.Model)+" ("+text+")")
		}
		model += ". Log evidence: " + strings.Join(all, "; ")
	}
	name := s.Engine
	var own ownPrior
	if e, err := engines.ByName(s.Engine); err == nil {
		about, _, _ := strings.Cut(e.Engine().About(), "\n")
		name += ": " + strings.TrimSuffix(about, ".")
		own, _ = e.Engine().(ownPrior)
	}
	facts := []report.Fact{{Name: "Data", Text: s.config.Data + ": " + s.data()},
		{Name: "Model", Text: model}, {Name: "Engine", Text: name}}
	prior := s.config.Prior
	switch {
	case own != nil:
		prior = own.DescribePrior(float64(s.EdgesPerNode))
	case prior == "er":
		prior = fmt.Sprintf("Erdős–Rényi, %.3g expected edges for each variable",
			float64(s.EdgesPerNode))
	}
	facts = append(facts, report.Fact{Name: "Prior", Text: prior})
	if len(s.Order) > 0 {
		facts = append(facts, report.Fact{Name: "Order",
			Text: "all probabilities are conditional on one order: " + strings.Join(s.Order, ", ")})
	}
	if n := len(p.Draws); n > 0 {
		facts = append(facts, report.Fact{Name: "Graphs",
			Text: fmt.Sprintf("%d %s with their parameters in %s", n, p.Kind, particlesFile)})
	}
	return facts
}

// A converging engine has a sentence about the convergence of its results.
type converging interface{ Convergence() string }

// An engine with an ownPrior has a prior in place of that of the problem.
type ownPrior interface {
	// DescribePrior names the prior for expected edges per variable.
	DescribePrior(edgesPerNode float64) string
}

// convergence says whether the computation has reached its target.
func (s *storedSummary) convergence() report.Convergence {
	c := report.Convergence{}
	switch {
	case s.Diagnostics.Chains != nil:
		c.Text = "Markov chains: " + s.Diagnostics.Chains.String() + "."
		add := func(name string, q quantity) {
			c.Rows = append(c.Rows, report.ConvergenceRow{Quantity: name, Mean: float64(q.Mean),
				StandardError: float64(q.StandardError), RHat: float64(q.RHat),
				ESS: float64(q.ESS)})
		}
		add("log density", s.Diagnostics.Chains.LogP)
		for _, e := range s.Diagnostics.Chains.Uncertain {
			add(e.Source+" → "+e.Target, e.quantity)
		}
	case s.Diagnostics.Training != nil:
		c.Text = s.Diagnostics.Training.convergence()
	default:
		if e, err := engines.ByName(s.Engine); err == nil {
			if e, ok := e.Engine().(converging); ok {
				c.Text = e.Convergence()
			}
		}
	}
	if len(s.Diagnostics.Checks) > 0 {
		c.Text += " Checks: " + s.Diagnostics.String() + "."
	}
	if s.Compared != nil && !math.IsNaN(float64(s.Compared.Distance)) {
		c.Text += fmt.Sprintf(" The edge probabilities of TOBAC's particles, sampled for "+
			"comparison, differ from the listed ones by %.3f on average.", s.Compared.Distance)
	}
	return c
}

// metrics explain the numbers that judge the listed probabilities.
func (s *storedSummary) metrics() []report.Metric {
	if s.Metrics == nil {
		return nil
	}
	l := s.Metrics.Listed
	if l == nil || s.config.Truth == "" {
		return nil
	}
	empty := s.Metrics.Empty
	out := []report.Metric{
		{Name: "Expected SHD", Value: fixed(l.ESHD, 2), Meaning: fmt.Sprintf("expected number of "+
			"wrong pairs (missing, extra or reversed): 0 is perfect, %s for the graph without "+
			"edges",
			fixed(empty.ESHD, 2))},
		{Name: "AUROC", Value: fixed(l.AUROC, 3), Meaning: "probability that a true edge ranks " +
			"above a pair without an edge: 1 is perfect, 0.5 is guessing"},
		{Name: "Average precision", Value: fixed(l.AveragePrecision, 3),
			Meaning: "average precision: fraction of true edges among the most probable ones, " +
				"averaged over all cut-offs: 1 is perfect"},
		{Name: "AUROC of adjacency", Value: fixed(l.SkeletonAUROC, 3),
			Meaning: "the same for pairs, ignoring directions"},
		{Name: "Brier score", Value: fixed(l.Brier, 4),
			Meaning: "mean squared difference of the probabilities from the truth: 0 is perfect"},
		{Name: "Calibration error", Value: fixed(l.CalibrationError, 3),
			Meaning: "mean distance between probabilities and the fraction of edges that are " +
				"true: 0 is perfect"},
		{Name: "Expected edges", Value: fixed(l.ExpectedEdges, 2),
			Meaning: "edges of the posterior on average"},
	}
	if e := s.Metrics.Empirical; e != nil && !math.IsNaN(float64(e.NegLLDataOnly)) {
		out = append(out, report.Metric{Name: "Held-out negative log density",
			Value: fixed(e.NegLLDataOnly, 1), Meaning: "of the held-out rows, lower is better; " +
				"without edges: " + fixed(empty.NegLLDataOnly, 1)})
	}
	return out
}
