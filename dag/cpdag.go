package dag

import (
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// CPDAG returns the completed partially directed graph of a DAG, which stands for all DAGs that
// share its conditional independences (its Markov equivalence class). An edge on whose direction
// the class agrees is there in that direction only; where members of the class differ, both i → j
// and j → i are there. Two DAGs are Markov equivalent exactly when their CPDAGs are equal. A graph
// with a cycle has none and gives a [*CycleError].
//
// The method: two DAGs are equivalent when they have the same adjacent pairs and the same
// v-structures i → k ← j with i and j not adjacent (Verma and Pearl 1990). So leave the edges of
// v-structures directed, make all others undirected, and direct what Meek's rules R1 to R3 force,
// until they force nothing more. His R4 serves background knowledge only.
func (g *Graph) CPDAG() (*Graph, error) {
	if err := g.CheckAcyclic(nil); err != nil {
		return nil, err
	}
	p := partlyDirected{New(g.d)}
	for _, e := range g.Edges() {
		p.Set(e.From, e.To, true)
		p.Set(e.To, e.From, !g.inVStructure(e))
	}
	for changed := true; changed; {
		changed = false
		for _, e := range p.Edges() {
			if p.undirected(e.From, e.To) && p.forced(e.From, e.To) {
				p.Set(e.To, e.From, false)
				changed = true
			}
		}
	}
	return p.Graph, nil
}

// inVStructure reports whether the child of e has a second parent that is not adjacent to the
// first.
func (g *Graph) inVStructure(e Edge) bool {
	for _, other := range g.Parents(e.To) {
		if other != e.From && !g.adjacent(other, e.From) {
			return true
		}
	}
	return false
}

func (g *Graph) adjacent(i, j int) bool { return g.Has(i, j) || g.Has(j, i) }

// partlyDirected reads a graph with i → j and j → i as having the undirected edge i − j.
type partlyDirected struct{ *Graph }

func (p partlyDirected) undirected(i, j int) bool { return p.Has(i, j) && p.Has(j, i) }

func (p partlyDirected) directed(i, j int) bool { return p.Has(i, j) && !p.Has(j, i) }

// forced reports whether one of Meek's rules turns a − b into a → b.
func (p partlyDirected) forced(a, b int) bool {
	for c := range p.d {
		switch {
		case c == a || c == b:
			continue
		case p.directed(c, a) && !p.adjacent(c, b): // R1: otherwise c → a ← b is a new v-structure
			return true
		case p.directed(a, c) && p.directed(c, b): // R2: otherwise a → c → b → a is a cycle
			return true
		// R3: otherwise R2 makes c → a ← e a new v-structure
		case p.undirected(a, c) && p.directed(c, b) && p.secondPath(a, b, c):
			return true
		}
	}
	return false
}

// secondPath reports whether there is, besides a − c → b, a path a − e → b with c and e not
// adjacent.
func (p partlyDirected) secondPath(a, b, c int) bool {
	for e := range p.d {
		if e != a && e != b && e != c && p.undirected(a, e) && p.directed(e, b) &&
			!p.adjacent(c, e) {
			return true
		}
	}
	return false
}

// Kinds of edges in the fourth or third column of an edge list, type.
const (
	directedEdge   = "->"
	undirectedEdge = "--"
)

// Undirected lists the pairs, From below To, that g joins in both directions:
// the undirected edges of a partially directed graph such as [Graph.CPDAG].
func (g *Graph) Undirected() []Edge {
	var pairs []Edge
	for _, e := range g.Edges() {
		if e.From < e.To && g.Has(e.To, e.From) {
			pairs = append(pairs, e)
		}
	}
	return pairs
}

// WritePartiallyDirected writes a partially directed graph, in which i → j and j → i together are
// the undirected edge between i and j, as the edge list that [ReadEdges] reads: as [WriteEdges]
// does, with a last column type of "->" for directed and "--" for undirected edges. An undirected
// edge has one line: its direction from the lower vertex to the higher if first accepts that or is
// nil, else the other, with the weight of this direction. The errors are those of WriteEdges.
func WritePartiallyDirected(w io.Writer, g *Graph, names []string, weights *mat.Dense,
	first func(Edge) bool) error {
	return writeEdges(w, g, names, weights, "type", func(e Edge) (Edge, string) {
		switch {
		case !g.Has(e.To, e.From):
			return e, directedEdge
		case e.From > e.To:
			return Edge{}, "" // listed as e.To, e.From
		case first != nil && !first(e):
			return Edge{e.To, e.From}, undirectedEdge
		}
		return e, undirectedEdge
	})
}

// kindOf reads a field of the column type.
func kindOf(text string) (undirected, ok bool) {
	switch strings.TrimSpace(text) {
	case directedEdge:
		return false, true
	case undirectedEdge:
		return true, true
	}
	return false, false
}
