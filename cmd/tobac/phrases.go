package main

import (
	"fmt"
	"math"
	"strings"

	"tobac"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/inference"
	"tobac/sem"
)

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
	case best.Model != r.Model:
		return r.Reason
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
	best, next := inference.BestTwo(all)
	if math.IsInf(next.Log, -1) {
		return best, "the others are left out"
	}
	return best, fmt.Sprintf("which the data support by %.1f nats over %s", best.Log-next.Log,
		sem.Describe(next.Model))
}

// particlesListed reports whether the particles of SVGD are what is reported.
func particlesListed(r *tobac.Result) bool {
	_, particles := r.Config.Engine.Engine().(engine.Swarm)
	return particles
}

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
	return strings.HasPrefix(model, "linear unequal") || strings.HasPrefix(model, "ffn") &&
		!strings.Contains(model, "noise-variance")
}

// particleSettings are those that the engines svgd and dibs have in common; nil for other engines.
func particleSettings(e engine.Settings) *stein.SVGD {
	switch e := e.(type) {
	case *stein.SVGD:
		return e
	case *stein.DiBS:
		return &e.SVGD
	}
	return nil
}
