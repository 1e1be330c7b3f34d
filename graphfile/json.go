package graphfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tobac/delimited"
)

// attributes are those of a vertex or an edge.
type attributes map[string]json.RawMessage

// document is what the kinds of JSON have at the top.
type document struct {
	Directed  *bool           `json:"directed"`
	Nodes     []attributes    `json:"nodes"`
	Links     []attributes    `json:"links"` // networkx before 3.4, D3
	Edges     []attributes    `json:"edges"` // networkx from 3.4 on
	Adjacency [][]attributes  `json:"adjacency"`
	Elements  json.RawMessage `json:"elements"`
}

// element is a vertex or an edge of Cytoscape.
type element struct {
	Data attributes `json:"data"`
}

// readJSON reads node_link_data and adjacency_data of networkx, the latter without customised keys, and Cytoscape's JSON. Without the key directed the edges have a direction.
func readJSON(data []byte, source string) (*Graph, error) {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	var doc document
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		doc.Elements = data // Cytoscape.js may have the elements alone
		if !json.Valid(data) {
			return nil, jsonError(json.Unmarshal(data, new(any)), data, source)
		}
	} else if err := json.Unmarshal(data, &doc); err != nil {
		return nil, jsonError(err, data, source)
	}
	links := doc.Links
	if links == nil {
		links = doc.Edges
	}
	if doc.Elements != nil {
		var err error
		if doc.Nodes, links, err = elements(doc.Elements); err != nil {
			return nil, jsonError(err, nil, source)
		}
	}
	if doc.Nodes == nil {
		return nil, &delimited.Error{Source: source, Problem: "JSON without a list of nodes", Allowed: "networkx.node_link_data, networkx.adjacency_data, Cytoscape"}
	}
	r := jsonReader{c: newCollector(source), index: map[string]int{}, undirected: doc.Directed != nil && !*doc.Directed}
	if err := r.nodes(doc.Nodes); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	for n, link := range links {
		if err := r.edge(fmt.Sprintf("edge %d", n+1), link["source"], link["target"], link); err != nil {
			return nil, err
		}
	}
	if doc.Adjacency != nil && len(doc.Adjacency) != len(doc.Nodes) {
		return nil, fmt.Errorf("%s: %d lists of neighbours for %s", source, len(doc.Adjacency), counted(len(doc.Nodes), "node"))
	}
	for v, neighbours := range doc.Adjacency {
		for _, link := range neighbours {
			if err := r.edge(fmt.Sprintf("neighbours of node %d", v+1), doc.Nodes[v]["id"], link["id"], link); err != nil {
				return nil, err
			}
		}
	}
	return r.c.finish()
}

// jsonError says where the text is faulty.
func jsonError(err error, data []byte, source string) error {
	fault := &delimited.Error{Source: source, Problem: "faulty JSON: " + strings.TrimPrefix(err.Error(), "json: ")}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && data != nil:
		fault.Line = 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
	case errors.As(err, &kind) && data != nil:
		fault.Line = 1 + bytes.Count(data[:min(int(kind.Offset), len(data))], []byte("\n"))
		fault.Problem = fmt.Sprintf("faulty JSON: %s is a %s", kind.Field, kind.Value)
	}
	return fault
}

// elements splits Cytoscape's elements, which are two lists or a single one, into nodes and edges.
func elements(text json.RawMessage) (nodes, edges []attributes, err error) {
	var two struct{ Nodes, Edges []element }
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		var all []element
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, nil, err
		}
		for _, e := range all {
			if _, isEdge := e.Data["source"]; isEdge {
				two.Edges = append(two.Edges, e)
			} else {
				two.Nodes = append(two.Nodes, e)
			}
		}
	} else if err := json.Unmarshal(text, &two); err != nil {
		return nil, nil, err
	}
	nodes = []attributes{}
	for _, n := range two.Nodes {
		nodes = append(nodes, n.Data)
	}
	for _, e := range two.Edges {
		edges = append(edges, e.Data)
	}
	return nodes, edges, nil
}

// jsonReader adds nodes and edges to a graph.
type jsonReader struct {
	c          *collector
	index      map[string]int // by the identity of the node
	texts      bool           // all identities are strings
	undirected bool
}

