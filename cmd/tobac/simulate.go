package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/mechanism"

	"github.com/spf13/cobra"
)

// simulateOptions are the flags of tobac simulate.
type simulateOptions struct {
	vars, samples               int
	edgesPerNode, noiseVariance float64
	seed                        uint64
	out                         string
	force, json                 bool
	model                       mechanismName
	prior                       graphName
}

// graphName is a distribution of graphs on the command line.
type graphName int

const (
	graphER graphName = iota
	graphSF
)

// String implements fmt.Stringer.
func (g graphName) String() string { return [...]string{"er", "sf"}[g] }

// mechanismName is on the command line how variables depend on their parents: linear, ffn, or one
// of mechanism.All.
type mechanismName int

const (
	linearMechanism mechanismName = iota
	networkMechanism
	firstMechanism
)

// String implements fmt.Stringer.
func (m mechanismName) String() string {
	switch m {
	case linearMechanism:
		return "linear"
	case networkMechanism:
		return "ffn"
	}
	return mechanism.Mechanism(m - firstMechanism).String()
}

func mechanismNames() []mechanismName {
	all := []mechanismName{linearMechanism, networkMechanism}
	for _, m := range mechanism.All {
		all = append(all, firstMechanism+mechanismName(m))
	}
	return all
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
		Long: `Simulate draws a graph, the parameters of a Gaussian model on it, and two tables
of independent rows: train.csv and heldout.csv, and the graph as graph.csv
(source,target,weight). The same options give the same files.

Graphs: er is Erdős–Rényi, with independent edges. sf is scale-free: variables are added
one after the other, each with --edges-per-node (a whole number) edges to older ones,
preferably to those with many parents.

Models: linear has a weight of at least 1/2 in size on every edge. ffn makes every
variable a network of its parents with 5 hidden units and relu; variables without
parents are noise, and graph.csv has no column of weights. The other models match none
of tobac fit: sines adds a sine of each parent, with an amplitude of at least
1/2 in size, a frequency from 1 to 3 and a phase; products adds products of the sines
of two parents each; multiplicative adds sines, and multiplies the noise by a factor
that depends on the parents.`,
		Example: `  tobac simulate --vars 20 --edges-per-node 2 --samples 100 --seed 1 --out data
  tobac fit data/train.csv --heldout data/heldout.csv --truth data/graph.csv`,
		Args: cli.Arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Working(cmd.ErrOrStderr(), cli.IsQuiet(cmd), "simulating",
				func(p *cli.Progress) error {
					return simulate(cmd.Context(), o, cli.Beneath(p, cmd.OutOrStdout()))
				})
		},
	}
	f := cmd.Flags()
	f.Var(cli.Choice(&o.model, mechanismNames()...), "model", "structural equation model")
	f.Var(cli.Choice(&o.prior, graphER, graphSF), "prior", "distribution of the graph")
	f.Var(cli.WholeNumber(&o.vars, 2, maxSimulatedVars), "vars", "number of variables")
	f.Var(cli.Positive(&o.edgesPerNode), "edges-per-node",
		"expected number of edges divided by the number of variables; must be below (vars-1)/2")
	f.Var(cli.WholeNumber(&o.samples, 1, maxSimulatedNumbers), "samples", "rows of each table")
	f.Var(cli.Seed(&o.seed), "seed", "seed of the random numbers")
	f.Var(cli.Positive(&o.noiseVariance), "noise-variance", "variance of every variable's noise")
	f.Var(cli.PlainText(&o.out, "DIR"), "out",
		"folder for the files, created if need be (required)")
	cli.Toggle(f, &o.force, "force", cli.ForceUsage)
	cli.Toggle(f, &o.json, "json", cli.JSONUsage)
	return cmd
}

// simulateSummary is what tobac simulate --json prints.
type simulateSummary struct {
	Folder        string  `json:"folder"`
	Rows          int     `json:"rows"` // of each table
	Variables     int     `json:"variables"`
	Edges         int     `json:"edges"`
	ExpectedEdges float64 `json:"expected_edges"`
}

func simulate(ctx context.Context, o simulateOptions, stdout io.Writer) error {
	if o.out == "" {
		return cli.Usagef("tobac simulate needs --out DIR, the folder for its files")
	}
	if o.samples > maxSimulatedNumbers/o.vars {
		return cli.Usagef("--samples %d of --vars %d are too many; allowed: up to %d numbers in "+
			"a table", o.samples, o.vars, maxSimulatedNumbers)
	}
	if err := checkSimulation(o.samples, o.vars); err != nil {
		return err
	}
	var expected float64
	g, err := cli.Within(ctx, func() (g *dag.Graph, err error) {
		g, expected, err = o.graph()
		return g, err
	})
	if err != nil {
		return err
	}
	out, err := file.OpenSet(o.out, []string{"train.csv", "heldout.csv", "graph.csv"},
		file.Guard{Force: o.force})
	if err != nil {
		return err
	}
	defer out.Discard()
	s, err := cli.Within(ctx, func() (*dataset.Simulation, error) { return o.data(g) })
	if err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"train.csv", func(w io.Writer) error { return dataset.WriteCSV(w, s.Train) }},
		{"heldout.csv", func(w io.Writer) error { return dataset.WriteCSV(w, s.Heldout) }},
		{"graph.csv", func(w io.Writer) error {
			return dag.WriteEdges(w, s.Graph, s.Train.Names, s.Weights)
		}},
	}
	for _, f := range files {
		if err := out.Write(f.name, cli.Interruptibly(ctx, f.write)); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if o.json {
		return cli.WriteJSON(stdout, simulateSummary{
			Folder: o.out, Rows: o.samples, Variables: o.vars, Edges: g.Size(),
			ExpectedEdges: expected,
		})
	}
	_, err = fmt.Fprintf(stdout,
		"%s and heldout.csv: %d rows of %d variables each\ngraph.csv: edges %d, expected %.4g\n",
		filepath.Join(o.out, "train.csv"), o.samples, o.vars, g.Size(), expected)
	return err
}

// graph draws the graph and says how many edges it was to have.
func (o simulateOptions) graph() (g *dag.Graph, expected float64, err error) {
	if o.prior == graphER {
		g, err = dataset.SimulateER(dataset.ERConfig{Vars: o.vars, EdgesPerNode: o.edgesPerNode,
			Seed: o.seed})
		expected = o.edgesPerNode * float64(o.vars)
	} else {
		m := int(o.edgesPerNode)
		if float64(m) != o.edgesPerNode {
			return nil, 0,
				cli.Usagef("--edges-per-node %v is not a whole number, which --prior sf needs",
					o.edgesPerNode)
		}
		g, err = dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: o.vars, EdgesPerNode: m,
			Seed: o.seed})
		expected = float64(m*o.vars - m*(m+1)/2)
	}
	if err != nil {
		return nil, 0, cli.WrongUse(cli.Located("--edges-per-node", err))
	}
	return g, expected, nil
}

// data draws parameters and rows.
func (o simulateOptions) data(g *dag.Graph) (*dataset.Simulation, error) {
	c := dataset.LinearConfig{Rows: o.samples, HeldoutRows: o.samples,
		NoiseVariance: o.noiseVariance, Seed: o.seed}
	switch o.model {
	case linearMechanism:
		return dataset.SimulateLinear(g, c)
	case networkMechanism:
		return dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: o.samples,
			HeldoutRows: o.samples, NoiseVariance: o.noiseVariance, Seed: o.seed})
	}
	return mechanism.Simulate(g, mechanism.Mechanism(o.model-firstMechanism), c)
}
