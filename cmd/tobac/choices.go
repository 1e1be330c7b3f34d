package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
	"tobac/delimited"
	"tobac/models"
)

// modelName is a structural equation model on the command line.
type modelName int

const (
	modelLinear modelName = iota
	modelFFN
	modelBGe
)

// String implements fmt.Stringer.
func (m modelName) String() string { return [...]string{"linear", "ffn", "bge"}[m] }

// A modelSpec is a model other than the linear one, as files store it.
type modelSpec struct {
	Name       string `json:"name"`
	Hidden     []int  `json:"hidden,omitempty"`     // units of each hidden layer
	Activation string `json:"activation,omitempty"` // of the hidden layers
	NoBias     bool   `json:"no_bias,omitempty"`    // of all layers
}

// activations are the choices of --activation.
var activations = []models.Activation{models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu}

// gradients are the choices of --grad.
var gradients = []models.Gradient{models.Reparameterised, models.ScoreFunction, models.ScoreFunctionLOO}

// model returns the model; nil is the linear one.
func (s *modelSpec) model() (tobac.Model, error) {
	switch {
	case s == nil:
		return tobac.Linear{}, nil
	case s.Name == modelBGe.String():
		return tobac.BGe{}, nil
	case s.Name == modelFFN.String() && len(s.Hidden) > 0:
		for _, a := range activations {
			if a.String() == s.Activation {
				return tobac.FeedForward{Hidden: s.Hidden, Activation: a, NoBias: s.NoBias}, nil
			}
		}
	}
	return nil, fmt.Errorf("unknown model %+v", *s)
}

// String describes the model to a reader.
func (s *modelSpec) String() string {
	switch {
	case s == nil:
		return modelLinear.String()
	case s.Name == modelFFN.String():
		text := fmt.Sprintf("%s, hidden units %s, %s", s.Name, joinNumbers(s.Hidden), s.Activation)
		if s.NoBias {
			text += ", no biases"
		}
		return text
	}
	return s.Name
}

func joinNumbers(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// sizes is a list of positive whole numbers.
func sizes(value *[]int) pflag.Value {
	return &bounded[[]int]{value, "N,N,...", "whole numbers from 1, separated by commas", func(text string) (list []int, ok bool) {
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 {
				return nil, false
			}
			list = append(list, n)
		}
		return list, true
	}}
}

// checkChoices finds options that have no meaning beside others.
func (o *fitOptions) checkChoices() error {
	for _, c := range []struct {
		option string
		wrong  bool
		beside string
		reason string
	}{
		{"hidden", o.model != modelFFN, "--model " + o.model.String(), "only --model ffn has hidden layers"},
		{"activation", o.model != modelFFN, "--model " + o.model.String(), "only --model ffn has hidden layers"},
		{"bias", o.model != modelFFN, "--model " + o.model.String(), "only --model ffn has biases"},
		{"penalty-rate", o.method != tobac.DiBS, "--method " + o.method.String(), "only --method dibs has a penalty of cycles"},
		{"noise-variance", o.model == modelBGe, "--model bge", "the score integrates the noise variance out"},
		{"order", o.method == tobac.DiBS, "--method dibs", "it needs no order"},
		{"orders", o.method == tobac.DiBS, "--method dibs", "it needs no order"},
		{"order-weights", o.method == tobac.DiBS, "--method dibs", "it needs no order"},
		{"order-weights", !o.given("orders"), "a single order", "--orders N asks for several"},
		{"order-weights", o.orderWeights == tobac.EvidenceWeights && o.model == modelFFN, "--model ffn", "networks have no marginal likelihood in closed form"},
		{"checkpoint-every", o.checkpoint == "", "a run without checkpoints", "--checkpoint FILE asks for them"},
		{"edges-per-node", o.prior != priorER && o.prior != "", "--prior " + o.prior, "only --prior er has expected edges"},
	} {
		if c.wrong && o.given(c.option) {
			return usagef("--%s contradicts %s: %s", c.option, c.beside, c.reason)
		}
	}
	if o.grad == models.ScoreFunctionLOO && o.given("grad") && o.samples < 2 {
		return usagef("--grad score-loo contradicts --samples %d: it leaves one sample out, and needs at least 2", o.samples)
	}
	return nil
}

// spec is the model that the options choose.
func (o *fitOptions) spec() *modelSpec {
	switch o.model {
	case modelFFN:
		return &modelSpec{Name: o.model.String(), Hidden: o.hidden, Activation: o.activation.String(), NoBias: !o.bias}
	case modelBGe:
		return &modelSpec{Name: o.model.String()}
	}
	return nil
}

// Priors with a name; every other value of --prior is a file.
const (
	priorER      = "er"
	priorSF      = "sf"
	priorUniform = "uniform"
)

// parsePrior reads the value of --prior; nil is the prior er.
func parsePrior(spec string, names []string) (models.GraphPrior, error) {
	switch spec {
	case priorER, "":
		return nil, nil
	case priorSF:
		return models.ScaleFree{}, nil
	case priorUniform:
		return models.UniformPrior{}, nil
	}
	t, err := readColumns(spec, names)
	if err != nil {
		return nil, err
	}
	p, err := edgeProbabilities(t, names)
	if err != nil {
		return nil, &locatedError{spec, err}
	}
	return p, nil
}

// edgeProbabilities makes a prior of a table with the given columns in any
// sequence, whose rows follow the sequence of its columns.
func edgeProbabilities(t *dataset.Table, names []string) (models.GraphPrior, error) {
	n, d := t.X.Dims()
	if n != d {
		return nil, fmt.Errorf("got %d rows of %d columns, want a row for each column: entry (i, j) is the probability of the edge from i to j", n, d)
	}
	position := make(map[string]int, d)
	for j, name := range t.Names {
		position[name] = j
	}
	p := mat.NewDense(d, d, nil)
	for a, from := range names {
		for b, to := range names {
			v := t.X.At(position[from], position[to])
			if a != b && !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("probability of the edge %s -> %s is %v; allowed: numbers from 0 to 1", delimited.Excerpt(from), delimited.Excerpt(to), v)
			}
			p.Set(a, b, v)
		}
	}
	return models.NewEdgePrior(p)
}

// readColumns reads a table that has the named columns, in any sequence, and no
// others.
func readColumns(path string, names []string) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, err := t.Select(names); err != nil {
		return nil, &locatedError{path, err}
	}
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	for _, name := range t.Names {
		if !known[name] {
			return nil, fmt.Errorf("%s: unknown column %s; allowed: %s", path, delimited.Excerpt(name), delimited.Excerpts(names))
		}
	}
	return t, nil
}

// readInterventions reads which values of a table were set by intervention: 1
// where one was, 0 elsewhere, columns matched by name.
func readInterventions(path string, data *dataset.Table) (*dataset.Table, error) {
	t, err := readColumns(path, data.Names)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(data.Names); err != nil {
		return nil, &locatedError{path, err}
	}
	want, _ := data.X.Dims()
	n, d := t.X.Dims()
	if n != want {
		return nil, fmt.Errorf("%s: got %d rows, want %d like the data", path, n, want)
	}
	for i := range n {
		for j := range d {
			if v := t.X.At(i, j); v != 0 && v != 1 {
				return nil, fmt.Errorf("%s: row %d, column %s is %v; allowed: 1 where the value was set by intervention, 0 elsewhere", path, i+1, delimited.Excerpt(t.Names[j]), v)
			}
		}
	}
	return t, nil
}
