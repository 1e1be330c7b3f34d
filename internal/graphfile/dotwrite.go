package graphfile

import (
	"fmt"
	"io"
	"strings"

	"tobac/dag"
	"tobac/internal/delimited"
)

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
	drawn, edges := dag.New(len(g.Names)), map[dag.Edge]Edge{}
	for _, e := range g.Edges {
		at := dag.Edge{From: e.From, To: e.To}
		drawn.Set(at.From, at.To, true)
		edges[at] = e
	}
	return dag.WriteDOT(w, drawn, g.Names, func(at dag.Edge) []dag.Attribute { return dotAttributes(edges[at]) })
}

func dotAttributes(e Edge) (list []dag.Attribute) {
	add := func(key, value string) { list = append(list, dag.Attribute{Key: key, Value: value}) }
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
