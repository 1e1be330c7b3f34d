package main

import (
	"fmt"
	"slices"

	"tobac"
	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/engines"
	"tobac/internal/exact"
	"tobac/internal/recipes"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// configure applies the options and settings to the recipe, for a table with the given columns.
func (o *fitOptions) configure(names []string) (c tobac.Config, err error) {
	if c, err = o.base(); err != nil {
		return c, err
	}
	if err := o.setGiven(topics(&c)...); err != nil {
		return c, err
	}
	c.Seed, c.Workers = o.seed, o.workers
	if c.Model, err = o.configured(c.Model); err != nil {
		return c, err
	}
	if err := o.setPrior(&c.Prior, names); err != nil {
		return c, err
	}
	if !o.recipeOrder() {
		if err := setOrder(&c.Order, o.order, names); err != nil {
			return c, err
		}
	}
	if err := checkKnowledge(&c.Prior, names, c.Order.Known); err != nil {
		return c, err
	}
	if err := o.setEngine(&c, names); err != nil {
		return c, err
	}
	if c, err = c.WithDefaults(len(names)); err != nil {
		switch {
		case o.given("prior.edges-per-node"):
			err = cli.Located("prior.edges-per-node", err)
		case o.given("engine"):
			err = cli.Located("--engine "+o.engine, err)
		}
		return c, cli.WrongUse(err)
	}
	return c, nil
}

// setGiven gives the settings of topics that are given their values.
func (o *fitOptions) setGiven(all ...cli.Topic) (err error) {
	for _, t := range all {
		t.Settings.VisitAll(func(flag *pflag.Flag) {
			if given := o.command.Lookup(t.Name + "." + flag.Name); given != nil && given.Changed &&
				err == nil {
				values := cli.Texts(given)
				err = flag.Value.Set(values[len(values)-1])
			}
		})
	}
	return err
}

// givenOf reports whether a setting of a topic is given.
func (o *fitOptions) givenOf(topic string) (given bool) {
	o.command.Settings.VisitAll(func(flag *pflag.Flag) {
		given = given || flag.Changed && cli.TopicOf(flag.Name) == topic
	})
	return given
}

// setEngine gives the engine of a configuration the settings that are given. An engine that is left
// open is the one that the configuration has by default.
func (o *fitOptions) setEngine(c *tobac.Config, names []string) (err error) {
	d := len(names)
	if o.given("ffn.output-layer") && o.model == modelFFN && c.Engine == nil {
		c.Engine = &stein.SVGD{} // which alone reads it
	}
	if c.Engine == nil {
		_, chosen, why, err := c.Problem(&dataset.Table{Names: names})
		if err != nil {
			return nil // it comes again
		}
		o.why = why
		if !o.givenOf(chosen.Engine().Name()) && o.model != modelBGe {
			return nil
		}
		if c.Engine, err = engines.ByName(chosen.Engine().Name()); err != nil {
			return err
		}
	}
	if s := particleSettings(c.Engine); s != nil {
		if o.given("svgd.alpha-rate") || o.given("dibs.alpha-rate") {
			s.Alpha = nil // of the recipe
		}
		if o.given("svgd.alpha-schedule") || o.given("dibs.alpha-schedule") {
			s.AlphaRate = 0 // of the recipe
		}
		if o.model == modelBGe && o.recipe != recipeCalibrated {
			s.Gradient = models.ScoreFunction
		}
	}
	if err := o.setGiven(topics(c, c.Engine)[0]); err != nil {
		return err
	}
	if s, ok := c.Engine.(*stein.SVGD); ok && o.givenOf("mcmc") && d > exact.Affordable {
		chains := &markov.MCMC{}
		s.OrderEngine, err = chains, o.setGiven(topics(c, chains)[0])
	}
	return err
}

// base is the configuration to start from.
func (o *fitOptions) base() (c tobac.Config, err error) {
	switch o.recipe {
	case recipePaper:
		c = tobac.Paper()
		switch {
		case o.engine == "bcd":
			c = recipes.PaperBCD()
		case o.engine == "gflownet":
			c = recipes.PaperGFlowNet()
		case o.model == modelBGe:
			c = recipes.PaperMarginal()
		}
		if o.engine == "dibs" {
			c.Order, c.Engine = engine.Order{}, &stein.DiBS{SVGD: *particleSettings(c.Engine)}
		}
	case recipeCalibrated:
		m, err := o.configured(nil)
		if err != nil {
			return c, err
		}
		c = tobac.Calibrated(m)
	}
	if o.engine != engines.Auto && (c.Engine == nil || c.Engine.Engine().Name() != o.engine) {
		c.Engine, err = engines.ByName(o.engine)
	}
	return c, err
}

// recipeOrder reports whether the recipe decides the order.
func (o *fitOptions) recipeOrder() bool { return o.recipe != recipeDefault && !o.given("order") }

// configured is the model that the options choose, with the settings that are given. m is that of
// the recipe.
func (o *fitOptions) configured(m sem.Model) (sem.Model, error) {
	switch {
	case o.model == modelFFN && o.recipe == recipePaper:
		m = sem.FeedForward{NoiseVariance: 0.1, Raw: true}
	case o.model == modelFFN && o.recipe == recipeCalibrated:
		m = sem.FeedForward{Output: models.IntegratedOutput}
	case o.model != modelAuto && (m == nil || modelName(m) != o.model):
		all := sem.Models()
		m = all[slices.IndexFunc(all, func(n sem.Named) bool { return n.Name == o.model })].Model
	case m == nil:
		return nil, nil
	}
	m, settings := sem.Settings(m)
	return m, o.setGiven(cli.NewTopic(modelName(m), cli.GroupModels, "",
		librarySettings(settings)))
}

// setOrder reads the value of --order.
func setOrder(o *engine.Order, spec string, names []string) error {
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
			return cli.Located(o.prior, err)
		}
	}
	if (p.Kind != background.Sparse || p.Probabilities != nil) && !o.given("prior.edges-per-node") {
		p.EdgesPerNode = 0 // of the recipe
	}
	return o.knowledge.apply(p, names)
}

// edgeProbabilities are those of a table with the given columns in any
// sequence, whose rows follow the sequence of its columns.
func edgeProbabilities(t *dataset.Table, names []string) (*mat.Dense, error) {
	n, d := t.X.Dims()
	if n != d {
		return nil, fmt.Errorf("got %d rows of %d columns, want a row for each column: entry (i, "+
			"j) is the probability of the edge from i to j", n, d)
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
				return nil, fmt.Errorf("probability of the edge %s -> %s is %v; allowed: numbers "+
					"from 0 to 1", delimited.Excerpt(from), delimited.Excerpt(to), v)
			}
			p.Set(a, b, v)
		}
	}
	return p, nil
}
