package background

import (
	"fmt"
	"slices"
	"strings"

	"tobac/dag"
	"tobac/internal/words"
	"tobac/ordering"
)

// A ContradictionError lists statements about the graph that no graph fulfils together.
type ContradictionError struct {
	Contradictions []string // a sentence each, without a full stop
}

// Error has a line for each contradiction.
func (e *ContradictionError) Error() string {
	if len(e.Contradictions) == 1 {
		return "conflicting background knowledge: " + e.Contradictions[0]
	}
	return "conflicting background knowledge:\n- " + strings.Join(e.Contradictions, "\n- ")
}

// CheckTogether returns a [*ContradictionError] that names every contradiction among the
// statements about single edges, tiers and the bound on parents, and between them and a causal
// order of the named variables that is known, sources first; known may be nil. Statements that
// mean nothing for so many variables are another error.
func (p *Prior) CheckTogether(names []string, known []int) error {
	if err := p.validate(len(names)); err != nil {
		return err
	}
	if known != nil {
		if err := ordering.Validate(known, len(names)); err != nil {
			return err
		}
	}
	if p.Own != nil {
		return nil
	}
	c := &contradictions{Prior: p, names: names}
	if known != nil {
		c.position = dag.Inverse(known)
	}
	c.required = dag.New(len(names))
	for _, e := range p.Required {
		c.required.Set(e.From, e.To, true)
	}
	for i := range names {
		for j := range names {
			if i != j && c.table(i, j) == 1 {
				c.required.Set(i, j, true)
			}
		}
	}
	for _, e := range c.required.Edges() {
		c.edge(e)
	}
	c.cycles()
	c.parents()
	c.knownOrder(known)
	c.odds()
	if len(c.found) == 0 {
		return nil
	}
	return &ContradictionError{c.found}
}

// contradictions is the search for them.
type contradictions struct {
	*Prior
	names    []string
	required *dag.Graph // the edges that are certain
	position []int      // of each variable in the known order; nil means none is known
	found    []string
}

func (c *contradictions) add(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// table is the probability that the table gives an edge, ½ without one.
func (c *contradictions) table(i, j int) float64 {
	if c.Probabilities == nil {
		return 0.5
	}
	return c.Probabilities.At(i, j)
}

// arrow writes an edge.
func (c *contradictions) arrow(e dag.Edge) string {
	return c.names[e.From] + " → " + c.names[e.To]
}

// earlier reports whether the tiers put j before i.
func (c *contradictions) earlier(j, i int) bool {
	return c.Tiers != nil && c.Tiers[j] >= 0 && c.Tiers[i] > c.Tiers[j]
}

// ruledOut lists the statements that make an edge impossible.
func (c *contradictions) ruledOut(e dag.Edge) []string {
	var why []string
	from, to := c.names[e.From], c.names[e.To]
	if slices.Contains(c.Forbidden, e) {
		why = append(why, "it is forbidden")
	}
	if c.earlier(e.To, e.From) {
		why = append(why, fmt.Sprintf("the tiers put %s before %s", to, from))
	}
	if slices.Contains(c.Sinks, e.From) {
		why = append(why, fmt.Sprintf("%s is a sink, which no edge leaves", from))
	}
	if slices.Contains(c.Sources, e.To) {
		why = append(why, fmt.Sprintf("%s is a source, which no edge enters", to))
	}
	if c.table(e.From, e.To) == 0 {
		why = append(why, "the table of edge probabilities gives it 0")
	}
	return why
}

// edge finds what contradicts a single edge that is certain.
func (c *contradictions) edge(e dag.Edge) {
	certain := "required"
	if !slices.Contains(c.Required, e) {
		certain = "given the probability 1 by the table"
	}
	why := c.ruledOut(e)
	if c.position != nil && c.position[e.From] > c.position[e.To] {
		why = append(why,
			fmt.Sprintf("the known order puts %s before %s", c.names[e.To], c.names[e.From]))
	}
	for _, reason := range why {
		c.add("%s is %s, but %s", c.arrow(e), certain, reason)
	}
}

// cycles names cycles of edges that are certain and of tiers, no two of which share a variable,
// each a shortest one. An edge against the tiers is a separate contradiction.
func (c *contradictions) cycles() {
	d := len(c.names)
	next := c.required.Clone()
	for i := range d {
		for j := range d {
			if c.earlier(i, j) {
				next.Set(i, j, true)
			}
		}
	}
	seen := make([]bool, d)
	for _, e := range c.required.Edges() {
		if c.earlier(e.To, e.From) {
			continue
		}
		cycle := shortestPath(next, e.To, e.From)
		if cycle == nil || slices.ContainsFunc(cycle, func(j int) bool { return seen[j] }) {
			continue
		}
		// From the edge itself, back to where it begins.
		text, byTiers := c.names[e.From], false
		for k, j := range cycle {
			text += " → " + c.names[j]
			if seen[j] = true; k > 0 && !c.required.Has(cycle[k-1], j) {
				text += " (by the tiers)"
				byTiers = true
			}
		}
		if byTiers {
			c.add("required edges and tiers make a cycle: %s", text)
		} else {
			c.add("required edges make a cycle: %s", text)
		}
	}
}

// shortestPath lists the vertices of a shortest directed path with both ends; nil means there is
// none.
func shortestPath(g *dag.Graph, from, to int) []int {
	before := slices.Repeat([]int{-1}, g.Len())
	before[from] = from
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v == to {
			path := []int{to}
			for ; v != from; v = before[v] {
				path = append(path, before[v])
			}
			slices.Reverse(path)
			return path
		}
		for _, w := range g.Children(v) {
			if before[w] < 0 {
				before[w] = v
				queue = append(queue, w)
			}
		}
	}
	return nil
}

// parents finds variables with more required parents than allowed.
func (c *contradictions) parents() {
	if c.MaxParents == 0 {
		return
	}
	for j := range c.names {
		if all := c.required.Parents(j); len(all) > c.MaxParents {
			c.add("%s has %d required parents (%s), more than the %d allowed", c.names[j], len(all),
				strings.Join(words.Of(c.names, all), ", "), c.MaxParents)
		}
	}
}

// knownOrder finds neighbours among the variables with tiers that a known order has
// against them.
func (c *contradictions) knownOrder(known []int) {
	last := -1
	for _, j := range known {
		if c.Tiers == nil || c.Tiers[j] < 0 {
			continue
		}
		if last >= 0 && c.earlier(j, last) {
			c.add("the known order puts %s before %s, but the tiers put %s before %s",
				c.names[last], c.names[j], c.names[j], c.names[last])
		}
		last = j
	}
}

// odds finds odds of edges that are certain or impossible, and two odds of one edge.
func (c *contradictions) odds() {
	given := map[dag.Edge]float64{}
	for _, o := range c.Odds {
		e := dag.Edge{From: o.From, To: o.To}
		if c.required.Has(e.From, e.To) {
			c.add("%s has the odds %v, but is certain", c.arrow(e), o.Odds)
		}
		for _, reason := range c.ruledOut(e) {
			c.add("%s has the odds %v, but %s", c.arrow(e), o.Odds, reason)
		}
		if other, twice := given[e]; twice {
			c.add("%s has two odds, %v and %v", c.arrow(e), other, o.Odds)
		}
		given[e] = o.Odds
	}
}
