package main

import (
	"fmt"
	"slices"

	"tobac"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/table"
	"tobac/internal/words"

	"github.com/spf13/pflag"
)

// checkUnused finds a setting of a topic that plays no part in a fit of n rows and d columns.
func (o *fitOptions) checkUnused(j *job, n, d int) (err error) {
	o.command.Settings.VisitAll(func(flag *pflag.Flag) {
		if why := o.idle(cli.TopicOf(flag.Name), j, n, d); flag.Changed && err == nil && why != "" {
			err = cli.Usagef("%s has no effect: %s", flag.Name, why)
		}
	})
	return err
}

// idle says why the settings of a topic are not read; "" means they are.
func (o *fitOptions) idle(topic string, j *job, n, d int) string {
	switch topic {
	case "checkpoint":
		return unless(o.checkpoint != "", "--checkpoint FILE asks for checkpoints")
	case "imputation":
		return unless(o.table.want.Missing == table.MissingImpute,
			"--missing impute completes tables")
	case "order":
		return unless(inUse(&j.fit, j.beside, "svgd"),
			o.engineText(j, n, d)+"; --engine svgd samples under several orders")
	}
	switch used := inUse(&j.fit, j.beside, topic); {
	case slices.Contains(modelNames(), topic):
		return unless(used, "the model is "+o.model+"; --model "+topic+" takes it")
	case slices.Contains(engines.Names(), topic):
		return unless(used, o.engineText(j, n, d)+"; --engine "+topic+" takes it")
	}
	return ""
}

func unless(used bool, why string) string {
	if used {
		return ""
	}
	return why
}

// inUse reports whether an engine or a model takes part in a fit, which may be compared with
// particles beside it.
func inUse(c *tobac.Config, beside bool, topic string) bool {
	if c.Model != nil && modelName(c.Model) == topic {
		return true
	}
	return beside && topic == "svgd" || slices.Contains(engineNamesOf(c), topic)
}

// engineNamesOf are the names of the engine of a configuration, and of that which it draws orders
// by.
func engineNamesOf(c *tobac.Config) []string {
	names := []string{c.Engine.Engine().Name()}
	if orders := ordersOf(c.Engine); orders != nil {
		names = append(names, orders.Engine().Name())
	}
	return names
}

// ordersOf is the engine that draws the orders of another; nil means that none does.
func ordersOf(e engine.Settings) engine.Settings {
	if particles, ok := e.Engine().(engine.Swarm); ok {
		orders, _ := particles.Orders(new(engine.Problem))
		return orders
	}
	return nil
}

// engineText says which engine a fit has, and why.
func (o *fitOptions) engineText(j *job, n, d int) string {
	name := j.fit.Engine.Engine().Name()
	if o.given("engine") && o.engine != engines.Auto {
		return "the engine is " + name
	}
	return fmt.Sprintf("the engine is %s, which %s of %s take", name, words.Counted(n, "row"),
		words.Counted(d, "column"))
}
