package main

import (
	"fmt"
	"slices"

	"tobac"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/table"
	"tobac/sem"
	"tobac/setting"

	"github.com/spf13/pflag"
)

// librarySettings makes flags of settings of the library, without those that are left out.
func librarySettings(all []*setting.Setting, leftOut ...string) *pflag.FlagSet {
	f := cli.NewSettings()
	for _, s := range all {
		if !slices.Contains(leftOut, s.Name) {
			f.Var(s, s.Name, s.Usage)
			cli.DefaultText(f, s.Name, s.Default)
		}
	}
	return f
}

// topics are engines, the prior and the order, with the settings that they have.
func topics(c *tobac.Config, engines ...engine.Settings) (all []cli.Topic) {
	for _, s := range engines {
		e := s.Engine()
		all = append(all,
			cli.NewTopic(e.Name(), cli.GroupEngines, e.About(), librarySettings(e.Settings())))
	}
	order := cli.NewSettings()
	for k, s := range c.Order.Settings() {
		name := []string{"count", "weights"}[k]
		order.Var(s, name, s.Usage)
		cli.DefaultText(order, name, s.Default)
	}
	return append(all,
		cli.NewTopic("prior", cli.GroupOthers, priorHelp,
			librarySettings(c.Prior.Settings(), "prior")),
		cli.NewTopic("order", cli.GroupOthers, orderHelp, order),
	)
}

// topics are those of tobac fit: of the library, and of the command.
func (o *fitOptions) topics() []cli.Topic {
	all := topics(&o.config, engines.All()...)
	for _, t := range all {
		switch t.Name {
		case "svgd":
			t.Settings.Var(cli.Choice(&o.recipe, recipeDefault, recipePaper, recipeCalibrated),
				"recipe", recipeUsage)
		case "dibs", "bcd", "gflownet":
			t.Settings.Var(cli.Choice(&o.recipe, recipeDefault, recipePaper), "recipe", recipeUsage)
		}
	}
	imputation, checkpoints, results := cli.NewSettings(), cli.NewSettings(), cli.NewSettings()
	imputation.Var(cli.WholeNumber(&o.imputations, 2, 1000), "tables", "completed tables")
	cli.DefaultText(imputation, "tables", fmt.Sprint(defaultImputations))
	imputation.Var(cli.WholeNumber(&o.imputationRounds, 0, 1000), "rounds", "times that missing "+
		"values are drawn again given the causal model, and the tables fitted again")
	cli.DefaultText(imputation, "rounds", "3 with the engine exact and at most 12 columns, else 0")
	checkpoints.Var(cli.WholeNumber(&o.checkpointEvery, 1, cli.MostSteps), "every",
		"steps between two checkpoints")
	results.Var(formatList(&o.formats), "formats",
		"formats of other programs for the consensus graph, and npz for all matrices")
	cli.DefaultText(results, "formats", "none")
	cli.Toggle(results, &o.report, "report", "whether report.html and the figures are written")
	results.Var(cli.WholeNumber(&o.effectColumns, 1, cli.MostSteps), "effects",
		"most columns with which the total effects between all pairs are computed")
	data := o.table.topic()
	data.Settings.Var(cli.Choice(&o.transform, table.Transforms()...), "transform",
		"function applied to every column first")
	cli.DefaultText(data.Settings, "transform", "log where the data support it, else none")
	data.Settings.Var(cli.Choice(&o.outliers, table.DoubtfulDrop, table.DoubtfulKeep), "outliers",
		"what to do, where no model, order or engine is asked for, about rows with values far out "+
			"that fit no relation, as errors of recording do")
	cli.Toggle(data.Settings, &o.center, "center",
		"whether columns are shifted to mean 0 (not by default)")
	cli.Toggle(data.Settings, &o.standardize, "standardize",
		"whether columns are scaled to mean 0 and variance 1")
	cli.DefaultText(data.Settings, "standardize",
		"false; true for the embedded data with the recipe paper")
	cli.Mark(checkpoints, cli.MarkOutside, "every")
	cli.Mark(checkpoints, cli.MarkAnytime, "every")
	cli.Mark(results, cli.MarkOutside, "report")
	cli.Mark(results, cli.MarkAnytime, "report")
	for _, m := range sem.Models() {
		_, settings := sem.Settings(m.Model)
		all = append(all,
			cli.NewTopic(m.Name, cli.GroupModels, m.About, librarySettings(settings)))
	}
	return append(all,
		data,
		cli.NewTopic("imputation", cli.GroupOthers, imputationHelp, imputation),
		o.knowledge.topic(true),
		cli.NewTopic("report", cli.GroupOthers, reportHelp, cli.NewSettings()),
		cli.NewTopic("results", cli.GroupOthers, resultsHelp, results),
		cli.NewTopic("checkpoint", cli.GroupOthers, checkpointHelp, checkpoints),
		cli.NewTopic("config", cli.GroupOthers, configHelp, cli.NewSettings()),
		cli.NewTopic("recipes", cli.GroupOthers, recipesHelp, cli.NewSettings()),
	)
}

// How engine and model are chosen.
const (
	engineChoice = `auto takes tempering for networks with one hidden layer of at most 50 columns, svgd with the
last layer integrated out for networks with several, and of the others the first that the
model, the order and the number of columns allow.`
	modelChoices = `auto takes the model of greatest evidence but ffn, unless its noise depends on the causes: then
directions rest on conditional independences, and a warning says so. Where all numbers are
positive and the data support it, columns are replaced by their logarithms
(--set data.transform=none keeps the numbers). Columns need no centring or scaling: every
equation has an intercept.`
)

var overviews = map[string]string{cli.GroupEngines: engineChoice, cli.GroupModels: modelChoices}
