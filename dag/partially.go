package dag

import (
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"
)

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

// WritePartiallyDirected writes a partially directed graph, in which i → j and
// j → i together are the undirected edge between i and j, as the edge list that [ReadEdges]
// reads: as [WriteEdges] does, with a last column type of "->" for directed and "--" for
// undirected edges. An undirected edge has one line, from first if that is the source that first
// prefers, with the weight of this direction; first may be nil. The errors are those of WriteEdges.
func WritePartiallyDirected(w io.Writer, g *Graph, names []string, weights *mat.Dense, first func(Edge) bool) error {
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
