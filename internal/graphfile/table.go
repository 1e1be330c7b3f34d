package graphfile

import (
	"fmt"
	"slices"
)

// A Table is the distribution of a vertex with states: its probabilities given each combination of
// the states of its parents.
type Table struct {
	States  []string
	Parents []int // vertices, in the sequence of the file
	// Rows have the probabilities of the states, one row for each combination of the parents'
	// states, of which that of the last parent changes fastest.
	Rows [][]float64
}

// rows is how many rows the table of a vertex has, by the states of its parents.
func (t *Table) rows(all []Table) int {
	n := 1
	for _, p := range t.Parents {
		n *= len(all[p].States)
		if n > mostTableRows {
			return n
		}
	}
	return n
}

// mostTableRows is the number of rows of the largest table that is read.
const mostTableRows = 1 << 20

// dropTables leaves the tables out where edges of g are left out.
func (out *Graph) dropTables(g *Graph) {
	if len(out.Edges) < len(g.Edges) {
		out.Tables = nil
	}
}

// checkTables finds tables that do not fit a graph.
func (g *Graph) checkTables() error {
	if g.Tables == nil {
		return nil
	}
	if len(g.Tables) != len(g.Names) {
		return fmt.Errorf("tables of %d vertices, want %d", len(g.Tables), len(g.Names))
	}
	parents := make([][]int, len(g.Names))
	for _, e := range g.Edges {
		if e.Undirected {
			return fmt.Errorf("tables, and an undirected edge of %s", excerpt(g.Names[e.From]))
		}
		parents[e.To] = append(parents[e.To], e.From)
	}
	for v := range g.Tables {
		t := &g.Tables[v]
		same := slices.Equal(slices.Sorted(slices.Values(parents[v])),
			slices.Sorted(slices.Values(t.Parents)))
		if !same || len(t.States) == 0 || len(t.Rows) != t.rows(g.Tables) {
			return fmt.Errorf("the table of %s does not fit its parents", excerpt(g.Names[v]))
		}
		for _, row := range t.Rows {
			if len(row) != len(t.States) {
				return fmt.Errorf("the table of %s has a row of %d numbers, want %d",
					excerpt(g.Names[v]), len(row), len(t.States))
			}
		}
	}
	return nil
}
