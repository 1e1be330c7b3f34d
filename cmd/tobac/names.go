package main

import (
	"slices"
	"strings"

	"tobac/internal/cli"
	"tobac/sem"

	"github.com/spf13/pflag"
)

// Values of --model with special treatment.
const (
	modelAuto = "auto"
	modelBGe  = "linear-unequal"
	modelFFN  = "ffn"
)

const (
	besideAuto besideName = iota
	besideNone
	besideSVGD
)

// modelNames are the values of --model.
func modelNames() []string {
	names := []string{modelAuto}
	for _, m := range sem.Models() {
		names = append(names, m.Name)
	}
	return names
}

// modelList are the values of --model in words.
func modelList() string {
	return strings.Replace(strings.Join(modelNames(), ", "), modelBGe, modelBGe+" (or bge)", 1)
}

// modelChoice is the flag --model, for which bge is another name of linear-unequal.
func modelChoice(m *string) pflag.Value {
	names := modelNames()
	return cli.Bound(m, strings.Join(names, "|"), modelList(), func(text string) (string, bool) {
		if text == "bge" {
			return modelBGe, true
		}
		return text, slices.Contains(names, text)
	})
}

// modelName is the value of --model for a model of package sem; "" for others.
func modelName(m sem.Model) string {
	form := func(m sem.Model) string { return strings.Fields(m.String())[0] }
	for _, n := range sem.Models() {
		if form(n.Model) == form(m) {
			return n.Name
		}
	}
	return ""
}

// besideName says what a posterior is compared with.
type besideName int

// String implements fmt.Stringer.
func (b besideName) String() string { return [...]string{"auto", "none", "svgd"}[b] }

const (
	recipeDefault recipe = iota
	recipePaper
	recipeCalibrated
)

// recipe is a named configuration to start from.
type recipe int

// String implements fmt.Stringer.
func (r recipe) String() string { return [...]string{"default", "paper", "calibrated"}[r] }
