package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tobac"
	"tobac/background"
	"tobac/internal/cli"
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
	if m, ok := s.Config.fit.Model.(sem.BGe); ok && !m.Raw && particlesListed(r.Result) {
		model = sem.Describe(m.String()) + " on columns scaled to variance 1"
	} else if particlesListed(r.Result) {
		model += onScale(s.Model)
	}
	model += reasonText(s.Reason)
	if !forOrders {
		model += r.evidences()
	}
	cli.PrintField(w, "model", model)
	cli.PrintField(w, "engine", r.describeEngine())
	if s.Diagnostics.Chains != nil {
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
		cli.PrintField(w, "orders", "drawn from their posterior under "+supported(r.Evidence)+r.evidences())
	default:
		cli.PrintField(w, "orders", strings.TrimSuffix("drawn from their posterior under the model asked for, "+r.Sum, ", "))
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

// transformed says what was done to every column.
func transformed(transform string) string {
	if transform == "log" {
		return "logarithms"
	}
	return strings.ReplaceAll(transform, "-", " ")
}

// reasonText is the reason for a model after its description.
func reasonText(reason string) string {
	switch {
	case reason == "":
		return ""
	case strings.HasPrefix(reason, "which "):
		return ", " + reason
	}
	return ": " + reason
}

// evidenceText lists what the data say about each model that was compared, in lines of their own.
func evidenceText(all []evidence) string {
	if len(all) < 2 {
		return ""
	}
	text, note := "", "log evidence"
	for _, e := range all {
		if math.IsNaN(float64(e.Log)) {
			text += fmt.Sprintf("\n- %s: left out, %s", sem.Describe(e.Model), e.Note)
			continue
		}
		if e.Note != "" {
			note = e.Note // the same for all
		}
		text += fmt.Sprintf("\n- %s: %.1f nats", sem.Describe(e.Model), e.Log)
	}
	return "\n" + note + ":" + text
}

// modelReason says why the model of a result was taken; "" if the options leave no
// choice.
func modelReason(asked tobac.Config, r *tobac.Result) string {
	best, why := bestModel(r.Evidence)
	switch {
	case asked.Model != nil:
		return r.Reason
	case len(r.Evidence) < 2:
		return ""
	case particlesListed(r) && best.Model != r.Model:
		return fmt.Sprintf("svgd's form of %s, %s", sem.Describe(best.Model), why)
	}
	return why
}

// supported is the model that the data support, with how much they do.
func supported(all []sem.Evidence) string {
	best, why := bestModel(all)
	return fmt.Sprintf("the model %s, %s", sem.Describe(best.Model), why)
}

// bestModel is the one of greatest evidence, and how far ahead it is.
func bestModel(all []sem.Evidence) (best sem.Evidence, why string) {
	best, next := sem.BestTwo(all)
	if math.IsInf(next.Log, -1) {
		return best, "the others are left out"
	}
	return best, fmt.Sprintf("which the data support by %.1f nats against %s", best.Log-next.Log, sem.Describe(next.Model))
}

// closeModels is the warning that the data hardly tell two models apart: odds below
// twenty to one.
func closeModels(all []sem.Evidence) string {
	best, next := sem.BestTwo(all)
	if math.IsInf(next.Log, -1) || best.Log-next.Log > math.Log(20) {
		return ""
	}
	return fmt.Sprintf("the data hardly tell two models apart, %s and %s (%.1f nats): compare their results", sem.Describe(best.Model), sem.Describe(next.Model), best.Log-next.Log)
}

// particlesListed reports whether the particles of SVGD are what is reported.
func particlesListed(r *tobac.Result) bool { return particleSettings(r.Config.Engine) != nil }

// onScale says on which scale particles were sampled.
func onScale(model string) string {
	if scaled(model) {
		return " on columns scaled to variance 1"
	}
	return ""
}

// scaled reports whether SVGD samples a model with a noise variance for each equation, on
// columns scaled to variance 1.
func scaled(model string) bool {
	return strings.HasPrefix(model, "linear unequal") || strings.HasPrefix(model, "ffn") && !strings.Contains(model, "noise-variance")
}

// describePrior says what graphs were probable before.
func (r *result) describePrior() string {
	s, c := &r.summary, &r.Config
	var text string
	switch {
	case s.Engine == "bcd":
		text = fmt.Sprintf("horseshoe on the weights, scaled for %.3g edges per node; every order is equally probable", s.EdgesPerNode)
	case c.Prior.Probabilities != nil:
		text = "edge probabilities in " + s.Config.Prior
	case c.Prior.Kind == background.Sparse:
		text = fmt.Sprintf("Erdős–Rényi, %.3g edges per node, that is %.3g expected edges", s.EdgesPerNode, float64(s.EdgesPerNode)*float64(s.Config.Variables))
		if c.Prior.EdgesPerNode == 0 && len(s.Evidence) > 0 {
			text += ", inferred"
		}
	default:
		text = map[background.Kind]string{background.Fair: "fair: every number of parents is equally probable", background.ScaleFree: "scale-free", background.Uniform: "uniform: every graph is equally probable"}[c.Prior.Kind]
	}
	if n := len(c.Prior.Forbidden); n > 0 {
		text += fmt.Sprintf("; %s forbidden", cli.Counted(n, "edge"))
	}
	if n := len(c.Prior.Required); n > 0 {
		text += fmt.Sprintf("; %s required", cli.Counted(n, "edge"))
	}
	if c.Prior.Tiers != nil {
		text += "; no edge to an earlier tier"
	}
	if n := len(c.Prior.Sinks); n > 0 {
		text += fmt.Sprintf("; %s", cli.Counted(n, "sink"))
	}
	if n := len(c.Prior.Sources); n > 0 {
		text += fmt.Sprintf("; %s", cli.Counted(n, "source"))
	}
	if n := len(c.Prior.Odds); n > 0 {
		text += fmt.Sprintf("; other odds of %s", cli.Counted(n, "edge"))
	}
	if n := c.Prior.MaxParents; n > 0 {
		text += fmt.Sprintf("; at most %s of each variable", cli.Counted(n, "parent"))
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
