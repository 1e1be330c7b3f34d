package graphfile

import (
	"fmt"
	"io"
	"strings"

	"tobac/internal/delimited"
)

// graphMLReader is what reading a graph needs of the file.
type graphMLReader struct {
	source   string
	c        *collector
	keys     map[string]string // lower-case name of each attribute by its identity
	defaults map[string]string // value of an attribute of edges where it is not given, by name
	index    map[string]int    // of each node's identity
}

// graphMLOf reads the first graph of a file, with the nodes and edges of graphs inside its nodes
// (groups of yEd). An edge has a direction as it says itself, or else as the graph's edgedefault
// does.
func graphMLOf(root *tag, source string) (*Graph, error) {
	r := &graphMLReader{source: source, c: newCollector(source), keys: map[string]string{},
		defaults: map[string]string{}, index: map[string]int{}}
	_ = root.each("key", func(key *tag) error {
		name := strings.ToLower(key.attr["attr.name"])
		r.keys[key.attr["id"]] = name
		if value := key.first("default"); value != nil && key.attr["for"] != "node" {
			r.defaults[name] = strings.TrimSpace(value.text.String())
		}
		return nil
	})
	graph := root.first("graph")
	if err := r.nodes(graph); err != nil {
		return nil, err
	}
	directed := graph.attr["edgedefault"] != "undirected"
	if hyper := graph.first("hyperedge"); hyper != nil {
		return nil, &delimited.Error{Source: source, Line: hyper.line, Problem: "hyperedge",
			Allowed: "edges between two vertices"}
	}
	if err := graph.each("edge", func(edge *tag) error {
		return r.edge(edge, directed)
	}); err != nil {
		return nil, err
	}
	return r.c.finish()
}

func (r *graphMLReader) nodes(graph *tag) error {
	var ids []string
	labels := map[string][]string{}
	err := graph.each("node", func(node *tag) error {
		id := node.attr["id"]
		if node.first("graph") != nil {
			return nil // a group of yEd, whose nodes follow
		}
		if _, taken := r.index[id]; taken || id == "" {
			return &delimited.Error{Source: r.source, Line: node.line,
				Problem: "node with the id " + excerpt(id), Allowed: "a different id for each node"}
		}
		r.index[id] = len(ids)
		ids = append(ids, id)
		for name, text := range r.data(node) {
			labels[name] = append(labels[name], text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	names, err := chooseNames(ids, labels)
	if err != nil {
		return fmt.Errorf("%s: %w", r.source, err)
	}
	for _, name := range names {
		r.c.vertex(name)
	}
	return r.c.crowded()
}

// data are the attributes of a node or an edge by their names in lower case; the label that yEd
// draws is called label.
func (r *graphMLReader) data(of *tag) map[string]string {
	all := map[string]string{}
	for _, child := range of.children {
		if child.name != "data" {
			continue
		}
		name, text := r.keys[child.attr["key"]], child.text.String()
		if label := child.first("NodeLabel"); label != nil {
			name, text = "label", strings.TrimSpace(label.text.String())
		}
		all[name] = text
	}
	return all
}

func (r *graphMLReader) edge(edge *tag, directed bool) error {
	fault := func(problem, allowed string) error {
		return &delimited.Error{Source: r.source, Line: edge.line, Problem: problem,
			Allowed: allowed}
	}
	if own, ok := edge.attr["directed"]; ok {
		directed = own != "false" && own != "0"
	}
	e := Edge{Undirected: !directed}
	for _, end := range []struct {
		key string
		v   *int
	}{{"source", &e.From}, {"target", &e.To}} {
		v, known := r.index[edge.attr[end.key]]
		if !known {
			return fault("edge with the unknown "+end.key+" "+excerpt(edge.attr[end.key]),
				"ids of nodes that are no groups")
		}
		*end.v = v
	}
	data := r.data(edge)
	for name, value := range r.defaults {
		if _, given := data[name]; !given {
			data[name] = value
		}
	}
	if strings.EqualFold(strings.TrimSpace(data["undirected"]), "true") {
		e.Undirected = true
	}
	if err := parseNumbers(&e, data); err != nil {
		return fault(err.Error(), "finite numbers such as 1.5 or -2e-3")
	}
	return r.c.add(e, edge.line)
}

// parseNumbers sets the quantities of an edge from attributes in lower case; one that is blank or
// NaN is unknown.
func parseNumbers(e *Edge, data map[string]string) error {
	for _, q := range quantities {
		for _, name := range q.aliases() {
			text := strings.TrimSpace(data[name])
			if text == "" {
				continue
			}
			v, err := knownNumber(text)
			if err != nil {
				return fmt.Errorf("%s %s is not a number", name, excerpt(text))
			}
			*e.number(q) = v
		}
	}
	return nil
}

// writeGraphML writes node identities that are the names, as networkx does, and the attribute name
// for igraph and Cytoscape.
func writeGraphML(w io.Writer, g *Graph) error {
	directed, all := directions(g)
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	b.WriteString(`  <key id="name" for="node" attr.name="name" attr.type="string"/>` + "\n")
	for _, q := range quantities {
		fmt.Fprintf(&b, `  <key id="%v" for="edge" attr.name="%v" attr.type="double"/>`+"\n", q, q)
	}
	b.WriteString(`  <key id="undirected" for="edge" attr.name="undirected" attr.type="boolean"/>` +
		"\n")
	kind := "undirected"
	if directed {
		kind = "directed"
	}
	fmt.Fprintf(&b, "  <graph id=\"G\" edgedefault=\"%s\">\n", kind)
	names := make([]string, len(g.Names))
	for v, name := range g.Names {
		text, err := escapeXML(name)
		if err != nil {
			return err
		}
		names[v] = text
		fmt.Fprintf(&b, "    <node id=\"%s\"><data key=\"name\">%s</data></node>\n", text, text)
	}
	for _, d := range all {
		fmt.Fprintf(&b, "    <edge source=\"%s\" target=\"%s\">", names[d.From], names[d.To])
		for _, m := range d.numbers() {
			fmt.Fprintf(&b, `<data key="%s">%v</data>`, m.key, m.value)
		}
		b.WriteString("</edge>\n")
	}
	b.WriteString("  </graph>\n</graphml>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
