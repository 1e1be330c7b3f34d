package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac"
	"tobac/internal/cli"
	"tobac/models"
	"tobac/sem"

	"github.com/spf13/pflag"
)

// Values of --model with special treatment.
const (
	modelAuto   = "auto"
	modelLinear = "linear"
	modelBGe    = "linear-unequal"
	modelFFN    = "ffn"
	modelBDeu   = "bdeu"
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

// activations are the choices of ffn.activation.
var activations = []models.Activation{models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu}

func joinNumbers(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// sizes is a list of positive whole numbers.
func sizes(value *[]int) pflag.Value {
	return cli.Bound(value, "N,N,...", fmt.Sprintf("whole numbers from 1 to %d, separated by commas, at most %d of them", sem.MostUnits, sem.MostLayers), func(text string) (list []int, ok bool) {
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 || n > sem.MostUnits || len(list) == sem.MostLayers {
				return nil, false
			}
			list = append(list, n)
		}
		return list, true
	})
}

// engineAuto is the value of --engine that leaves the engine open.
const engineAuto = "auto"

// engineNames are the values of --engine.
func engineNames() []string {
	names := []string{engineAuto}
	for _, e := range tobac.Engines() {
		names = append(names, e.Engine().Name())
	}
	return names
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
