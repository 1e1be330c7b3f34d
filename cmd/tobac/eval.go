package main

import (
	"github.com/spf13/cobra"

	"tobac/dag"
	"tobac/dataset"
)

func newEval() *cobra.Command {
	var truthPath, heldoutPath string
	cmd := &cobra.Command{
		Use:   "eval [--truth GRAPH.csv] [--heldout FILE] DIR",
		Short: "Judge the posterior in a folder against a graph or held-out data",
		Long: `Eval reads the posterior that tobac fit --out wrote into DIR and prints its
metrics as JSON, with the keys of summary.json. At least one of --truth and
--heldout is needed; metrics that need the other are null.`,
		Args:                  arguments(1, 1, "one folder"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if truthPath == "" && heldoutPath == "" {
				return usagef("tobac eval needs --truth GRAPH.csv, --heldout FILE, or both")
			}
			s, err := readParticles(args[0])
			if err != nil {
				return err
			}
			var truth *dag.Graph
			if truthPath != "" {
				if truth, err = readTruth(truthPath, s.Names); err != nil {
					return err
				}
			}
			var heldout *dataset.Table
			if heldoutPath != "" {
				if heldout, err = readHeldout(heldoutPath, s.Names, s.Standardization); err != nil {
					return err
				}
			}
			e, err := evaluate(s, truth, heldout, nil)
			if err != nil {
				return err
			}
			return writeJSON(cmd.OutOrStdout(), e)
		},
	}
	f := cmd.Flags()
	f.Var(text(&truthPath, "GRAPH.csv"), "truth", truthUsage)
	f.Var(text(&heldoutPath, "FILE"), "heldout", heldoutUsage)
	return cmd
}
