package main

import (
	"math"
	"slices"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/stein"
	"tobac/internal/cli"
	"tobac/internal/impute"
	"tobac/internal/table"
	"tobac/posterior"
)

// A job is a fit whose inputs have been read and checked.
type job struct {
	input   inputConfig
	fit     tobac.Config
	train   *dataset.Table             // transformed and scaled
	heldout *dataset.Table             // transformed; nil means none
	scaling *posterior.Standardization // nil means not standardised
	truth   *dag.Graph                 // nil means unknown
	table   *table.Prepared            // what the file held; nil means the embedded data
	// warnings are about files that were read.
	warnings []string

	gapped *gapped // the training rows, if values are missing; nil means none are

	why        string           // the engine was chosen; "" means that it was asked for
	beside     bool             // particles of SVGD are compared with the answer
	particles  *stein.SVGD      // that are; nil without any
	quiet      bool             // no progress is shown
	checkpoint string           // file for the state of the run; "" means none
	every      int              // steps between two checkpoints
	resume     *checkpoint      // to continue from; nil means none
	resumeFrom string           // its file
	command    *cli.CommandLine // that the run belongs to

	unkept error // why the last checkpoint could not be written; nil means it was
}

// ones are the standard deviations of a scale that only shifts.
func ones(d int) []float64 {
	all := make([]float64, d)
	for j := range all {
		all[j] = 1
	}
	return all
}

// compose is the scale of data that were scaled by first, then by second; either
// may be nil.
func compose(first, second *posterior.Standardization) *posterior.Standardization {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	out := &posterior.Standardization{}
	for k := range first.Mean {
		out.Mean = append(out.Mean, first.Mean[k]+first.SD[k]*second.Mean[k])
		out.SD = append(out.SD, first.SD[k]*second.SD[k])
	}
	return out
}

// defaultImputations is how many times a table with gaps is completed.
const defaultImputations = 10

// A gapped table is one with missing values, which are NaN in X, and how they are to be completed.
type gapped struct {
	*dataset.Table
	count       int     // completed tables
	rounds      int     // of tobac.Imputed
	together    [][]int // columns that are missing together
	limits      []dataset.Limit
	standardize bool
	center      bool
	warnings    []string
	completed   *impute.Completed // once the run has begun
}

// hasGaps reports whether a value of a table is missing.
func hasGaps(t *dataset.Table) bool {
	n, _ := t.X.Dims()
	for i := range n {
		if slices.ContainsFunc(t.X.RawRowView(i), math.IsNaN) {
			return true
		}
	}
	return false
}

// inputConfig is what a run was given besides the settings of the library.
type inputConfig struct {
	Data string `json:"data"`
	// of the training rows, as they were analysed; "" means values were missing
	Digest       string `json:"data_digest,omitempty"`
	TrainingRows int    `json:"training_rows"`
	HeldoutRows  int    `json:"heldout_rows"`
	Variables    int    `json:"variables"`
	Transform    string `json:"transform"`
	Center       bool   `json:"center,omitempty"`
	Standardize  bool   `json:"standardize"`
	// fraction of the rows held out; 0 means none
	Holdout       float64 `json:"holdout"`
	Heldout       string  `json:"heldout"`                 // file of held-out rows; "" means none
	Truth         string  `json:"truth"`                   // file of the true graph; "" means none
	Interventions string  `json:"interventions,omitempty"` // file
	// completed tables; 0 means no value was missing
	Imputations int    `json:"imputations,omitempty"`
	Recipe      string `json:"recipe"`
	Engine      string `json:"engine"` // as on the command line
	Order       string `json:"order"`  // as on the command line
	Prior       string `json:"prior"`  // as on the command line
	// file of statements, which the summary lists; "" means none
	Knowledge string `json:"-"`
	// Table are the options for the table that were given, and Notes what was left out and coded.
	Table string   `json:"table,omitempty"`
	Notes []string `json:"notes,omitempty"`
}
