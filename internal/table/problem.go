package table

import (
	"fmt"
	"strings"
)

// A Problem is something that keeps a table from an analysis, with what solves it.
type Problem struct {
	Column int    // in the file, counted from 1; 0 means of no single column
	Text   string // what is wrong, and where
	Solve  string // options that solve it; "": none does
	remedy func(o *Options)
}

// String is the problem in one line.
func (p Problem) String() string {
	if p.Solve == "" {
		return p.Text
	}
	return p.Text + "; " + p.Solve
}

// mostProblems is how many problems a refusal lists.
const mostProblems = 20

// A Refusal is all that keeps a table from an analysis under the given options.
type Refusal struct {
	Source   string
	Problems []Problem
	// Together are options under which the table is taken, as on a command line, the given ones
	// among them; "": none were found.
	Together string
}

// Error is one line for a single problem. Otherwise the first line says how many there are, each
// has a line of its own, at most twenty are listed, and the last line has the options that solve
// them together.
func (r *Refusal) Error() string {
	if len(r.Problems) == 1 {
		return r.Source + ": " + r.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d problems", r.Source, len(r.Problems))
	for k, p := range r.Problems {
		if k == mostProblems {
			fmt.Fprintf(&b, "\n  and %d more", len(r.Problems)-mostProblems)
			break
		}
		b.WriteString("\n  " + p.String())
	}
	if r.Together != "" {
		b.WriteString("\n  fix all with: " + r.Together)
	}
	return b.String()
}

// An OptionError says that an option does not fit the table, or nothing at all.
type OptionError struct {
	Option  string // without the dashes of a flag
	Problem string
}

func (e *OptionError) Error() string { return optionName(e.Option) + ": " + e.Problem }

// optionName is an option of the command, or a setting of its topic data.
func optionName(option string) string {
	switch option {
	case "columns", "drop", "missing", "kind", "categories":
		return "--" + option
	}
	return "data." + option
}

// A FormatError says that a file is none that can be read as a table.
type FormatError struct {
	Source  string
	Problem string
}

func (e *FormatError) Error() string { return e.Source + ": " + e.Problem }
