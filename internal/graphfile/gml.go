package graphfile

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"tobac/internal/delimited"
)

// gmlTokens are those of GML: keys, numbers, texts with entities like those of HTML, brackets.
var gmlTokens = dialect{
	signs:   []string{"[", "]"},
	inWord:  func(c rune) bool { return c != '[' && c != ']' && c != '"' && c > ' ' },
	unquote: html.UnescapeString,
	hash:    true,
}

// gmlList is what stands in brackets: pairs of a key and a value, keys in lower case.
type gmlList struct {
	line  int
	pairs []gmlPair
}

type gmlPair struct {
	key   string
	value token    // of a number or a text
	list  *gmlList // nil means value
}

// get is the value of a key, and whether it is there.
func (l *gmlList) get(key string) (token, bool) {
	for _, p := range l.pairs {
		if p.key == key && p.list == nil {
			return p.value, true
		}
	}
	return token{}, false
}

// readGML reads the first graph of a file; the graph is directed if it says directed 1.
func readGML(data []byte, source string) (*Graph, error) {
	l, err := newLexer(data, source, gmlTokens)
	if err != nil {
		return nil, err
	}
	top, err := gmlPairs(l, 0)
	if err != nil {
		return nil, err
	}
	for _, p := range top.pairs {
		if p.key == "graph" && p.list != nil {
			return gmlGraph(p.list, source)
		}
	}
	return nil, &delimited.Error{Source: source, Problem: "GML without a graph",
		Allowed: "graph [ … ]"}
}

// gmlPairs reads pairs up to the closing bracket, or to the end at depth 0.
func gmlPairs(l *lexer, depth int) (*gmlList, error) {
	if depth > maxDepth {
		return nil, l.fault(l.next.line, fmt.Sprintf("brackets lie more than %d deep", maxDepth),
			"")
	}
	list := &gmlList{line: l.next.line}
	for {
		key, err := l.take()
		switch {
		case err != nil:
			return nil, err
		case key.end() && depth == 0, key.is("]") && depth > 0:
			return list, nil
		case key.end(), key.quoted, key.is("["), key.is("]"):
			return nil, l.fault(key.line, "got "+excerpt(key.text),
				"a key, or ] at the end of a list")
		}
		p := gmlPair{key: strings.ToLower(key.text)}
		value, err := l.take()
		switch {
		case err != nil:
			return nil, err
		case value.is("["):
			if p.list, err = gmlPairs(l, depth+1); err != nil {
				return nil, err
			}
			p.list.line = value.line
		case value.end(), value.is("]"):
			return nil, l.fault(value.line, "key "+excerpt(key.text)+" without a value", "")
		default:
			p.value = value
		}
		list.pairs = append(list.pairs, p)
	}
}

func gmlGraph(graph *gmlList, source string) (*Graph, error) {
	c := newCollector(source)
	fault := func(l *gmlList, problem, allowed string) error {
		return &delimited.Error{Source: source, Line: l.line, Problem: problem, Allowed: allowed}
	}
	index, ids, labels := map[string]int{}, []string{}, []string{}
	for _, p := range graph.pairs {
		if p.key != "node" || p.list == nil {
			continue
		}
		id, ok := p.list.get("id")
		if _, taken := index[id.text]; !ok || taken {
			return nil, fault(p.list, "node with the id "+excerpt(id.text),
				"a different id for each node")
		}
		index[id.text] = len(ids)
		ids = append(ids, id.text)
		for _, key := range []string{"label", "name"} {
			if label, ok := p.list.get(key); ok {
				labels = append(labels, label.text)
				break
			}
		}
	}
	names, err := chooseNames(ids, map[string][]string{"label": labels})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	for _, name := range names {
		c.vertex(name)
	}
	mark, _ := graph.get("directed")
	for _, p := range graph.pairs {
		if p.key != "edge" || p.list == nil {
			continue
		}
		e := Edge{Undirected: mark.text != "1"}
		for _, end := range []struct {
			key string
			v   *int
		}{{"source", &e.From}, {"target", &e.To}} {
			id, _ := p.list.get(end.key)
			v, known := index[id.text]
			if !known {
				return nil, fault(p.list, "edge with the unknown "+end.key+" "+excerpt(id.text),
					"ids of nodes")
			}
			*end.v = v
		}
		data := map[string]string{}
		for _, q := range p.list.pairs {
			data[q.key] = q.value.text
		}
		if data["undirected"] == "1" {
			e.Undirected = true
		}
		if err := parseNumbers(&e, data); err != nil {
			return nil, fault(p.list, err.Error(), "finite numbers such as 1.5 or -2e-3")
		}
		if err := c.add(e, p.list.line); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// gmlText is a text of GML: ASCII, in which other characters, quotes and ampersands are entities.
func gmlText(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c < ' ' || c > '~' || c == '"' || c == '&' {
			fmt.Fprintf(&b, "&#%d;", c)
		} else {
			b.WriteRune(c)
		}
	}
	return `"` + b.String() + `"`
}

// gmlNumber has a point, without which networkx takes a number for a whole one.
func gmlNumber(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	mantissa, exponent, found := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if found {
		mantissa += "E" + exponent
	}
	return mantissa
}

func writeGML(w io.Writer, g *Graph) error {
	for _, name := range g.Names {
		for _, c := range name {
			if back := html.UnescapeString(fmt.Sprintf("&#%d;", c)); back != string(c) &&
				(c < ' ' || c > '~') {
				return fmt.Errorf("GML cannot hold the character %U of the name %s", c,
					excerpt(name))
			}
		}
	}
	directed, all := directions(g)
	var b strings.Builder
	b.WriteString("graph [\n")
	if directed {
		b.WriteString("  directed 1\n")
	} else {
		b.WriteString("  directed 0\n")
	}
	for v, name := range g.Names {
		fmt.Fprintf(&b, "  node [\n    id %d\n    label %s\n  ]\n", v, gmlText(name))
	}
	for _, d := range all {
		fmt.Fprintf(&b, "  edge [\n    source %d\n    target %d\n", d.From, d.To)
		for _, m := range d.numbers() {
			text := "1"
			if v, ok := m.value.(float64); ok {
				text = gmlNumber(v)
			}
			fmt.Fprintf(&b, "    %s %s\n", m.key, text)
		}
		b.WriteString("  ]\n")
	}
	b.WriteString("]\n")
	_, err := io.WriteString(w, b.String())
	return err
}
