package graphfile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tobac/internal/delimited"
)

// dotKeys are the attributes of nodes and edges that are read.
var dotKeys = []string{"name", "label", "dir", "arrowhead", "arrowtail", "probability", "adjacent",
	"weight", "weight_mean", "weight_sd"}

// graph builds the graph from what was read.
func (r *dotReader) graph() (*Graph, error) {
	labels := map[string][]string{}
	for v := range r.ids {
		for _, key := range labelKeys {
			if label, ok := r.nodes[v][key]; ok {
				labels[key] = append(labels[key], label)
			}
		}
	}
	names, err := chooseNames(r.ids, labels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.source, err)
	}
	c := newCollector(r.source)
	c.graph.Partial = !r.listed
	for _, name := range names {
		c.vertex(name)
	}
	for _, edge := range r.edges {
		a, err := edge.arrow()
		if err != nil {
			return nil, r.fault(edge.line, err.Error(), "->, --, and in DAGitty's graphs <-")
		}
		e := a.orient(Edge{From: edge.from, To: edge.to})
		if err := parseNumbers(&e, edge.data); err != nil {
			return nil, r.fault(edge.line, err.Error(), "finite numbers such as 1.5 or -2e-3")
		}
		if c.has(e) && r.strict {
			continue
		}
		if err := c.add(e, edge.line); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// arrow is the direction of an edge, from its sign and from the heads and tails that its attributes
// draw.
func (e *dotEdge) arrow() (arrow, error) {
	a, err := parseType(e.op)
	if err != nil {
		return 0, err
	}
	dir, head, tail := e.data["dir"], e.data["arrowhead"], e.data["arrowtail"]
	if dir == "" {
		dir = [...]string{"forward", "back", "none"}[a]
		if a == backward { // of DAGitty, which draws no heads by attributes
			return a, nil
		}
	}
	drawn := func(mark string, at string) (arrow, circle bool) {
		on := dir == at || dir == "both"
		return on && mark != "none" && mark != "odot" && mark != "dot",
			on && (mark == "odot" || mark == "dot")
	}
	toHead, headCircle := drawn(head, "forward")
	toTail, tailCircle := drawn(tail, "back")
	switch {
	case headCircle || tailCircle || toHead && toTail:
		return 0, fmt.Errorf("edge with the ends dir=%q arrowhead=%q arrowtail=%q stands for a "+
			"hidden common cause, or leaves one open", dir, head, tail)
	case toHead:
		return forward, nil
	case toTail:
		return backward, nil
	}
	return plain, nil
}

// writeDOT draws the probability of each edge: as its label, for an undirected edge that of either
// direction, and as the width of its line; a second line of the label is the weight, if the edge
// has a direction. Undirected edges are dashed lines without a head. The numbers themselves are
// attributes of the edges, the weight as weight_mean, because Graphviz takes an attribute weight
// for an instruction how to lay out.
func writeDOT(w io.Writer, g *Graph) error {
	for _, name := range g.Names {
		if strings.Contains(name, "\x00") {
			return fmt.Errorf("DOT cannot hold the character U+0000 of the name %s", excerpt(name))
		}
	}
	var b strings.Builder
	b.WriteString("digraph {\n")
	for _, name := range g.Names {
		fmt.Fprintf(&b, "\t%s;\n", quoteDOT(name))
	}
	edges := slices.SortedFunc(slices.Values(g.Edges), func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, e := range edges {
		fmt.Fprintf(&b, "\t%s -> %s", quoteDOT(g.Names[e.From]), quoteDOT(g.Names[e.To]))
		if list := dotAttributes(e); len(list) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(list, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotAttributes are the attributes of an edge.
func dotAttributes(e Edge) (list []string) {
	add := func(key, value string) { list = append(list, quoteDOT(key)+"="+quoteDOT(value)) }
	visible := e.Probability
	if e.Undirected && e.Adjacent.Known {
		visible = e.Adjacent
	}
	var label []string
	if visible.Known {
		label = append(label, fmt.Sprintf("%.2f", visible.Value))
	}
	if e.Weight.Known && !e.Undirected { // a weight is that of one direction
		label = append(label, fmt.Sprintf("%.3g", e.Weight.Value))
	}
	if label != nil {
		add("label", strings.Join(label, "\n"))
	}
	if visible.Known {
		add("penwidth", fmt.Sprintf("%.2f", 0.5+3.5*visible.Value))
	}
	if e.Undirected {
		add("dir", "none")
		add("style", "dashed")
	}
	for _, q := range quantities {
		if v := e.Number(q); v.Known {
			key := q.String()
			if q == Weight {
				key = "weight_mean"
			}
			add(key, string(delimited.AppendNumber(nil, v.Value)))
		}
	}
	return list
}

// escapeDOT protects text from Graphviz, which reads a backslash as the start of an escape and an
// ampersand as that of an HTML entity and stops at a zero byte.
var escapeDOT = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`, "\x00", "\u2400", "\n",
	`\n`, "\r", `\r`)

func quoteDOT(text string) string { return `"` + escapeDOT.Replace(text) + `"` }
