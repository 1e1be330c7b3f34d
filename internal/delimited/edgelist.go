package delimited

import (
	"fmt"
	"slices"
	"strings"
)

// endColumns are the pairs of headers, in any case, between which an edge list has its edges.
var endColumns = [][2]string{{"source", "target"}, {"from", "to"}, {"cause", "effect"},
	{"parent", "child"}}

// EdgeList is an edge list whose vertices are those that it mentions.
type EdgeList struct {
	Names []string // of the vertices, in the sequence in which they first stand in the file
	Edges []ListedEdge

	file    *File
	numbers *NumberParser
}

// ListedEdge is one line of an edge list.
type ListedEdge struct {
	Line     int // in the file, counted from 1
	From, To int // places in Names; To is −1 in a line that names a vertex without an edge

	record int // place in the file's records
}

// IsEdgeList reports whether the first record of a file is the header of an edge list: in any case,
// and wherever they stand, the columns source and target, from and to, cause and effect, or parent
// and child.
func IsEdgeList(f *File) bool { return ends(f) != nil }

// ends are the places of the two columns of vertices; nil means the file is no edge list.
func ends(f *File) []int {
	for _, pair := range endColumns {
		if columns := []int{EdgeColumn(f, pair[0]), EdgeColumn(f, pair[1])}; min(columns[0],
			columns[1]) >= 0 {
			return columns
		}
	}
	return nil
}

// EdgeColumn is the place of a column of the header; −1: there is none.
func EdgeColumn(f *File, name string) int {
	return slices.IndexFunc(f.Records[0].Fields, func(field Field) bool {
		return strings.EqualFold(field.Text, name)
	})
}

// EdgeHeaderFault says that the header of f is not that of an edge list; more ends the list of
// those that are allowed.
func EdgeHeaderFault(f *File, more string) error {
	var columns, pairs []string
	for _, field := range f.Records[0].Fields {
		columns = append(columns, field.Text)
	}
	for _, pair := range endColumns {
		pairs = append(pairs, fmt.Sprintf("%q", pair[0]+","+pair[1]))
	}
	last := len(pairs) - 1
	return &Error{
		Source: f.Source, Line: f.Records[0].Line,
		Problem: "header is " + Excerpt(strings.Join(columns, ",")),
		Allowed: strings.Join(pairs[:last], ", ") + " or " + pairs[last] + more,
	}
}

// ReadEdgeList reads an edge list: a header, see [IsEdgeList], then one edge per line. A line whose
// second vertex is blank names a vertex that may have no edge. Other columns are left to
// [EdgeList.Text] and [EdgeList.Number]. Another header, lines of another length and a repeated
// edge are errors with file and line. Cycles and edges from a vertex to itself are not.
func ReadEdgeList(f *File) (*EdgeList, error) {
	columns := ends(f)
	if columns == nil {
		return nil, EdgeHeaderFault(f, ", perhaps among other columns")
	}
	l := &EdgeList{file: f, numbers: f.Numbers()}
	index, lines := map[string]int{}, map[[2]int]int{}
	for n, record := range f.Records[1:] {
		if got, want := len(record.Fields), len(f.Records[0].Fields); got != want {
			return nil, l.Fault(record.Line, fmt.Sprintf("got %d values, want %d", got, want), "")
		}
		e := ListedEdge{Line: record.Line, record: n + 1}
		for k, v := range []*int{&e.From, &e.To} {
			name := record.Fields[columns[k]].Text
			if name == "" {
				if k == 0 {
					return nil, l.Fault(record.Line, "edge from a vertex without a name",
						"names of vertices")
				}
				*v = -1
				continue
			}
			at, known := index[name]
			if !known {
				at = len(l.Names)
				index[name] = at
				l.Names = append(l.Names, name)
			}
			*v = at
		}
		edge := [2]int{e.From, e.To}
		if line, given := lines[edge]; given && e.To >= 0 {
			return nil, l.Fault(record.Line, fmt.Sprintf("edge %q -> %q is already on line %d",
				l.Names[e.From], l.Names[e.To], line), "each edge once")
		}
		lines[edge] = record.Line
		l.Edges = append(l.Edges, e)
	}
	return l, nil
}

// Text is the value of an edge in the column of this name, in any case; ok is false if there is no
// such column, or if it is blank.
func (l *EdgeList) Text(e ListedEdge, column string) (text string, ok bool) {
	at := EdgeColumn(l.file, column)
	if at < 0 {
		return "", false
	}
	text = l.file.Records[e.record].Fields[at].Text
	return text, text != ""
}

// Number is the number that [EdgeList.Text] gives. One that is not finite, or none, is an error
// with file and line.
func (l *EdgeList) Number(e ListedEdge, column string) (v float64, ok bool, err error) {
	if _, ok := l.Text(e, column); !ok {
		return 0, false, nil
	}
	v, err = l.Required(e, column)
	return v, err == nil, err
}

// Required is the number of an edge in a column of the header; a blank is an error too.
func (l *EdgeList) Required(e ListedEdge, name string) (float64, error) {
	column := EdgeColumn(l.file, name)
	return l.numbers.Parse(l.file.Records[e.record].Fields[column].Text, e.Line,
		l.file.Records[0].Fields[column].Text)
}

// Fault is an error in a line of the list.
func (l *EdgeList) Fault(line int, problem, allowed string) error {
	return &Error{Source: l.file.Source, Line: line, Problem: problem, Allowed: allowed}
}
