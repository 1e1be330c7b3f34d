package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/background"
	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/table"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
)

// modelName is a structural equation model on the command line.
type modelName int

const (
	modelAuto modelName = iota
	modelLinear
	modelBGe
	modelNonGaussian
	modelAdditive
	modelGP
	modelFFN
)

// String implements fmt.Stringer.
func (m modelName) String() string {
	return [...]string{"auto", "linear", "linear-unequal", "linear-nongaussian", "additive", "gp", "ffn"}[m]
}

// modelChoice is the flag --model, for which bge is another name of linear-unequal.
func modelChoice(m *modelName) pflag.Value {
	b := choice(m, modelAuto, modelLinear, modelBGe, modelNonGaussian, modelAdditive, modelGP, modelFFN).(*bounded[modelName])
	b.allowed = "auto, linear, linear-unequal (or bge), linear-nongaussian, additive, gp, ffn"
	named := b.parse
	b.parse = func(text string) (modelName, bool) {
		if text == "bge" {
			return modelBGe, true
		}
		return named(text)
	}
	return b
}

// activations are the choices of --activation.
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
	return &bounded[[]int]{value, "N,N,...", fmt.Sprintf("whole numbers from 1 to %d, separated by commas, at most %d of them", sem.MostUnits, sem.MostLayers), func(text string) (list []int, ok bool) {
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 || n > sem.MostUnits || len(list) == sem.MostLayers {
				return nil, false
			}
			list = append(list, n)
		}
		return list, true
	}}
}

// checkChoices finds options that have no meaning beside others.
func (o *fitOptions) checkChoices() error {
	ffn := o.model != modelFFN
	method := o.config.Method()
	dibs, bcd, gflownet := method == tobac.DiBS, method == tobac.BCDNets, method == tobac.DAGGFlowNet
	trained := bcd || gflownet
	by := "--method " + method.String()
	for _, c := range []struct {
		option string
		wrong  bool
		beside string
		reason string
	}{
		{"hidden", ffn, "--model " + o.model.String(), "only --model ffn has hidden layers"},
		{"activation", ffn, "--model " + o.model.String(), "only --model ffn has hidden layers"},
		{"output-layer", ffn, "--model " + o.model.String(), "only --model ffn has an output layer"},
		{"bias", ffn, "--model " + o.model.String(), "only --model ffn has biases"},
		{"penalty-rate", !dibs, "--method " + o.config.Sampler.Method.String(), "only --method dibs has an acyclicity penalty"},
		{"penalty-samples", !dibs, "--method " + o.config.Sampler.Method.String(), "only --method dibs has an acyclicity penalty"},
		{"penalty-schedule", !dibs, "--method " + o.config.Sampler.Method.String(), "only --method dibs has an acyclicity penalty"},
		{"penalty-schedule", o.given("penalty-rate"), "--penalty-rate", "the schedule takes its place"},
		{"alpha-schedule", o.given("alpha-rate"), "--alpha-rate", "the schedule takes its place"},
		{"noise-variance", o.model != modelLinear && o.model != modelFFN && o.preset != presetPaper, "--model " + o.model.String(), "only --model linear and ffn have a common noise variance that can be given"},
		{"noise-variance", o.model == modelBGe, "--model " + o.model.String(), "the score integrates the noise variances out"},
		{"order", dibs, "--method dibs", "it needs no order"},
		{"orders", dibs, "--method dibs", "it needs no order"},
		{"order-weights", dibs, "--method dibs", "it needs no order"},
		{"engine", trained && o.config.Engine != tobac.Auto && o.config.Engine.String() != method.String(), by, "it trains an engine of its own"},
		{"method", o.config.Sampler.Method == tobac.TOBAC && trained, "--engine " + o.config.Engine.String(), "it is that of the method of its name"},
		{"orders", trained, by, "it learns what orders are probable"},
		{"order-weights", trained, by, "it learns what orders are probable"},
		{"order", bcd && o.order != "posterior", by, "it learns a distribution over all orders"},
		{"interventions", bcd, by, "it takes observations alone"},
		{"prior", bcd && o.prior != background.Sparse.String(), by, "it has a horseshoe prior, of which only --edges-per-node can be set"},
		{"noise-variance", bcd, by, "it learns the noise variances"},
		{"order-weights", o.order == "posterior" && !o.paperOrder(), "--order posterior", "orders drawn from the posterior have equal weights; --order METHOD finds others"},
		{"order-weights", !o.given("orders"), "a single order", "--orders N asks for several"},
		{"order-weights", o.config.Order.Weights == tobac.EvidenceWeights && o.model == modelFFN, "--model ffn", "networks have no marginal likelihood in closed form"},
		{"checkpoint-every", o.checkpoint == "", "a run without checkpoints", "--checkpoint FILE asks for them"},
		{"report", o.out == "" && o.report, "a run without files", "--out DIR asks for them"},
		{"force", o.out == "" && o.checkpoint == "" && o.force, "a run without files", "--out DIR and --checkpoint FILE ask for them"},
		{"imputations", o.table.want.Missing != table.MissingImpute, "--missing " + o.table.want.Missing.String(), "only --missing impute completes tables"},
		{"imputation-rounds", o.table.want.Missing != table.MissingImpute, "--missing " + o.table.want.Missing.String(), "only --missing impute completes tables"},
		{"edges-per-node", o.prior != background.Sparse.String(), "--prior " + o.prior, "only --prior er has expected edges"},
	} {
		if c.wrong && o.given(c.option) {
			return usagef("--%s contradicts %s: %s", c.option, c.beside, c.reason)
		}
	}
	if s := &o.config.Sampler; s.Gradient == models.ScoreFunctionLOO && s.Samples == 1 {
		return usagef("--grad score-loo contradicts --samples 1: it leaves one sample out, and needs at least 2")
	}
	return nil
}

