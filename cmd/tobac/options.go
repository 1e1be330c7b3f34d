package main

import (
	"runtime"

	"tobac"
	"tobac/background"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/graphfile"
	"tobac/internal/table"
)

// fitOptions are the flags of tobac fit. Those of config have the names and the
// text forms that the settings of the library have.
type fitOptions struct {
	recipe       recipe
	engine       string
	why          string       // the engine was chosen; "" means that it was asked for
	config       tobac.Config // with the settings that are given
	set          cli.Assignments
	model        string
	prior, order string // as on the command line
	knowledge    knowledge
	table        tableOptions

	interventions       string // file
	transform           table.Transform
	outliers            table.Doubtful
	center, standardize bool
	holdout             float64
	heldout, truth, out string
	checkpoint, resume  string // files
	checkpointEvery     int    // steps
	seed                uint64
	workers             int
	beside              besideName
	details             bool // in the report on the screen
	json                bool
	report              bool
	effectColumns       int
	formats             []graphfile.Format

	configFile string
	force      bool
	quiet      bool

	// on the command line, in a file of options, or in a checkpoint
	given   func(option string) bool
	command *cli.CommandLine // to repeat the run
	resumed *checkpoint      // that --resume names; nil means none

	imputationRounds int             // in which completed values are drawn again, if given
	imputations      int             // completed tables; 0 means 10
	limits           []dataset.Limit // of missing values
	// columns that are missing together, and imputed from the same row
	imputedTogether [][]int
}

// newFitOptions are the defaults.
func newFitOptions() *fitOptions {
	return &fitOptions{engine: engines.Auto, model: modelAuto, order: "posterior",
		prior: background.Sparse.String(), seed: 1, checkpointEvery: 100,
		workers: min(runtime.GOMAXPROCS(0), tobac.MostWorkers), report: true,
		effectColumns: effectColumns}
}

// effectColumns is the default of results.effects: beyond it, effects between all pairs take most
// of the time of a fit.
const effectColumns = 300
