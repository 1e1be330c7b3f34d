package graphfile

import (
	"fmt"

	"tobac/dag"
	"tobac/internal/delimited"
)

// A collector builds a graph from a file, vertex by vertex and edge by edge, and finds faults where
// they stand.
type collector struct {
	graph  *Graph
	source string
	index  map[string]int   // of each name
	at     map[dag.Edge]int // place of each edge in the graph
	line   []int            // of each edge
}

func newCollector(source string) *collector {
	return &collector{graph: &Graph{lines: map[int]int{}}, source: source, index: map[string]int{},
		at: map[dag.Edge]int{}}
}

// vertex is the place of the vertex of this name, which it adds at the first call.
func (c *collector) vertex(name string) int {
	v, known := c.index[name]
	if !known {
		v = len(c.graph.Names)
		c.index[name] = v
		c.graph.Names = append(c.graph.Names, name)
	}
	return v
}

// crowded is an error once there are too many vertices.
func (c *collector) crowded() error {
	if n := len(c.graph.Names); n > MaxVertices {
		return fmt.Errorf("%s: more than %d vertices", c.source, MaxVertices)
	}
	return nil
}

// add adds an edge of a line; 0 means unknown. An edge without direction may be given from both
// ends with the same numbers.
func (c *collector) add(e Edge, line int) error {
	if err := c.crowded(); err != nil {
		return err
	}
	g := c.graph
	fault := func(problem, allowed string) error {
		return &delimited.Error{Source: c.source, Line: line, Problem: problem, Allowed: allowed}
	}
	if e.From == e.To {
		return fault("edge from "+excerpt(g.Names[e.From])+" to itself",
			"edges between different vertices")
	}
	if err := g.checkNumbers(&e); err != nil {
		return fault(err.Error(), "")
	}
	before := ""
	first, given := c.at[dag.Edge{From: e.From, To: e.To}]
	if back, reverse := c.at[dag.Edge{From: e.To, To: e.From}]; !given && reverse &&
		(e.Undirected || g.Edges[back].Undirected) {
		first, given = back, true
	}
	if given {
		if c.line[first] > 0 {
			before = fmt.Sprintf(" on line %d", c.line[first])
		}
		old := g.Edges[first]
		switch {
		case old.Undirected != e.Undirected:
			return fault(fmt.Sprintf("%s both with and without direction, the other one%s",
				g.pair(e), before), "one edge without direction, or edges with one")
		case e.Undirected && old.From == e.To:
			return c.merge(first, e, fault)
		}
		return fault(fmt.Sprintf("edge %s is already there%s", g.text(e), before), "each edge once")
	}
	for _, v := range []int{e.From, e.To} {
		if _, given := g.lines[v]; !given && line > 0 {
			g.lines[v] = line
		}
	}
	c.at[dag.Edge{From: e.From, To: e.To}] = len(g.Edges)
	g.Edges, c.line = append(g.Edges, e), append(c.line, line)
	return nil
}

// has reports whether the edge has been added, from either end if it has no direction.
func (c *collector) has(e Edge) bool {
	_, there := c.at[dag.Edge{From: e.From, To: e.To}]
	_, back := c.at[dag.Edge{From: e.To, To: e.From}]
	return there || back && e.Undirected
}

// merge adds what the other end says of an undirected edge.
func (c *collector) merge(first int, e Edge, fault func(problem, allowed string) error) error {
	old := &c.graph.Edges[first]
	if !old.ofDirection() && e.ofDirection() {
		old.From, old.To = e.From, e.To
	}
	for _, q := range quantities {
		a, b := old.number(q), e.Number(q)
		switch {
		case !a.Known:
			*a = b
		case b.Known && a.Value != b.Value:
			return fault(fmt.Sprintf("%v of the edge %s is %v, but %v at the other end", q,
				c.graph.text(e), b.Value, a.Value), "the same number, or one of them")
		}
	}
	return nil
}

// ofDirection reports whether a number of the edge depends on which end is From.
func (e *Edge) ofDirection() bool {
	return e.Probability.Known || e.Weight.Known || e.WeightSD.Known
}

// finish returns the graph.
func (c *collector) finish() (*Graph, error) { return c.graph, c.crowded() }
