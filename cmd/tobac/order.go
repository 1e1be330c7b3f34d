package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tobac/ordering"
)

func newOrder() *cobra.Command {
	method := ordering.MethodEqVar
	cmd := &cobra.Command{
		Use:   "order DATA.csv",
		Short: "Print a causal order of the columns",
		Long: `Order prints the names of the columns in one line, causes before effects,
separated by commas. tobac fit --order accepts such a line, or a file with it.
Names with commas stand in quotes.

Methods: eqvar assumes equal noise variances and needs more rows than columns;
variance sorts the columns by their variance. Both read the scale of the
columns, so do not standardise the data before. DATA.csv may be a text table, a
NumPy array (.npy), or - for standard input.`,
		Args: arguments(1, 1, "one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, label, err := readTable(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			result, err := method.Order(t.X)
			if err != nil {
				return &locatedError{label, orderError(err, t.Names)}
			}
			warn(cmd.ErrOrStderr(), withNames(result.Warnings, t.Names))
			_, err = fmt.Fprintln(cmd.OutOrStdout(), joinNames(permuted(t.Names, result.Order)))
			return err
		},
	}
	cmd.Flags().Var(choice(&method, ordering.Methods()...), "method", "how to find the order")
	return cmd
}
