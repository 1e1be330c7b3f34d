package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"tobac/dag"
	"tobac/dataset"
)

// simulateOptions are the flags of tobac simulate.
type simulateOptions struct {
	vars, samples               int
	edgesPerNode, noiseVariance float64
	seed                        uint64
	out                         string
}

// Limits of simulated data, so that a typing error does not fill the memory.
const (
	maxSimulatedVars    = 5000
	maxSimulatedNumbers = 100_000_000
)

func newSimulate() *cobra.Command {
	o := simulateOptions{vars: 20, samples: 100, edgesPerNode: 2, noiseVariance: 0.1, seed: 1}
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Draw a random graph and data from it",
		Long: `Simulate draws an Erdős–Rényi graph, weights of at least 1/2 in size, and two
tables of independent rows from the linear Gaussian model: train.csv and
heldout.csv, and the graph as graph.csv (source,target,weight). The same options
give the same files.`,
		Example: `  tobac simulate --vars 20 --edges-per-node 2 --samples 100 --seed 1 --out data
  tobac fit data/train.csv --heldout data/heldout.csv --truth data/graph.csv`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return simulate(o, cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.Var(wholeNumber(&o.vars, 2, maxSimulatedVars), "vars", "number of variables")
	f.Var(positive(&o.edgesPerNode), "edges-per-node", "expected number of edges divided by the number of variables; must be below (vars-1)/2")
	f.Var(wholeNumber(&o.samples, 1, maxSimulatedNumbers), "samples", "rows of each table")
	f.Var(seed(&o.seed), "seed", "seed of the random numbers")
	f.Var(positive(&o.noiseVariance), "noise-variance", "variance of every variable's noise")
	f.Var(text(&o.out, "DIR"), "out", "folder for the files, created if need be (required)")
	return cmd
}

func simulate(o simulateOptions, stdout io.Writer) error {
	if o.out == "" {
		return usagef("tobac simulate needs --out DIR, the folder for its files")
	}
	if o.samples > maxSimulatedNumbers/o.vars {
		return usagef("--samples %d of --vars %d are too many; allowed: up to %d numbers in a table", o.samples, o.vars, maxSimulatedNumbers)
	}
	g, err := dataset.SimulateER(dataset.ERConfig{Vars: o.vars, EdgesPerNode: o.edgesPerNode, Seed: o.seed})
	if err != nil {
		return &usageError{&locatedError{"--edges-per-node", err}}
	}
	s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: o.samples, HeldoutRows: o.samples, NoiseVariance: o.noiseVariance, Seed: o.seed})
	if err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"train.csv", func(w io.Writer) error { return dataset.WriteCSV(w, s.Train) }},
		{"heldout.csv", func(w io.Writer) error { return dataset.WriteCSV(w, s.Heldout) }},
		{"graph.csv", func(w io.Writer) error { return dag.WriteEdges(w, s.Graph, s.Train.Names, s.Weights) }},
	}
	out, err := openFolder(o.out, "train.csv", "heldout.csv", "graph.csv")
	if err != nil {
		return err
	}
	defer out.discard()
	for _, f := range files {
		if err := out.add(f.name, f.write); err != nil {
			return err
		}
	}
	if err := out.commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s and heldout.csv: %d rows of %d variables each\ngraph.csv: edges %d, expected %.4g\n",
		filepath.Join(o.out, "train.csv"), o.samples, o.vars, g.Size(), o.edgesPerNode*float64(o.vars))
	return err
}
