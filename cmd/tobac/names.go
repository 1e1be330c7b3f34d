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

const (
	modelAuto modelName = iota
	modelLinear
	modelBGe
	modelNonGaussian
	modelAdditive
	modelGP
	modelFFN
)

const (
	besideAuto besideName = iota
	besideNone
	besideSVGD
)

// modelName is a structural equation model on the command line.
type modelName int

// String implements fmt.Stringer.
func (m modelName) String() string {
	return [...]string{"auto", "linear", "linear-unequal", "linear-nongaussian", "additive", "gp", "ffn"}[m]
}

// modelNames are the names of the models.
var modelNames = []modelName{modelAuto, modelLinear, modelBGe, modelNonGaussian, modelAdditive, modelGP, modelFFN}

// modelChoice is the flag --model, for which bge is another name of linear-unequal.
func modelChoice(m *modelName) pflag.Value {
	var names []string
	for _, n := range modelNames {
		names = append(names, n.String())
	}
	return cli.Bound(m, strings.Join(names, "|"), "auto, linear, linear-unequal (or bge), linear-nongaussian, additive, gp, ffn", func(text string) (modelName, bool) {
		if text == "bge" {
			return modelBGe, true
		}
		k := slices.Index(names, text)
		return modelNames[max(0, k)], k >= 0
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
		names = append(names, e.Name())
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
