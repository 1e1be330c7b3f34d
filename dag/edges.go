package dag

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/delimited"
)

// allowedHeaders is what the first line of an edge list may be.
const allowedHeaders = `"source,target" or "from,to", either with ",weight", ",type" or both after it`

// ReadEdges reads an edge list: a header source,target or from,to, perhaps with a third column weight, then one edge per line. names lists the
// vertices; the graph has len(names) of them, and vertex i is names[i]. source names r in errors. Package delimited describes
// the text: separators, line ends, quotes, decimal marks. A file with only a header is the graph without edges.
//
// weights is len(names)×len(names) with the weight of i → j in row i, column j and zero where there is no edge; it is nil without a column
// of weights. A last column type, as [WritePartiallyDirected] writes it, says "->" of a directed edge and "--" of an undirected one, which then stands
// in the graph in both directions, with the same weight. A wrong header, an unknown vertex, an edge from a vertex to itself, a repeated edge and a weight that is no finite number
// are errors with file and line. Cycles are not; see [Graph.CheckAcyclic]. Empty or repeated names are an error too.
func ReadEdges(r io.Reader, source string, names []string) (g *Graph, weights *mat.Dense, err error) {
	vertex, err := indexNames(names)
	if err != nil {
		return nil, nil, err
	}
	f, err := delimited.Read(r, source)
	if err != nil {
		return nil, nil, err
	}
	weighted, typed, err := readHeader(f)
	if err != nil {
		return nil, nil, err
	}
	list := edgeList{file: f, weighted: weighted, typed: typed, names: names, vertex: vertex, numbers: f.Numbers(), line: make(map[Edge]int)}
	g = New(len(names))
	if weighted && len(names) > 0 {
		weights = mat.NewDense(len(names), len(names), nil)
	}
	for _, record := range f.Records[1:] {
		e, weight, err := list.edge(record)
		if err != nil {
			return nil, nil, err
		}
		ends := []Edge{e}
		if list.undirected(record) {
			ends = append(ends, Edge{e.To, e.From})
		}
		for _, e := range ends {
			g.Set(e.From, e.To, true)
			if weighted {
				weights.Set(e.From, e.To, weight)
			}
		}
	}
	return g, weights, nil
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

func readHeader(f *delimited.File) (weighted, typed bool, err error) {
	var columns []string
	for _, field := range f.Records[0].Fields {
		columns = append(columns, field.Text)
	}
	header := strings.ToLower(strings.Join(columns, ","))
	rest, typed := strings.CutSuffix(header, ",type")
	switch rest {
	case "source,target", "from,to":
		return false, typed, nil
	case "source,target,weight", "from,to,weight":
		return true, typed, nil
	}
	return false, false, &delimited.Error{
		Source: f.Source, Line: f.Records[0].Line, Problem: "header is " + delimited.Excerpt(strings.Join(columns, ",")), Allowed: allowedHeaders,
	}
}

// edgeList is what reading one edge needs to know of the whole file.
type edgeList struct {
	file    *delimited.File
	names   []string
	vertex  map[string]int // index of each name
	numbers *delimited.NumberParser
	line    map[Edge]int // where each edge was given

	weighted, typed bool // whether there are these columns
}

// undirected reports whether a record that edge has read says so.
func (l *edgeList) undirected(record delimited.Record) bool {
	if !l.typed {
		return false
	}
	undirected, _ := kindOf(record.Fields[len(record.Fields)-1].Text)
	return undirected
}

// edge reads one record; weight is zero in a file without weights.
func (l *edgeList) edge(record delimited.Record) (e Edge, weight float64, err error) {
	header := l.file.Records[0].Fields
	if len(record.Fields) != len(header) {
		return e, 0, l.fault(record, fmt.Sprintf("got %d values, want %d", len(record.Fields), len(header)), "")
	}
	var ends [2]int
	for n := range ends {
		name := record.Fields[n].Text
		v, known := l.vertex[name]
		if !known {
			return e, 0, l.fault(record, "unknown vertex "+delimited.Excerpt(name), delimited.Excerpts(l.names))
		}
		ends[n] = v
	}
	e = Edge{From: ends[0], To: ends[1]}
	if e.From == e.To {
		return e, 0, l.fault(record, fmt.Sprintf("edge from %q to itself", l.names[e.From]), "edges between different vertices")
	}
	if l.typed {
		if _, ok := kindOf(record.Fields[len(header)-1].Text); !ok {
			return e, 0, l.fault(record, "type of the edge is "+delimited.Excerpt(record.Fields[len(header)-1].Text), directedEdge+", "+undirectedEdge)
		}
	}
	both := []Edge{e}
	if l.undirected(record) {
		both = append(both, Edge{e.To, e.From})
	}
	for _, e := range both {
		if line, given := l.line[e]; given {
			problem := fmt.Sprintf("edge %q -> %q is already on line %d", l.names[e.From], l.names[e.To], line)
			return e, 0, l.fault(record, problem, "each edge once")
		}
		l.line[e] = record.Line
	}
	if l.weighted {
		weight, err = l.numbers.Parse(record.Fields[2].Text, record.Line, header[2].Text)
	}
	return e, weight, err
}

func (l *edgeList) fault(record delimited.Record, problem, allowed string) error {
	return &delimited.Error{Source: l.file.Source, Line: record.Line, Problem: problem, Allowed: allowed}
}

// WriteEdges writes the edge list that [ReadEdges] reads: a header source,target and, unless weights is nil, weight; then the edges sorted
// by source, then target, separated by commas, with LF after each line. names[i] is the name of vertex i; weights is d×d, and its entry in
// row i, column j belongs to i → j and reads back exactly. Names that are empty, repeated or too few, weights of another shape, and a
// weight of an edge that is not finite are errors.
func WriteEdges(w io.Writer, g *Graph, names []string, weights *mat.Dense) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	text := []byte("source,target\n")
	if weights != nil {
		if rows, cols := weights.Dims(); rows != g.d || cols != g.d {
			return fmt.Errorf("dag: weights are %d×%d for a graph with %d vertices", rows, cols, g.d)
		}
		text = []byte("source,target,weight\n")
	}
	for _, e := range g.Edges() {
		text = delimited.AppendTexts(text, names[e.From], names[e.To])
		if weights != nil {
			weight := weights.At(e.From, e.To)
			if math.IsNaN(weight) || math.IsInf(weight, 0) {
				return fmt.Errorf("dag: weight of %q -> %q is %v, want a finite number", names[e.From], names[e.To], weight)
			}
			text = delimited.AppendNumber(append(text, ','), weight)
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
