package graphfile

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// A member is a key and a value of an object that is written in this sequence.
type member struct {
	key   string
	value any
}

type object []member

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for n, m := range o {
		if n > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteString(strconv.Quote(m.key) + ":")
		b.Write(value)
	}
	return append(append([]byte{'{'}, b.Bytes()...), '}'), nil
}

// A direction is an edge as a format writes it that joins vertices in one way only: an undirected
// edge of a graph with both kinds is written from both ends and marked.
type direction struct {
	Edge
	marked bool
	back   bool // the second one of a pair
}

// directions lists the edges of a graph for such a format, and says whether they have a direction
// in the file.
func directions(g *Graph) (directed bool, all []direction) {
	dg, undirected := g.Directed()
	directed = dg.Size() > 0 || len(undirected) == 0
	for _, e := range g.Edges {
		d := direction{Edge: e, marked: directed && e.Undirected}
		all = append(all, d)
		if d.marked {
			all = append(all,
				direction{Edge: Edge{From: e.To, To: e.From, Undirected: true,
					Adjacent: e.Adjacent}, marked: true, back: true})
		}
	}
	return directed, all
}

// numbers are the known numbers of an edge, and its mark, as members.
func (d direction) numbers() object {
	var o object
	for _, q := range quantities {
		if v := d.Number(q); v.Known {
			o = append(o, member{q.String(), v.Value})
		}
	}
	if d.marked {
		o = append(o, member{"undirected", true})
	}
	return o
}

func writeNetworkX(w io.Writer, g *Graph) error {
	directed, all := directions(g)
	nodes, edges := []object{}, []object{}
	for _, name := range g.Names {
		nodes = append(nodes, object{{"id", name}})
	}
	for _, d := range all {
		edges = append(edges,
			append(d.numbers(), member{"source", g.Names[d.From]}, member{"target", g.Names[d.To]}))
	}
	return writeObject(w, object{{"directed", directed}, {"multigraph", false}, {"graph", object{}},
		{"nodes", nodes}, {"edges", edges}})
}

// writeObject writes with a line for each node and edge, so that faults have a place and
// differences are small.
func writeObject(w io.Writer, o object) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(breakLines(data), '\n'))
	return err
}

// breakLines puts a line end before each object that stands in a list.
func breakLines(data []byte) []byte {
	var b bytes.Buffer
	quoted, escaped := false, false
	for n, c := range data {
		if !quoted && c == '{' && n > 0 && (data[n-1] == '[' || data[n-1] == ',') {
			b.WriteByte('\n')
		}
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		}
	}
	return b.Bytes()
}
