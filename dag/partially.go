package dag

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/delimited"
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
	if err := checkNames(g, names); err != nil {
		return err
	}
	text := []byte("source,target,type\n")
	if weights != nil {
		if rows, cols := weights.Dims(); rows != g.d || cols != g.d {
			return fmt.Errorf("dag: weights are %d×%d for a graph with %d vertices", rows, cols, g.d)
		}
		text = []byte("source,target,weight,type\n")
	}
	for _, e := range g.Edges() {
		kind := directedEdge
		if g.Has(e.To, e.From) {
			if e.From > e.To {
				continue // written as e.To, e.From
			}
			kind = undirectedEdge
			if first != nil && !first(e) {
				e = Edge{e.To, e.From}
			}
		}
		text = delimited.AppendTexts(text, names[e.From], names[e.To])
		if weights != nil {
			weight := weights.At(e.From, e.To)
			if math.IsNaN(weight) || math.IsInf(weight, 0) {
				return fmt.Errorf("dag: weight of %q -> %q is %v, want a finite number", names[e.From], names[e.To], weight)
			}
			text = delimited.AppendNumber(append(text, ','), weight)
		}
		text = append(append(append(text, ','), kind...), '\n')
	}
	_, err := w.Write(text)
	return err
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
