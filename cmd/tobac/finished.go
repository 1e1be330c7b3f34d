package main

import (
	"tobac"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/explain"
	"tobac/internal/graphfile"
	"tobac/internal/impute"
	"tobac/internal/report"
	"tobac/posterior"
)

// A result is a finished fit.
type result struct {
	*tobac.Result
	particles *tobac.Result // that it is compared with; nil means none
	summary   summary
	page      *report.Report // nil means none was asked for
	warned    []string       // warnings that the user has seen

	answers
	verdict explain.Verdict
	command *cli.CommandLine   // that made it
	folder  string             // where paths in its files begin; "" means they are absolute
	imputed *impute.Completed  // nil means no value was missing
	formats []graphfile.Format // of results.formats
	train   *dataset.Table     // that was fitted; nil where it was completed or scaled
	// effectColumns is results.effects; 0 means its default.
	effectColumns int
	details       bool // all figures are printed
}

// answers are what a result says of interventions.
type answers struct {
	// draws with what effects are computed from; nil means those of the result have it
	functions *posterior.Posterior

	effects   []effects.Effect // strongest first; nil means the draws have no parameters
	contrasts []*curve         // of columns of which one has levels without an order
	known     bool             // whether their standard deviations are
	worth     string           // how many draws they rest on
}
