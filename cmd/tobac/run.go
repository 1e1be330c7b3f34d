package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tobac/background"
	"tobac/internal/delimited"
	"tobac/internal/table"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitSignal      = 128 // and the number of the signal, as shells have it
	exitInterrupted = 130 // by Ctrl-C
)

// run executes one command line, without the program's name, and returns the
// exit status. When ctx is cancelled it returns within a second.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(append([]string{}, args...)) // cobra takes os.Args instead of nil
	root.SetIn(stdin)
	root.SetOut(newPrinter(stdout))
	root.SetErr(stderr)
	root.InitDefaultCompletionCmd() // which keeps the output that is set
	checkShell(root)
	err := guarded(func() error { return root.ExecuteContext(ctx) })
	if err == nil {
		return exitDone
	}
	if interrupted := new(interruptedError); errors.As(err, &interrupted) {
		err = interrupted // without the place where it happened
	}
	fmt.Fprintln(stderr, printable("tobac: "+message(err))) // if this fails there is nobody left to tell
	return exitStatus(ctx, err)
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
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(cmd.OutOrStdout(), cmd) })
	root.AddCommand(interruptible(newCheck()), newConvert(), newFit(), interruptible(newEffect()), interruptible(newPredict()), interruptible(newEval()), interruptible(newCompare()), interruptible(newOrder()), newSimulate(), newReproduce(), newReport(), newVersion(), newMan(root))
	root.SetHelpCommand(newHelp(root))
	completions(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{flagError(cmd, err)}
	})
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return usagef("unknown command %q%s; allowed: %s", name, suggestion(name, names), strings.Join(names, ", "))
}

// A usageError is a command line that no data could make right.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// arguments limits the number of arguments; what names them.
func arguments(atLeast, atMost int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < atLeast || len(args) > atMost {
			got := "none"
			if len(args) > 0 {
				got = delimited.Excerpts(args)
			}
			return usagef("%s takes %s, got %s", cmd.CommandPath(), what, got)
		}
		if slices.ContainsFunc(args, blank) { // of a variable of a shell that is not set
			return usagef("%s takes %s, got an empty text", cmd.CommandPath(), what)
		}
		return nil
	}
}

// A locatedError says in which file or option a fault lies.
type locatedError struct {
	where string
	err   error
}

func (e *locatedError) Error() string { return e.where + ": " + withoutPackage(e.err.Error()) }
func (e *locatedError) Unwrap() error { return e.err }

// message is the text of an error for a user: one line, or one for each contradiction, without
// the names of packages in front.
func message(err error) string {
	if errors.As(err, new(*background.ContradictionError)) {
		return withoutPackage(err.Error()) // a line each
	}
	if refusal := new(table.Refusal); errors.As(err, &refusal) {
		return withoutPackage(err.Error()) // a line for each problem
	}
	return strings.ReplaceAll(withoutPackage(err.Error()), "\n", "; ")
}

// withoutPackage strips the package names with which error texts begin.
func withoutPackage(text string) string {
	for {
		name, rest, found := strings.Cut(text, ": ")
		switch name {
		case "tobac", "additive", "autograd", "background", "bcd", "dag", "dataset", "delimited", "diagnostics", "effects", "evidence", "exact", "figures", "gflownet", "graphfile", "impute", "inspect", "jobs",
			"mcmc", "metrics", "models", "ordering", "posterior", "report", "schedule", "score", "sem", "setting", "study", "svgd", "table", "tempering":
		default:
			found = false
		}
		if !found {
			return text
		}
		text = rest
	}
}

// warn tells the user of warnings that stop nothing.
func warn(stderr io.Writer, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(stderr, printable("tobac: warning: "+w))
	}
}