// configure applies the options to the preset, for a table with the given columns.
func (o *fitOptions) configure(names []string) (c tobac.Config, err error) {
	if o.preset == presetPaper {
		c = tobac.Paper()
		switch {
		case o.config.Method() == tobac.BCDNets:
			c = tobac.PaperBCD()
		case o.config.Method() == tobac.DAGGFlowNet:
			c = tobac.PaperGFlowNet()
		case o.model == modelBGe:
			c = tobac.PaperMarginal()
		}
	}
	if o.preset == presetCalibrated {
		if m := o.config.Method(); m != tobac.TOBAC {
			return c, usagef("--preset calibrated contradicts --method %v: it is a recipe of the method tobac", m)
		}
		if o.given("engine") && o.config.Engine != tobac.SVGD {
			return c, usagef("--preset calibrated contradicts --engine %v: it is a recipe of the engine svgd", o.config.Engine)
		}
		c = tobac.Calibrated(o.configured(nil))
	}
	options := map[string]string{}
	for _, s := range o.config.Settings() {
		if o.given(s.Name) {
			options[s.Name] = s.String()
		}
	}
	for _, s := range c.Settings() {
		if text, ok := options[s.Name]; ok && s.Name != "prior" {
			if err := s.Set(text); err != nil {
				return c, &usageError{&locatedError{"--" + s.Name, err}}
			}
		}
	}
	if o.given("alpha-rate") {
		c.Sampler.Alpha = nil // of the preset
	}
	if o.given("alpha-schedule") {
		c.Sampler.AlphaRate = 0 // of the preset
	}
	c.Seed, c.Workers = o.seed, o.workers
	c.Model = o.configured(c.Model)
	if o.given("output-layer") && c.Engine == tobac.Auto {
		c.Engine = tobac.SVGD // which alone reads it
	}
	if err := o.setPrior(&c.Prior, names); err != nil {
		return c, err
	}
	if !o.paperOrder() {
		if err := setOrder(&c.Order, o.order, names); err != nil {
			return c, err
		}
	}
	if err := checkKnowledge(&c.Prior, names, c.Order.Known); err != nil {
		return c, err
	}
	if c.Sampler.Method == tobac.DiBS {
		c.Order = tobac.Order{}
	}
	svgd := c.Engine == tobac.SVGD || c.Sampler.Method == tobac.DiBS || c.Engine == tobac.Auto && c.Order.Method != nil
	if svgd && o.model == modelBGe && !o.given("grad") && o.preset != presetCalibrated {
		c.Sampler.Gradient = models.ScoreFunction
	}
	if c.Order.Known != nil && c.Order.Count > 0 {
		return c, usagef("--orders contradicts --order %s: a known order leaves none to find in resamples", o.order)
	}
	if c, err = c.WithDefaults(len(names)); err != nil {
		switch {
		case o.given("edges-per-node"):
			err = &locatedError{"--edges-per-node", err}
		case o.given("engine"):
			err = &locatedError{"--engine " + c.Engine.String(), err}
		case o.preset != presetDefault:
			err = &locatedError{"--preset " + o.preset.String(), err}
		}
		return c, &usageError{err}
	}
	return c, nil
}

