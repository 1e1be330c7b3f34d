package graphfile

import (
	"fmt"
	"slices"
	"strings"
)

// dotReader reads one graph.
type dotReader struct {
	*lexer
	ids    []string                  // of the nodes, in their sequence
	index  map[string]int            // of each of them
	nodes  map[int]map[string]string // attributes of nodes
	edges  []dotEdge
	strict bool
	listed bool // some node has a statement of its own
}

// dotEdge is an edge before the nodes have their names.
type dotEdge struct {
	from, to int
	op       string
	data     map[string]string // attributes, those of dotKeys
	line     int
}

// readDOT reads the first graph of a file, with subgraphs, chains and attributes, and DAGitty's
// graphs. Without a statement for any node the file need not name nodes without edges.
func readDOT(data []byte, source string) (*Graph, error) {
	l, err := newLexer(data, source, dotTokens)
	if err != nil {
		return nil, err
	}
	r := &dotReader{lexer: l, index: map[string]int{}, nodes: map[int]map[string]string{}}
	if l.next.is("strict") {
		r.strict = true
		if err := l.advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case l.next.is("graph"), l.next.is("digraph"):
	case isDAGitty(l.next):
		l.signs = append(append([]string{}, dagittySigns...), l.signs...)
	default:
		return nil, l.unexpected("graph, digraph, or one of DAGitty's " +
			strings.Join(dagitty, ", "))
	}
	if err := l.advance(); err != nil {
		return nil, err
	}
	if !l.next.is("{") {
		if err := l.advance(); err != nil { // the graph's name
			return nil, err
		}
	}
	if err := l.expect("{"); err != nil {
		return nil, err
	}
	if _, err := r.statements(map[string]string{}, 0); err != nil {
		return nil, err
	}
	return r.graph()
}

func isDAGitty(t token) bool {
	for _, kind := range dagitty {
		if t.is(kind) {
			return true
		}
	}
	return false
}

// statements reads up to the closing brace and returns the nodes in between. defaults are the
// attributes of edges, which hold within the braces.
func (r *dotReader) statements(defaults map[string]string, depth int) (nodes []int, err error) {
	if depth > maxDepth {
		return nil, r.fault(r.next.line, fmt.Sprintf("subgraphs lie more than %d deep", maxDepth),
			"")
	}
	defaults = joined(defaults, nil)
	for !r.next.is("}") {
		if r.next.is(";") {
			if err := r.advance(); err != nil {
				return nil, err
			}
			continue
		}
		in, err := r.statement(defaults, depth)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, in...)
	}
	return nodes, r.advance()
}

// joined are attributes with others over them.
func joined(a, b map[string]string) map[string]string {
	out := make(map[string]string, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		out[k] = v
	}
	return out
}

func (r *dotReader) statement(defaults map[string]string, depth int) (nodes []int, err error) {
	line := r.next.line
	if r.next.is("graph") || r.next.is("node") || r.next.is("edge") {
		of, err := r.take()
		if err != nil {
			return nil, err
		}
		data, err := r.attributes()
		if of.is("edge") {
			for k, v := range data {
				defaults[k] = v
			}
		}
		return nil, err
	}
	end, single, setting, err := r.operand(defaults, depth)
	if err != nil || setting {
		return nil, err
	}
	nodes = end
	type step struct {
		op       string
		from, to []int
	}
	var steps []step
	for r.isEdge() {
		op, err := r.take()
		if err != nil {
			return nil, err
		}
		next, _, _, err := r.operand(defaults, depth)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{op.text, end, next})
		nodes, end = append(nodes, next...), next
	}
	data, err := r.attributes()
	if err != nil {
		return nil, err
	}
	if steps == nil {
		if single {
			r.listed = true
			r.nodes[nodes[0]] = joined(r.nodes[nodes[0]], data)
		}
		return nodes, nil
	}
	data = joined(defaults, data)
	for _, s := range steps {
		for _, a := range s.from {
			for _, b := range s.to {
				if len(r.edges) >= maxElements {
					return nil, r.fault(line, fmt.Sprintf("more than %d edges", maxElements), "")
				}
				r.edges = append(r.edges, dotEdge{from: a, to: b, op: s.op, data: data, line: line})
			}
		}
	}
	return nodes, nil
}

