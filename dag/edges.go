package dag

import (
	"fmt"
	"io"
	"math"

	"tobac/internal/delimited"

	"gonum.org/v1/gonum/mat"
)

// ReadEdges reads an edge list on the vertices names; the graph has len(names) of them, and vertex
// i is names[i]. The header has two columns of vertices (source and target, from and to, cause and
// effect, or parent and child), and may have the columns weight and type. Every other line is an
// edge, or names a vertex if its second column is blank. source names r in errors. A file with only
// a header is the graph without edges.
//
// weights is len(names)×len(names) with the weight of i → j in row i, column j and zero where there
// is no edge; it is nil without a column of weights. The type, as [WritePartiallyDirected] writes
// it, is "->" of a directed edge and "--" of an undirected one, which then stands in the graph in
// both directions, with the same weight. A wrong header, an unknown vertex, another type, an edge
// from a vertex to itself or repeated, and a weight that is not a finite number are errors with
// file and line. Cycles are not; see [Graph.CheckAcyclic]. Empty or repeated names are an error
// too.
func ReadEdges(r io.Reader, source string, names []string) (g *Graph, weights *mat.Dense,
	err error) {
	vertex, err := indexNames(names)
	if err != nil {
		return nil, nil, err
	}
	f, err := delimited.Read(r, source, delimited.Syntax{})
	if err != nil {
		return nil, nil, err
	}
	weighted := delimited.EdgeColumn(f, "weight") >= 0
	columns := 2
	for _, optional := range []string{"weight", "type"} {
		if delimited.EdgeColumn(f, optional) >= 0 {
			columns++
		}
	}
	if !delimited.IsEdgeList(f) || len(f.Records[0].Fields) != columns {
		return nil, nil,
			delimited.EdgeHeaderFault(f, `, either with ",weight", ",type" or both after it`)
	}
	list, err := delimited.ReadEdgeList(f)
	if err != nil {
		return nil, nil, err
	}
	g = New(len(names))
	line := map[Edge]int{} // of each direction
	if weighted && len(names) > 0 {
		weights = mat.NewDense(len(names), len(names), nil)
	}
	for _, e := range list.Edges {
		var ends [2]int
		for n, v := range []int{e.From, e.To} {
			if v < 0 {
				continue
			}
			known := false
			if ends[n], known = vertex[list.Names[v]]; !known {
				return nil, nil, list.Fault(e.Line,
					"unknown vertex "+delimited.Excerpt(list.Names[v]), delimited.Excerpts(names))
			}
		}
		if e.To < 0 {
			continue
		}
		if e.From == e.To {
			return nil, nil,
				list.Fault(e.Line, fmt.Sprintf("edge from %q to itself", list.Names[e.From]),
					"edges between different vertices")
		}
		undirected, err := undirected(list, e)
		if err != nil {
			return nil, nil, err
		}
		directions := []Edge{{ends[0], ends[1]}}
		if undirected {
			directions = append(directions, Edge{ends[1], ends[0]})
		}
		for _, d := range directions {
			if before, given := line[d]; given {
				return nil, nil,
					list.Fault(e.Line, fmt.Sprintf("edge %q -> %q is already on line %d",
						names[d.From], names[d.To], before), "each edge once")
			}
			line[d] = e.Line
			g.Set(d.From, d.To, true)
		}
		if weighted {
			weight, err := list.Required(e, "weight")
			if err != nil {
				return nil, nil, err
			}
			weights.Set(ends[0], ends[1], weight)
			if undirected {
				weights.Set(ends[1], ends[0], weight)
			}
		}
	}
	return g, weights, nil
}

// undirected reports whether the column type says so of an edge, see [WritePartiallyDirected].
func undirected(l *delimited.EdgeList, e delimited.ListedEdge) (bool, error) {
	kind, ok := l.Text(e, "type")
	if !ok {
		return false, nil
	}
	undirected, ok := kindOf(kind)
	if !ok {
		return false, l.Fault(e.Line, "type of the edge is "+delimited.Excerpt(kind),
			directedEdge+", "+undirectedEdge)
	}
	return undirected, nil
}

func indexNames(names []string) (map[string]int, error) {
	vertex := make(map[string]int, len(names))
	for i, name := range names {
		if name == "" {
			return nil, fmt.Errorf("dag: vertex %d has an empty name", i)
		}
		if first, taken := vertex[name]; taken {
			return nil, fmt.Errorf("dag: vertices %d and %d are both named %q", first, i, name)
		}
		vertex[name] = i
	}
	return vertex, nil
}

// WriteEdges writes the edge list that [ReadEdges] reads: a header source,target and, unless
// weights is nil, weight; then the edges sorted by source, then target, separated by commas, with
// LF after each line. names[i] is the name of vertex i; weights is d×d, and its entry in row i,
// column j belongs to i → j and reads back exactly. Names that are empty, repeated or too few,
// weights of another shape, and a weight of an edge that is not finite are errors.
func WriteEdges(w io.Writer, g *Graph, names []string, weights *mat.Dense) error {
	return writeEdges(w, g, names, weights, "", func(e Edge) (Edge, string) { return e, "" })
}

// writeEdges writes the header, with the column kind unless that is "", and those edges that listed
// gives for the graph's, with their kind; an edge with equal ends is left out.
func writeEdges(w io.Writer, g *Graph, names []string, weights *mat.Dense, kind string,
	listed func(Edge) (Edge, string)) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	header := []string{"source", "target"}
	if weights != nil {
		if rows, cols := weights.Dims(); rows != g.d || cols != g.d {
			return fmt.Errorf("dag: weights are %d×%d for a graph with %d vertices", rows, cols,
				g.d)
		}
		header = append(header, "weight")
	}
	if kind != "" {
		header = append(header, kind)
	}
	text := append(delimited.AppendTexts(nil, header...), '\n')
	for _, e := range g.Edges() {
		e, kind := listed(e)
		if e.From == e.To {
			continue
		}
		text = delimited.AppendTexts(text, names[e.From], names[e.To])
		if weights != nil {
			weight := weights.At(e.From, e.To)
			if math.IsNaN(weight) || math.IsInf(weight, 0) {
				return fmt.Errorf("dag: weight of %q -> %q is %v, want a finite number",
					names[e.From], names[e.To], weight)
			}
			text = delimited.AppendNumber(append(text, ','), weight)
		}
		if kind != "" {
			text = append(append(text, ','), kind...)
		}
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

func checkNames(g *Graph, names []string) error {
	if len(names) != g.d {
		return fmt.Errorf("dag: %d names for %d vertices", len(names), g.d)
	}
	_, err := indexNames(names)
	return err
}
