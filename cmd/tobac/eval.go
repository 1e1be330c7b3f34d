package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/metrics"
	"tobac/posterior"

	"github.com/spf13/cobra"
)

// evalOptions are the flags of tobac eval.
type evalOptions struct {
	truth, heldout, data string // files
	edited, exact        bool
}

// A judgement is what tobac eval prints.
type judgement struct {
	evaluation
	Exact *exactSummary `json:"exact,omitempty"` // nil means not asked for
}

func newEval() *cobra.Command {
	o := evalOptions{}
	cmd := &cobra.Command{
		Use: "eval [--exact] [--json] [--truth GRAPH.csv] [--heldout FILE] [--data FILE] " +
			"DIR|FILE",
		Short: "Judge a posterior, of this program or another, against a graph or held-out data",
		Long: `Eval judges a posterior and prints its metrics as JSON, with the keys of
summary.json. At least one of --exact, --truth and --heldout is needed; metrics that
need another are null.

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
that they have and weighted by their density. log_score clips probabilities to
[0.005, 0.995], calibration_error has ten bins, skeleton_auroc ranks pairs of
variables by the probability of an edge in either direction, and cpdag_shd
compares the equivalence classes of the truth and of the median graph, which
consensus_shd judges too: all edges with a probability above 1/2.

--exact computes the posterior that the fit in DIR approximates, and adds the key exact with
the error of the fit. It reads the data and the options from run.toml, and refuses other
rows; --data and --truth name the table and the graph if they have moved. A fit given an
order is compared given that order, any other fit over all orders; notes lists what both
take as given. engine is exact (sums, up to 20 variables, or 24 given an order), mcmc (long
chains above) or tempering (long chains, for --model ffn); standard_error is the largest
error of its edge probabilities. mean_abs_error is the mean absolute error over the pairs
that the orders allow. log_prob_difference is the mean of log p(D,G) over the graphs of the
fit minus its mean over the posterior: near 0 for draws of the posterior, above 0 if graphs
crowd near the best one, far below 0 if strong edges are lost; log_prob_error is its
standard error. eshd and auroc are the metrics of the exact posterior, metrics.listed those
of the fit; they are null without a true graph.`,
		Args:                  cli.Arguments(1, 1, "one folder or file"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.truth == "" && o.heldout == "" && !o.exact:
				return cli.Usagef("tobac eval needs --exact, --truth GRAPH.csv or --heldout FILE")
			}
			var e *judgement
			err := cli.Working(cmd.ErrOrStderr(), cli.IsQuiet(cmd), "reading and judging "+args[0],
				func(p *cli.Progress) (err error) {
					e, err = cli.Within(cmd.Context(), func() (*judgement, error) {
						return o.judge(cmd.Context(), args[0], p, cli.Beneath(p, cmd.ErrOrStderr()))
					})
					return err
				})
			if err != nil {
				return err
			}
			return cli.WriteJSON(cmd.OutOrStdout(), e)
		},
	}
	f := cmd.Flags()
	f.Var(cli.PlainText(&o.truth, "GRAPH.csv"), "truth", cli.TruthUsage)
	f.Var(cli.PlainText(&o.heldout, "FILE"), "heldout", cli.HeldoutUsage)
	f.Var(cli.PlainText(&o.data, "FILE"), "data", "table whose columns name the variables of a "+
		"result of another program; with --exact, the table of the fit")
	cli.Toggle(f, &o.exact, "exact", "compare a fit with the posterior that it approximates")
	cli.Toggle(f, &o.edited, "edited", cli.EditedUsage)
	cli.Toggle(f, new(bool), "json", cli.JSONUsage) // it prints nothing else
	return cmd
}

// judge judges the posterior at path.
func (o *evalOptions) judge(ctx context.Context, path string, p *cli.Progress,
	stderr io.Writer) (*judgement, error) {
	var fit *storedFit
	var post *posterior.Posterior
	var truth *dag.Graph
	var err error
	if o.exact {
		if fit, err = readFit(path, o.data, o.truth, o.edited); err != nil {
			return nil, err
		}
		post, truth = fit.result.Posterior, fit.truth
	} else if post, truth, err = o.read(path); err != nil {
		return nil, err
	}
	densities, err := o.densities(post, path, stderr)
	if err != nil {
		return nil, err
	}
	e, err := judge(post, truth, densities)
	if err != nil || fit == nil {
		return &judgement{evaluation: e}, err
	}
	exact, err := fit.compare(ctx, p)
	if err != nil {
		return nil, cli.Located(path, err)
	}
	cli.Warn(stderr, exact.Warnings)
	return &judgement{e, exact}, nil
}

// read reads the posterior at path, and the truth if it is known.
func (o *evalOptions) read(path string) (p *posterior.Posterior, truth *dag.Graph, err error) {
	var variables []string
	if o.data != "" {
		t, err := dataset.ReadFile(o.data)
		if err != nil {
			return nil, nil, err
		}
		variables = t.Names
	}
	if _, err := os.Stat(filepath.Join(path, particlesFile)); err == nil && o.data != "" {
		return nil, nil,
			cli.Usagef("--data names the variables of results of other programs; those in %s "+
				"have names", path)
	}
	if p, err = readPosterior(path, variables, o.edited); err != nil || o.truth == "" {
		return p, nil, err
	}
	truth, err = readTruth(o.truth, p.Names)
	return p, truth, err
}

// densities are those of the held-out rows; nil means there are none.
func (o *evalOptions) densities(p *posterior.Posterior, path string,
	stderr io.Writer) (*metrics.HeldOut, error) {
	if o.heldout == "" {
		return nil, nil
	}
	if len(p.Draws) == 0 || p.Model == "" && p.Draws[0].Equations == nil {
		return nil, cli.Usagef(
			"--heldout needs a posterior written by tobac fit: %s has no densities of data", path)
	}
	table, err := readHeldout(o.heldout, p.Names)
	if err != nil {
		return nil, err
	}
	model, err := storedModel(p)
	if err != nil {
		return nil, cli.Located(path, err)
	}
	densities, warning, err := heldOut(p, model, table)
	if err != nil {
		return nil, cli.Located(path, err)
	}
	if warning != "" {
		cli.Warn(stderr, []string{warning})
	}
	return densities, nil
}