func (r *jsonReader) nodes(nodes []attributes) error {
	var ids []string
	labels := map[string][]string{}
	r.texts = true
	for n, node := range nodes {
		id, ok := node["id"]
		if !ok {
			return fmt.Errorf("node %d has no id", n+1)
		}
		if _, taken := r.index[identity(id)]; taken {
			return fmt.Errorf("two nodes have the id %.60s", id)
		}
		r.index[identity(id)] = n
		r.texts = r.texts && id[0] == '"'
		ids = append(ids, textOf(id))
		for _, key := range labelKeys {
			if text, ok := node[key]; ok {
				labels[key] = append(labels[key], textOf(text))
			}
		}
	}
	names, err := chooseNames(ids, labels)
	if err != nil {
		return err
	}
	for _, name := range names {
		r.c.vertex(name)
	}
	return r.c.crowded()
}

// textOf is a string without its quotes, or other JSON as it is.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// identity is the same for all spellings of a string, and another one for other JSON.
func identity(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		return `"` + textOf(id)
	}
	return string(id)
}

// node is the vertex of an identity. A number that is none is a place in the list, as D3 writes it.
func (r *jsonReader) node(id json.RawMessage) (int, error) {
	if id == nil {
		return 0, errors.New("no source or target")
	}
	if v, ok := r.index[identity(id)]; ok {
		return v, nil
	}
	if v, err := strconv.Atoi(string(id)); err == nil && r.texts && 0 <= v && v < len(r.index) {
		return v, nil
	}
	return 0, fmt.Errorf("unknown node %s", excerpt(textOf(id)))
}

// edge adds an edge; where names it in errors.
func (r *jsonReader) edge(where string, source, target json.RawMessage, of attributes) (err error) {
	e := Edge{Undirected: r.undirected}
	if e.From, err = r.node(source); err == nil {
		e.To, err = r.node(target)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", r.c.source, where, err)
	}
	if mark, ok := of["undirected"]; ok && string(mark) == "true" {
		e.Undirected = true
	}
	for _, q := range quantities {
		for _, name := range q.aliases() {
			value, ok := of[name]
			if !ok || string(value) == "null" {
				continue
			}
			v, err := strconv.ParseFloat(textOf(value), 64)
			if err != nil {
				return fmt.Errorf("%s: %s: %v is %.60s, want a number", r.c.source, where, q, value)
			}
			*e.number(q) = Known(v)
		}
	}
	return r.c.add(e, 0)
}

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

// A direction is an edge as a format writes it that joins vertices in one way only: an undirected edge of a graph with both kinds is written from both
// ends and marked.
type direction struct {
	Edge
	marked bool
	back   bool // the second one of a pair
}

// directions lists the edges of a graph for such a format, and says whether they have a direction in the file.
func directions(g *Graph) (directed bool, all []direction) {
	dg, undirected := g.Directed()
	directed = dg.Size() > 0 || len(undirected) == 0
	for _, e := range g.Edges {
		d := direction{Edge: e, marked: directed && e.Undirected}
		all = append(all, d)
		if d.marked {
			all = append(all, direction{Edge: Edge{From: e.To, To: e.From, Undirected: true, Adjacent: e.Adjacent}, marked: true, back: true})
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
		edges = append(edges, append(d.numbers(), member{"source", g.Names[d.From]}, member{"target", g.Names[d.To]}))
	}
	return writeObject(w, object{{"directed", directed}, {"multigraph", false}, {"graph", object{}}, {"nodes", nodes}, {"edges", edges}})
}

func writeAdjacencyJSON(w io.Writer, g *Graph) error {
	directed, all := directions(g)
	nodes, neighbours := []object{}, make([][]object, len(g.Names))
	for v, name := range g.Names {
		nodes, neighbours[v] = append(nodes, object{{"id", name}}), []object{}
	}
	for _, d := range all {
		neighbours[d.From] = append(neighbours[d.From], append(d.numbers(), member{"id", g.Names[d.To]}))
	}
	return writeObject(w, object{{"directed", directed}, {"multigraph", false}, {"graph", []object{}}, {"nodes", nodes}, {"adjacency", neighbours}})
}

func writeCytoscape(w io.Writer, g *Graph) error {
	directed, all := directions(g)
	nodes, edges := []object{}, []object{}
	for _, name := range g.Names {
		nodes = append(nodes, object{{"data", object{{"id", name}, {"value", name}, {"name", name}}}})
	}
	for _, d := range all {
		edges = append(edges, object{{"data", append(d.numbers(), member{"source", g.Names[d.From]}, member{"target", g.Names[d.To]})}})
	}
	return writeObject(w, object{{"data", object{}}, {"directed", directed}, {"multigraph", false}, {"elements", object{{"nodes", nodes}, {"edges", edges}}}})
}

// writeObject writes with a line for each node and edge, so that faults have a place and differences are small.
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
