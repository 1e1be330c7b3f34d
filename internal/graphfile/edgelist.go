package graphfile

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"tobac/internal/delimited"
)

// isEdgeList reports whether a file is a list of edges, even if vertices of a matrix are named
// source and target.
func isEdgeList(f *delimited.File) bool {
	return delimited.IsEdgeList(f) && !(f.Records[0].Fields[0].Text == "" && isLabelled(f))
}

// isLabelled reports whether the names in the first line also stand in front of the others.
func isLabelled(f *delimited.File) bool {
	header := f.Records[0].Fields
	if len(f.Records) != len(header) || len(header) < 2 {
		return false
	}
	for n, record := range f.Records[1:] {
		if record.Fields[0].Text != header[n+1].Text {
			return false
		}
	}
	return true
}

// readDelimited reads an edge list or a matrix.
func readDelimited(data []byte, source string) (*Graph, error) {
	f, err := delimited.Read(bytes.NewReader(data), source, syntaxOf(string(data)))
	if err != nil {
		return nil, err
	}
	if isEdgeList(f) {
		return edgeListOf(f)
	}
	names, m, err := ReadMatrix(bytes.NewReader(data), source)
	if err != nil {
		return nil, err
	}
	if len(f.Records) == len(names) {
		names = nil
	}
	return fromMatrix(names, m, source)
}

// syntaxOf says that a tab in the first line separates, in all lines, unless a comma or semicolon
// stands there: names may have blanks. Other separators are detected.
func syntaxOf(text string) (s delimited.Syntax) {
	first, _, _ := strings.Cut(text, "\n")
	if bare := quoted.ReplaceAllString(first, ""); strings.Contains(bare, "\t") &&
		!strings.ContainsAny(bare, ",;") {
		s.Separator = '\t'
	}
	return s
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// edgeListOf reads a header, then one edge per line. The columns named after a [Quantity],
// weight_mean and type are read, others left alone.
func edgeListOf(f *delimited.File) (*Graph, error) {
	list, err := delimited.ReadEdgeList(f)
	if err != nil {
		return nil, err
	}
	c := newCollector(f.Source)
	c.graph.Partial = true
	for _, name := range list.Names {
		c.vertex(name)
	}
	for _, row := range list.Edges {
		if row.To < 0 {
			continue
		}
		e := Edge{From: row.From, To: row.To}
		if text, ok := list.Text(row, "type"); ok {
			arrow, err := parseType(text)
			if err != nil {
				return nil, &delimited.Error{Source: f.Source, Line: row.Line, Column: "type",
					Problem: err.Error(), Allowed: "directed, undirected, ->, --"}
			}
			e = arrow.orient(e)
		}
		for _, q := range quantities {
			for _, name := range q.aliases() {
				v, ok, err := list.Number(row, name)
				if err != nil {
					return nil, err
				}
				if ok {
					*e.number(q) = Known(v)
				}
			}
		}
		if err := c.add(e, row.Line); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// An arrow is how an edge is drawn between two vertices.
type arrow int

const (
	forward arrow = iota
	backward
	plain
)

// arrows are the spellings of edges; those with a circle, or two heads, stand for hidden variables.
var arrows = map[string]arrow{
	"->": forward, "-->": forward, "directed": forward,
	"<-": backward, "<--": backward,
	"--": plain, "---": plain, "-": plain, "undirected": plain,
}

// hiddenArrows stand for a hidden common cause, or leave one open.
var hiddenArrows = []string{"<->", "<-->", "bidirected", "o->", "<-o", "o-o", "o--", "--o", "@->",
	"<-@", "@-@", "@--", "--@", "o-", "-o"}

// parseType is the arrow of a text, in any case.
func parseType(text string) (arrow, error) {
	text = strings.ToLower(text)
	if a, ok := arrows[text]; ok {
		return a, nil
	}
	for _, hidden := range hiddenArrows {
		if text == hidden {
			return 0, fmt.Errorf("edge %s stands for a hidden common cause, or leaves one open, "+
				"which no graph on the variables alone can say", text)
		}
	}
	return 0, fmt.Errorf("unknown kind of edge %s", excerpt(text))
}

// orient is the edge that the arrow draws from e.From to e.To.
func (a arrow) orient(e Edge) Edge {
	if a == backward {
		e.From, e.To = e.To, e.From
	}
	e.Undirected = a == plain
	return e
}

func writeEdgeList(w io.Writer, g *Graph) error { return writeRows(w, g, ',') }
func writeEdgeTabs(w io.Writer, g *Graph) error { return writeRows(w, g, '\t') }

// writeRows writes an edge list with the numbers that some edge has, and the column type if an edge
// has no direction. Vertices without edges follow as lines without a target.
func writeRows(w io.Writer, g *Graph, separator byte) error {
	header := []string{"source", "target"}
	_, undirected := g.Directed()
	if len(undirected) > 0 {
		header = append(header, "type")
	}
	var numbers []Quantity
	for _, q := range quantities {
		if g.Has(q) {
			numbers = append(numbers, q)
			header = append(header, q.String())
		}
	}
	text := []byte(strings.Join(header, string(separator)) + "\n")
	joined := make([]bool, len(g.Names))
	for _, e := range g.Edges {
		joined[e.From], joined[e.To] = true, true
		text = delimited.AppendText(text, g.Names[e.From])
		text = delimited.AppendText(append(text, separator), g.Names[e.To])
		if len(undirected) > 0 {
			text = append(append(text, separator), typeText(e)...)
		}
		for _, q := range numbers {
			text = append(text, separator)
			if v := e.Number(q); v.Known {
				text = delimited.AppendNumber(text, v.Value)
			}
		}
		text = append(text, '\n')
	}
	for v, name := range g.Names {
		if !joined[v] {
			text = delimited.AppendText(text, name)
			text = append(append(text, bytes.Repeat([]byte{separator}, len(header)-1)...), '\n')
		}
	}
	_, err := w.Write(text)
	return err
}

func typeText(e Edge) string {
	if e.Undirected {
		return "undirected"
	}
	return "directed"
}
