package main

import (
	"slices"

	"tobac"
	"tobac/internal/cli"
	"tobac/internal/words"
	"tobac/metrics"
	"tobac/posterior"
	"tobac/sem"
)

// newSummary describes a result.
func newSummary(j *job, r *tobac.Result) summary {
	s := summary{Config: runConfig{j.input, j.fit, j.particles},
		Engine: r.Config.Engine.Engine().Name(), Model: r.Model, Reason: modelReason(j.fit, r),
		EdgesPerNode: metrics.Number(r.EdgesPerNode), Order: words.Of(r.Names, r.Order()),
		Warnings:    append(append([]string{}, j.warnings...), r.Warnings...),
		Diagnostics: newDiagnosticsSummary(r), Seconds: r.Seconds}
	s.Knowledge = newKnowledgeSummary(&r.Config.Prior, r.Names, j.input.Knowledge)
	for _, e := range r.Evidence {
		s.Evidence = append(s.Evidence, evidence{e.Model, metrics.Number(e.Log), e.Note})
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