// isEdge reports whether the next sign joins two nodes.
func (r *dotReader) isEdge() bool {
	_, known := arrows[r.next.text]
	for _, hidden := range hiddenArrows {
		known = known || r.next.text == hidden
	}
	return known && !r.next.quoted && !digitOrLetter(rune(r.next.text[0]))
}

// operand reads a node or a subgraph; single: a node. setting: it was an attribute of the graph
// instead.
func (r *dotReader) operand(defaults map[string]string, depth int) (nodes []int,
	single, setting bool, err error) {
	if r.next.is("subgraph") {
		if err := r.advance(); err != nil {
			return nil, false, false, err
		}
		if !r.next.is("{") {
			if err := r.advance(); err != nil { // its name
				return nil, false, false, err
			}
		}
		if !r.next.is("{") {
			return nil, false, false, r.unexpected("{ after a subgraph's name")
		}
	}
	if r.next.is("{") {
		if err := r.advance(); err != nil {
			return nil, false, false, err
		}
		nodes, err := r.statements(defaults, depth+1)
		return nodes, false, false, err
	}
	name, err := r.id()
	if err != nil {
		return nil, false, false, err
	}
	if r.next.is("=") {
		if err := r.advance(); err != nil {
			return nil, false, false, err
		}
		_, err := r.id()
		return nil, false, true, err
	}
	for r.next.is(":") { // a port and a side
		if err := r.advance(); err != nil {
			return nil, false, false, err
		}
		if _, err := r.id(); err != nil {
			return nil, false, false, err
		}
	}
	v, known := r.index[name]
	if !known {
		if v = len(r.ids); v >= MaxVertices {
			return nil, false, false,
				r.fault(r.next.line, fmt.Sprintf("more than %d vertices", MaxVertices), "")
		}
		r.index[name] = v
		r.ids = append(r.ids, name)
	}
	return []int{v}, true, false, nil
}

// id reads a word, or texts in quotes that are joined by +.
func (r *dotReader) id() (string, error) {
	t := r.next
	if t.end() {
		return "", r.unexpected("}")
	}
	if !t.quoted && r.sign(t.text) {
		return "", r.unexpected("a name")
	}
	if err := r.advance(); err != nil {
		return "", err
	}
	parts := []string{t.text}
	for t.quoted && r.next.is("+") {
		if err := r.advance(); err != nil {
			return "", err
		}
		if !r.next.quoted {
			return "", r.unexpected("a text in quotes after +")
		}
		parts = append(parts, r.next.text)
		if err := r.advance(); err != nil {
			return "", err
		}
	}
	text := strings.Join(parts, "")
	if text == "" {
		return "", r.fault(t.line, "name is empty", "names with at least one character")
	}
	return text, nil
}

func (r *dotReader) sign(text string) bool {
	for _, sign := range r.signs {
		if sign == text {
			return true
		}
	}
	return false
}

// attributes reads lists in brackets and keeps those that say something about a graph.
func (r *dotReader) attributes() (map[string]string, error) {
	data := map[string]string{}
	for r.next.is("[") {
		if err := r.advance(); err != nil {
			return nil, err
		}
		for !r.next.is("]") {
			if r.next.is(",") || r.next.is(";") {
				if err := r.advance(); err != nil {
					return nil, err
				}
				continue
			}
			key, err := r.id()
			if err != nil {
				return nil, err
			}
			if !r.next.is("=") {
				continue // of DAGitty: exposure, outcome, latent
			}
			if err := r.advance(); err != nil {
				return nil, err
			}
			value := ""
			if r.next.quoted && r.next.text == "" {
				err = r.advance()
			} else {
				value, err = r.id()
			}
			if err != nil {
				return nil, err
			}
			if key = strings.ToLower(key); slices.Contains(dotKeys, key) {
				data[key] = value
			}
		}
		if err := r.advance(); err != nil {
			return nil, err
		}
	}
	return data, nil
}