// paperOrder reports whether the order is that of the preset.
func (o *fitOptions) paperOrder() bool { return o.preset != presetDefault && !o.given("order") }

// configured is the model that the options choose, given that of the preset.
func (o *fitOptions) configured(m sem.Model) sem.Model {
	switch o.model {
	case modelFFN:
		f := sem.FeedForward{Activation: o.activation, NoBias: !o.bias, NoiseVariance: o.noiseVariance, Output: o.output}
		if o.preset == presetCalibrated && !o.given("output-layer") {
			f.Output = models.IntegratedOutput
		}
		if o.preset == presetPaper && o.noiseVariance == 0 {
			f.NoiseVariance = 0.1
		}
		f.Raw = o.preset == presetPaper
		if o.given("hidden") {
			f.Hidden = o.hidden
		}
		return f
	case modelBGe:
		if m, ok := m.(sem.BGe); ok {
			return m
		}
		return sem.BGe{}
	case modelNonGaussian:
		return sem.NonGaussian{}
	case modelAdditive:
		return sem.Additive{}
	case modelGP:
		return sem.GaussianProcess{}
	case modelLinear:
		if m == nil {
			m = sem.Linear{}
		}
	}
	if l, ok := m.(sem.Linear); ok && o.noiseVariance != 0 {
		l.NoiseVariance = o.noiseVariance
		return l
	}
	return m
}

// setOrder reads the value of --order.
func setOrder(o *tobac.Order, spec string, names []string) error {
	if spec == "posterior" {
		o.Method = nil
		return nil
	}
	found, err := parseOrder(spec, names)
	if err != nil {
		return err
	}
	if known, ok := found.(ordering.Fixed); ok {
		o.Known, o.Method = known, nil
		return nil
	}
	o.Method = found
	return nil
}

// setPrior reads the value of --prior, a name or a file, and the statements about
// single edges.
func (o *fitOptions) setPrior(p *background.Prior, names []string) error {
	kind := p.Settings()[0]
	if err := kind.Set(o.prior); err != nil {
		t, err := readColumns(o.prior, names)
		if err != nil {
			return err
		}
		if p.Probabilities, err = edgeProbabilities(t, names); err != nil {
			return &locatedError{o.prior, err}
		}
	}
	if p.Kind != background.Sparse || p.Probabilities != nil {
		p.EdgesPerNode = 0
	}
	return o.knowledge.apply(p, names)
}

// edgeProbabilities are those of a table with the given columns in any
// sequence, whose rows follow the sequence of its columns.
func edgeProbabilities(t *dataset.Table, names []string) (*mat.Dense, error) {
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
	return p, nil
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
