package cli

import (
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
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	exitSignal      = 128 // and the number of the signal, as shells have it
	ExitInterrupted = 130 // by Ctrl-C
)

// A usageError is a command line that no data could make right.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// WrongUse makes an error wrong usage.
func WrongUse(err error) error { return &usageError{err} }

func Usagef(format string, args ...any) error { return WrongUse(fmt.Errorf(format, args...)) }

// Arguments limits the number of arguments; what names them.
func Arguments(atLeast, atMost int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < atLeast || len(args) > atMost {
			got := "none"
			if len(args) > 0 {
				got = delimited.Excerpts(args)
			}
			return Usagef("%s takes %s, got %s", cmd.CommandPath(), what, got)
		}
		if slices.ContainsFunc(args, Blank) { // of a variable of a shell that is not set
			return Usagef("%s takes %s, got an empty text", cmd.CommandPath(), what)
		}
		return nil
	}
}

// A LocatedError says in which file or option a fault lies.
type LocatedError struct {
	Where string
	Err   error
}

// Located says where the fault of an error lies.
func Located(where string, err error) error { return &LocatedError{where, err} }

func (e *LocatedError) Error() string { return e.Where + ": " + WithoutPackage(e.Err.Error()) }
func (e *LocatedError) Unwrap() error { return e.Err }

// Message is the text of an error for a user: one line, or one for each contradiction, without
// the names of packages in front.
func Message(err error) string {
	if errors.As(err, new(*background.ContradictionError)) {
		return WithoutPackage(err.Error()) // a line each
	}
	if refusal := new(table.Refusal); errors.As(err, &refusal) {
		return WithoutPackage(err.Error()) // a line for each problem
	}
	return strings.ReplaceAll(WithoutPackage(err.Error()), "\n", "; ")
}

// WithoutPackage strips the package names with which error texts begin.
func WithoutPackage(text string) string {
	for {
		name, rest, found := strings.Cut(text, ": ")
		switch name {
		case "tobac", "additive", "arviz", "autograd", "background", "bcd", "calibration",
			"chain", "chainplot", "dag", "dataset", "delimited", "density", "diagnostics",
			"effects", "engine", "evidence", "exact", "explain", "figures", "gaussian",
			"gflownet", "graphfile", "graphsum", "hmc", "impute", "inspect", "jobs", "langevin",
			"mcmc",
			"metrics", "models", "nuts", "ordering", "parquet", "posterior", "report", "schedule",
			"score",
			"sample", "search", "sem", "setting", "slice", "smc", "study", "svgd", "table",
			"tempering":
		default:
			found = false
		}
		if !found {
			return text
		}
		text = rest
	}
}

// Warn tells the user of warnings that stop nothing.
func Warn(stderr io.Writer, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(stderr, Printable("tobac: warning: "+w))
	}
}
