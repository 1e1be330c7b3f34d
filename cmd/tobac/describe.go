package main

import (
	"fmt"
	"io"
	"strings"

	"tobac/background"
	"tobac/internal/cli"
	"tobac/internal/words"
	"tobac/sem"
)

// printRun says what was done.
func (r *result) printRun(w io.Writer) {
	s := &r.summary
	in, c := &s.Config.inputConfig, &r.Config
	data := fmt.Sprintf("%s: %d rows of %d variables", in.Data, in.TrainingRows, in.Variables)
	if in.Transform != "none" {
		data += ", " + transformed(in.Transform)
	}
	switch {
	case in.Standardize:
		data += ", standardised"
	case in.Center:
		data += ", centred"
	}
	if in.HeldoutRows > 0 {
		data += fmt.Sprintf(", %d rows held out", in.HeldoutRows)
	}
	cli.PrintField(w, "data", data)
	if in.Interventions != "" {
		cli.PrintField(w, "set", "by intervention: "+in.Interventions)
	}
	for _, note := range in.Notes {
		cli.PrintField(w, "note", note)
	}
	forOrders := particlesListed(r.Result) && s.Config.fit.Model != nil // what evidences are for
	model := sem.Describe(s.Model)
	if m := s.Config.fit.Model; m != nil && sem.TraitsOf(m).Marginal && s.Model != m.String() &&
		particlesListed(r.Result) {
		model = sem.Describe(m.String()) + " on columns scaled to variance 1"
	} else if particlesListed(r.Result) {
		model += onScale(s.Model)
	}
	if reason := reasonText(s.Reason); r.details || !strings.HasPrefix(reason, ", ") {
		model += reason // the verdict has the others
	}
	if !forOrders {
		model += r.evidences()
	}
	cli.PrintField(w, "model", model)
	cli.PrintField(w, "engine", r.describeEngine())
	if s.Diagnostics.Chains != nil && r.details {
		cli.PrintField(w, "chains", s.Diagnostics.Chains.String())
	}
	if s.Diagnostics.Training != nil {
		cli.PrintField(w, "trained", s.Diagnostics.Training.String())
	}
	if len(s.Diagnostics.Checks) > 0 {
		cli.PrintField(w, "checks", s.Diagnostics.String())
	}
	switch {
	case !forOrders || len(s.Evidence) == 0:
	case len(s.Evidence) > 1:
		cli.PrintField(w, "orders", "drawn from their posterior under "+supported(r.Evidence)+
			r.evidences())
	default:
		cli.PrintField(w, "orders",
			strings.TrimSuffix("drawn from their posterior under the model asked for, "+r.Sum,
				", "))
	}
	switch {
	case s.Orders != nil:
		s.Orders.print(w, c)
	case len(s.Order) > 0:
		cli.PrintField(w, "order", cli.JoinNames(s.Order))
	}
	cli.PrintField(w, "prior", r.describePrior())
	if s.Imputation != nil {
		cli.PrintField(w, "gaps", s.Imputation.String())
	}
	s.Knowledge.print(w)
	cli.PrintField(w, "run", fmt.Sprintf("seed %d: %.1f s", c.Seed, s.Seconds.Total))
}

// evidences are those of all models, with --details.
func (r *result) evidences() string {
	if !r.details {
		return ""
	}
	return evidenceText(r.summary.Evidence)
}

// describePrior says what graphs were probable before.
func (r *result) describePrior() string {
	s, c := &r.summary, &r.Config
	own, _ := c.Engine.Engine().(ownPrior)
	var text string
	switch {
	case own != nil:
		text = own.DescribePrior(float64(s.EdgesPerNode))
	case c.Prior.Probabilities != nil:
		text = "edge probabilities in " + s.Config.Prior
	case c.Prior.Kind == background.Sparse:
		text = fmt.Sprintf("Erdős–Rényi, %.3g expected edges (%.3g per node)",
			float64(s.EdgesPerNode)*float64(s.Config.Variables), s.EdgesPerNode)
		if c.Prior.EdgesPerNode == 0 && len(s.Evidence) > 0 {
			text += ", inferred"
		}
	default:
		text = map[background.Kind]string{background.Fair: "fair: every number of parents is " +
			"equally probable", background.ScaleFree: "scale-free",
			background.Uniform: "uniform: every graph is equally probable"}[c.Prior.Kind]
	}
	if n := len(c.Prior.Forbidden); n > 0 {
		text += fmt.Sprintf("; %s forbidden", words.Counted(n, "edge"))
	}
	if n := len(c.Prior.Required); n > 0 {
		text += fmt.Sprintf("; %s required", words.Counted(n, "edge"))
	}
	if c.Prior.Tiers != nil {
		text += "; no edge to an earlier tier"
	}
	if n := len(c.Prior.Sinks); n > 0 {
		text += fmt.Sprintf("; %s", words.Counted(n, "sink"))
	}
	if n := len(c.Prior.Sources); n > 0 {
		text += fmt.Sprintf("; %s", words.Counted(n, "source"))
	}
	if n := len(c.Prior.Odds); n > 0 {
		text += fmt.Sprintf("; other odds of %s", words.Counted(n, "edge"))
	}
	if n := c.Prior.MaxParents; n > 0 {
		text += fmt.Sprintf("; at most %s of each variable", words.Counted(n, "parent"))
	}
	return text
}

// describeEngine says what computed the listed probabilities, and why it was taken.
func (r *result) describeEngine() string {
	if r.EngineReason == "" {
		return r.Method
	}
	return r.Method + ": " + r.EngineReason
}
