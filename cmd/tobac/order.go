package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/words"
	"tobac/ordering"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

const orderLong = `Order prints the names of the columns in one line, causes before effects,
separated by commas. tobac fit --order accepts such a line, or a file with it.
Names with commas stand in quotes. DATA.csv is any table that tobac fit takes, with
the same options.

Methods:
  eqvar     equal noise variances, linear; sources first; needs more rows
            than columns
  eqvar-bu  the same, sinks first
  npvar     equal noise variances, additive smooth functions
  score     additive smooth functions, Gaussian noise; meaningless on linear
            data; time grows with the cube of the rows, at most 5000
  variance  sorts the columns by their variance, a baseline

All methods but score use the variances of the columns: do not standardise the data first.
For score, standardise columns that are measured in different units.

--bootstrap N orders N resamples of the rows, drawn with replacement by --seed, and prints
the distinct orders with their frequencies, and how often one column precedes another. It
shows the variation over samples, not whether the method suits the data. tobac fit --order
METHOD --set order.count=N mixes the posteriors under the same orders.

--all runs every method and prints a table: the smallest relative gap between a choice and
its closest rival (near 0: a guess), the seconds and the order, and with --truth the edges
of the true graph that the order violates (a random order violates half). Below it stand
the varsortability and R²-sortability of the data: near 1, sorting by variance, or by how
well the other columns explain a column, already finds the order.

Knowledge binds every method: --require, --tiers, --forbid, knowledge.sink and
knowledge.source decide which columns may be placed next. tobac help data explains tables.`

func newOrder() *cobra.Command {
	method := ordering.MethodEqVar
	var all bool
	var assign func() error
	var truthPath string
	var resamples int
	resampling := uint64(1)
	var known knowledge
	var options tableOptions
	cmd := &cobra.Command{
		Use:   "order DATA.csv",
		Short: "Print a causal order of the columns",
		Long:  orderLong,
		Example: `  tobac order data.csv --method npvar
  tobac order data.csv --all --truth graph.csv
  tobac order data.csv --bootstrap 100`,
		Args: cli.Arguments(1, 1, "one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := assign(); err != nil {
				return err
			}
			switch {
			case all && cmd.Flags().Changed("method"):
				return cli.Usagef("--all and --method contradict each other")
			case truthPath != "" && !all:
				return cli.Usagef("--truth is for the table of --all")
			case all && resamples > 0:
				return cli.Usagef("--all and --bootstrap contradict each other: choose one " +
					"--method to resample for")
			case cmd.Flags().Changed("seed") && resamples == 0:
				return cli.Usagef("--seed is for the resamples of --bootstrap N")
			}
			p := cli.NewProgress(cmd.ErrOrStderr(), cli.IsQuiet(cmd))
			defer p.Close()
			p.During("reading " + cli.DataLabel(args[0]))
			prepared, err := options.read(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			t, err := complete(prepared, "tobac order")
			if err != nil {
				return err
			}
			label := cli.DataLabel(args[0])
			if err := checkColumns(len(t.Names)); err != nil {
				return cli.Located(label, err)
			}
			var prior background.Prior
			if err := known.apply(&prior, t.Names); err != nil {
				return err
			}
			if err := checkKnowledge(&prior, t.Names, nil); err != nil {
				return err
			}
			precedence, err := priors.Precedence(&prior, len(t.Names))
			if err != nil {
				return cli.Located(label, err)
			}
			var truth *dag.Graph
			if truthPath != "" {
				if truth, err = readTruth(truthPath, t.Names); err != nil {
					return err
				}
			}
			p.During("")
			cli.Warn(cmd.ErrOrStderr(), prepared.Warnings)
			note(cmd.ErrOrStderr(), prepared.Notes)
			if all {
				return compareOrders(cmd.Context(), t, label, precedence, truth, p,
					cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			p.During(fmt.Sprintf("finding the order by %v", method))
			if resamples > 0 {
				return bootstrapOrders(cmd, p, t, label, &prior, method, resamples, resampling)
			}
			result, err := findOrder(cmd.Context(), method, t.X, precedence)
			switch {
			case err != nil:
				return cli.Located(label, orderError(err, t.Names))
			}
			p.Close()
			cli.Warn(cmd.ErrOrStderr(), orderWarnings(result, t))
			_, err = fmt.Fprintln(cli.Exactly(cmd.OutOrStdout()),
				cli.JoinNames(words.Of(t.Names, result.Order)))
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(cli.Choice(&method, ordering.Methods()...), "method", "how to find the order")
	cli.Toggle(f, &all, "all", "compare all methods in a table")
	f.Var(cli.PlainText(&truthPath, "GRAPH.csv"), "truth", cli.TruthUsage)
	f.Var(cli.WholeNumber(&resamples, 1, cli.MostResamples), "bootstrap",
		"order so many resamples of the rows")
	cli.DefaultText(f, "bootstrap", "none")
	options.flags(f)
	f.Var(cli.Seed(&resampling), "seed", "seed of the resamples")
	known.flags(f)
	assign = cli.WithSettings(f, options.topic(), known.topic(false))
	return cmd
}

// orderWarnings are the sentences of an order for a reader, choices that are guesses
// included.
func orderWarnings(r *ordering.Result, t *dataset.Table) []string {
	all := r.Sentences(t.Names)
	rows, _ := t.X.Dims()
	if near := r.NearTieSentence(rows, t.Names); near != "" {
		all = append(all, near)
	}
	return all
}

// bootstrapOrders orders resamples of the rows and prints what they agree on.
func bootstrapOrders(cmd *cobra.Command, p *cli.Progress, t *dataset.Table, label string,
	prior *background.Prior, method ordering.Method, resamples int, seed uint64) error {
	if err := checkResamples(t, resamples); err != nil {
		return err
	}
	p.During(fmt.Sprintf("ordering %d resamples", resamples))
	opt := ordering.BootstrapOptions{Seed: seed, Workers: runtime.GOMAXPROCS(0)}
	distribution, err := cli.Within(cmd.Context(), func() (*ordering.Distribution, error) {
		return orders.BootstrapOrders(cmd.Context(), t, prior, method, resamples, opt)
	})
	switch {
	case cmd.Context().Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return cli.Located(label, orderError(err, t.Names))
	}
	p.Close()
	cli.Warn(cmd.ErrOrStderr(), orderWarnings(distribution.Point, t))
	var text bytes.Buffer
	if err := writeBootstrap(&text, t, distribution); err != nil {
		return err
	}
	return cli.Print(cmd.OutOrStdout(), text.Bytes())
}

// findOrder runs an estimator until ctx is cancelled, and then returns
// cli.ErrInterrupted.
func findOrder(ctx context.Context, by ordering.Orderer, x mat.Matrix,
	known *ordering.Precedence) (*ordering.Result, error) {
	return cli.Within(ctx, func() (*ordering.Result, error) {
		return by.Order(ctx, x, known, runtime.GOMAXPROCS(0))
	})
}
