package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/posterior"
)

// Content is what a report tells. Names and Marginals are required; a part that is empty
// leaves its section out.
type Content struct {
	Title   string   // "": "Causal graph"
	Data    string   // what was analysed, in a line
	Verdict []string // in plain words, a sentence each; none: what the probabilities say is counted
	// what all probabilities rest on that the data refute, or that counts in part, as a clause; ""
	// means nothing
	Refuted string
	// Warnings are reasons to distrust the result, a sentence each.
	Warnings []string

	Names     []string            // of the d variables; different and not empty
	Marginals posterior.Marginals // d×d
	Units     string              // of the weights: "in units of the data"; "" means not said

	// Ancestors is d×d: the probability that a directed path leads from i to j. nil means unknown.
	Ancestors *mat.Dense
	// Precedes is d×d: the probability that i comes before j in the causal order. nil means the
	// result has no orders.
	Precedes *mat.Dense
	// EdgeCounts are the probabilities of graphs with 0, 1, 2, … edges. nil means unknown.
	EdgeCounts []float64

	Effects []Effect
	// SD are the standard deviations of the variables, on the scale of which the picture of
	// the effects is. nil means unknown, and that picture is left out.
	SD []float64

	Convergence Convergence
	Fit         []ColumnFit

	Truth   *dag.Graph // nil means unknown
	Metrics []Metric   // against the truth or held-out data

	Facts    []Fact // data, model, engine, prior: in sentences
	Settings []Fact // names and values of all settings
	Versions []Fact
	Command  string // that repeats the run, for a shell; "" means unknown
}

// An Effect is the distribution of the change of To for an increase of From by 1 through
// intervention.
type Effect struct {
	From, To     string
	Mean, SD     float64 // SD is NaN where unknown
	Lower, Upper float64 // of the interval; NaN means unknown
	// PathProbability is the probability that From has any effect on To.
	PathProbability float64
}

// Convergence says whether the computation has reached its target.
type Convergence struct {
	Text string // in a sentence or two; "" means nothing is said
	Rows []ConvergenceRow
}

// A ConvergenceRow is the mean of a quantity over Markov chains. NaN means unknown.
type ConvergenceRow struct {
	Quantity                       string
	Mean, StandardError, RHat, ESS float64
}

// A Metric is a number that judges the result.
type Metric struct {
	Name, Value string
	Meaning     string // what it is, and which values are good
}

// A Fact is a name with a text.
type Fact struct{ Name, Text string }

// What is drawn and counted.
const (
	// Related is the adjacency above which a pair is drawn and counted as related.
	Related = 0.5
	// Directed is the least direction given adjacency at which an edge gets its arrow head.
	Directed = posterior.Directed
)

// check finds content that cannot be drawn.
func (c *Content) check() error {
	d := len(c.Names)
	if d < 2 {
		return fmt.Errorf("report: got %d variables, want at least 2", d)
	}
	seen := map[string]bool{}
	for k, name := range c.Names {
		if name == "" || seen[name] {
			return fmt.Errorf("report: variable %d is named %q, want names that are different "+
				"and not empty", k+1, name)
		}
		seen[name] = true
	}
	if c.Marginals.Probabilities == nil {
		return fmt.Errorf("report: no edge probabilities")
	}
	for _, m := range []struct {
		what string
		m    *mat.Dense
	}{
		{"edge probabilities", c.Marginals.Probabilities},
		{"means of weights", c.Marginals.WeightMean},
		{"standard deviations of weights", c.Marginals.WeightSD},
		{"ancestors", c.Ancestors}, {"order precedence", c.Precedes},
	} {
		if m.m == nil {
			continue
		}
		if rows, columns := m.m.Dims(); rows != d || columns != d {
			return fmt.Errorf("report: %s are %d×%d, want %d×%d", m.what, rows, columns, d, d)
		}
	}
	for i := range d {
		for j := range d {
			if p := c.Marginals.Probabilities.At(i, j); math.IsNaN(p) || p < 0 || p > 1 {
				return fmt.Errorf("report: probability of %q → %q is %g, want 0 to 1", c.Names[i],
					c.Names[j], p)
			}
		}
	}
	switch {
	case c.SD != nil && len(c.SD) != d:
		return fmt.Errorf("report: %d standard deviations, want %d", len(c.SD), d)
	case c.Truth != nil && c.Truth.Len() != d:
		return fmt.Errorf("report: the truth has %d variables, want %d", c.Truth.Len(), d)
	}
	for _, e := range c.Effects {
		if !seen[e.From] || !seen[e.To] {
			return fmt.Errorf("report: effect of %q on %q, want names of variables", e.From, e.To)
		}
	}
	return nil
}
