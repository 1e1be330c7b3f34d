package graphfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tobac/internal/delimited"
)

// attributes are those of a vertex or an edge.
type attributes map[string]json.RawMessage

// document is what networkx.node_link_data has at the top.
type document struct {
	Directed *bool        `json:"directed"`
	Nodes    []attributes `json:"nodes"`
	Links    []attributes `json:"links"` // networkx before 3.4, D3
	Edges    []attributes `json:"edges"` // networkx from 3.4 on
}

// readJSON reads node_link_data of networkx. Without the key directed the edges have a direction.
func readJSON(data []byte, source string) (*Graph, error) {
	var doc document
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, jsonError(err, data, source)
	}
	links := doc.Links
	if links == nil {
		links = doc.Edges
	}
	if doc.Nodes == nil || links == nil {
		return nil, &delimited.Error{Source: source,
			Problem: "JSON without lists of nodes and edges", Allowed: "networkx.node_link_data"}
	}
	r := jsonReader{c: newCollector(source), index: map[string]int{},
		undirected: doc.Directed != nil && !*doc.Directed}
	if err := r.nodes(doc.Nodes); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := r.c.crowded(); err != nil {
		return nil, err
	}
	for n, link := range links {
		if err := r.edge(fmt.Sprintf("edge %d", n+1), link); err != nil {
			return nil, err
		}
	}
	return r.c.finish()
}

// jsonError says where the text is faulty.
func jsonError(err error, data []byte, source string) error {
	fault := &delimited.Error{Source: source, Problem: "faulty JSON: " +
		strings.TrimPrefix(err.Error(), "json: ")}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		fault.Line = 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
	case errors.As(err, &kind):
		fault.Line = 1 + bytes.Count(data[:min(int(kind.Offset), len(data))], []byte("\n"))
		fault.Problem = fmt.Sprintf("faulty JSON: %s is a %s", kind.Field, kind.Value)
	}
	return fault
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
	return nil
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
func (r *jsonReader) edge(where string, of attributes) (err error) {
	e := Edge{Undirected: r.undirected}
	if e.From, err = r.node(of["source"]); err == nil {
		e.To, err = r.node(of["target"])
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
			v, err := knownNumber(textOf(value))
			if err != nil {
				return fmt.Errorf("%s: %s: %v is %.60s, want a number", r.c.source, where, q, value)
			}
			*e.number(q) = v
		}
	}
	return r.c.add(e, 0)
}
