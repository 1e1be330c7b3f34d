package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/words"

	"github.com/spf13/cobra"
)

// run executes one command line, without the program's name, and returns the
// exit status. When ctx is cancelled it returns within a second.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(append([]string{}, args...)) // cobra takes os.Args instead of nil
	root.SetIn(stdin)
	root.SetOut(cli.NewPrinter(stdout))
	root.SetErr(stderr)
	root.InitDefaultCompletionCmd() // which keeps the output that is set
	cli.CheckShell(root)
	err := cli.Guarded(func() error { return root.ExecuteContext(ctx) })
	if err == nil {
		return cli.ExitDone
	}
	if interrupted := new(cli.InterruptedError); errors.As(err, &interrupted) {
		err = interrupted // without the place where it happened
	}
	// an error of this write cannot be reported
	fmt.Fprintln(stderr, cli.Printable("tobac: "+cli.Message(err)))
	return cli.ExitStatus(ctx, err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tobac",
		Short: "Infer a posterior over causal graphs from a table of measurements",
		Long: `tobac infers a posterior over causal graphs from a table of measurements: the
probability of every edge, exact where that can be computed, and directed acyclic
graphs with the weights of their edges.

Exit status: 0 done, 1 failed run (data, numerics, output), 2 wrong usage,
130 interrupted (Ctrl-C), 143 terminated (SIGTERM), 129 terminal closed (SIGHUP),
141 standard output closed by its reader. A second signal ends the program at once.`,
		Example: `  tobac fit                     the embedded Sachs data
  tobac fit data.csv --out run  your data, results as files in the folder run`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return nil
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.PrintHelp(cmd.OutOrStdout(), cmd) })
	root.AddCommand(cli.Interruptible(newCheck()), newConvert(), newFit(),
		cli.Interruptible(newEffect()), cli.Interruptible(newPredict()),
		cli.Interruptible(newEval()), cli.Interruptible(newCompare()),
		cli.Interruptible(newOrder()), newSimulate(), newReproduce(), newReport(), newVersion(),
		newMan(root))
	for _, cmd := range root.Commands() {
		if name := cmd.Name(); name != "version" && name != "man" &&
			cmd.Flags().Lookup("quiet") == nil {
			cli.QuietFlag(cmd.Flags())
		}
	}
	root.SetHelpCommand(cli.NewHelp(root, func() []cli.Topic {
		return newFitOptions().topics()
	}, overviews))
	cli.Completions(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.WrongUse(cli.FlagError(cmd, err))
	})
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return cli.Usagef("unknown command %q%s; allowed: %s", name, words.Suggestion(name, names),
		strings.Join(names, ", "))
}
