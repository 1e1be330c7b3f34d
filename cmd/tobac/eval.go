package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tobac/dag"
	"tobac/dataset"
	"tobac/metrics"
)

func newEval() *cobra.Command {
	var truthPath, heldoutPath, dataPath string
	var edited bool
	cmd := &cobra.Command{
		Use:   "eval [--truth GRAPH.csv] [--heldout FILE] [--data FILE] DIR|FILE",
		Short: "Judge a posterior, of this program or another, against a graph or held-out data",
		Long: `Eval judges a posterior and prints its metrics as JSON, with the keys of
summary.json. At least one of --truth and --heldout is needed; metrics that need
the other are null.

The posterior is a folder that tobac fit --out wrote, or the result of another
program: a folder of adjacency matrices of 0 and 1, one per file, row i, column j
for i → j, which count as an equally weighted sample; or one file of edge
probabilities, either such a matrix or a list source,target,probability, in which
edges that are missing have the probability 0. Matrices are text (.csv, .tsv,
.txt), with or without a line of names and a name in front of each line, or NumPy
files (.npy). Without names their variables are X0, X1, and so on; --data FILE
names them instead: the columns of a table in the same sequence. A list knows only
the variables that it mentions; --data FILE names all of them.

metrics.listed judges the edge probabilities that a fit prints and saves,
metrics.empirical and metrics.mixture its particles or draws, with the weights
that they have and weighted by their density. log_score moves probabilities into
[0.005, 0.995], calibration_error has ten bins, skeleton_auroc ranks pairs of
variables by the probability of an edge in either direction, and cpdag_shd
compares the equivalence classes of the truth and of the median graph, which
consensus_shd judges too: all edges with a probability above 1/2.`,
		Args:                  arguments(1, 1, "one folder or file"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if truthPath == "" && heldoutPath == "" {
				return usagef("tobac eval needs --truth GRAPH.csv, --heldout FILE, or both")
			}
			var e evaluation
			err := working(cmd.ErrOrStderr(), false, "reading and judging "+args[0], func(p *progress) (err error) {
				e, err = evaluateFiles(args[0], truthPath, heldoutPath, dataPath, edited, over{p, cmd.ErrOrStderr()})
				return err
			})
			if err != nil {
				return err
			}
			return writeJSON(cmd.OutOrStdout(), e)
		},
	}
	f := cmd.Flags()
	f.Var(text(&truthPath, "GRAPH.csv"), "truth", truthUsage)
	f.Var(text(&heldoutPath, "FILE"), "heldout", heldoutUsage)
	f.Var(text(&dataPath, "FILE"), "data", "table whose columns name the variables of a result of another program")
	toggle(f, &edited, "edited", editedUsage)
	return cmd
}

// evaluateFiles judges the posterior at path; other paths may be empty.
func evaluateFiles(path, truthPath, heldoutPath, dataPath string, edited bool, stderr io.Writer) (e evaluation, err error) {
	var variables []string
	if dataPath != "" {
		t, err := dataset.ReadFile(dataPath)
		if err != nil {
			return e, err
		}
		variables = t.Names
	}
	if _, err := os.Stat(filepath.Join(path, particlesFile)); err == nil && dataPath != "" {
		return e, usagef("--data names the variables of results of other programs; those in %s have names", path)
	}
	p, err := readPosterior(path, variables, edited)
	if err != nil {
		return e, err
	}
	var truth *dag.Graph
	if truthPath != "" {
		if truth, err = readTruth(truthPath, p.Names); err != nil {
			return e, err
		}
	}
	var densities *metrics.HeldOut
	if heldoutPath != "" {
		if len(p.Draws) == 0 || p.Model == "" && p.Draws[0].Equations == nil {
			return e, usagef("--heldout needs a posterior written by tobac fit: %s has no densities of data", path)
		}
		table, err := readHeldout(heldoutPath, p.Names)
		if err != nil {
			return e, err
		}
		model, err := storedModel(p)
		if err != nil {
			return e, &locatedError{path, err}
		}
		var warning string
		if densities, warning, err = heldOut(p, model, table); err != nil {
			return e, &locatedError{path, err}
		}
		if warning != "" {
			warn(stderr, []string{warning})
		}
	}
	return judge(p, truth, densities)
}
