package graphfile

import "fmt"

// dotKeys are the attributes of nodes and edges that are read.
var dotKeys = []string{"name", "label", "dir", "arrowhead", "arrowtail", "probability", "adjacent", "weight", "weight_mean", "weight_sd"}

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
		return on && mark != "none" && mark != "odot" && mark != "dot", on && (mark == "odot" || mark == "dot")
	}
	toHead, headCircle := drawn(head, "forward")
	toTail, tailCircle := drawn(tail, "back")
	switch {
	case headCircle || tailCircle || toHead && toTail:
		return 0, fmt.Errorf("edge with the ends dir=%q arrowhead=%q arrowtail=%q stands for a hidden common cause, or leaves one open", dir, head, tail)
	case toHead:
		return forward, nil
	case toTail:
		return backward, nil
	}
	return plain, nil
}
