package graphfile

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tobac/internal/delimited"
)

// An edge of a text: perhaps a number and a point, a name, an arrow between blanks, a name. Names
// are in quotes or have no blanks.
var arrowLine = regexp.MustCompile(
	`^\s*(?:\d+\.\s+)?("(?:[^"\\]|\\.)*"|[^\s"]+)\s+([-<>o@]*-[-<>o@]*)\s+("(?:[^"\\]|\\.)*"|[^\s";,]+)\s*[;,]?\s*$`)

// Lines of Tetrad's texts that are no edges.
var (
	nodesHeading = regexp.MustCompile(`^(?i)\s*graph nodes:\s*`)
	edgesHeading = regexp.MustCompile(`^(?i)\s*graph edges:\s*$`)
)

// hasArrows reports whether one of the first lines is a heading of Tetrad or an edge.
func hasArrows(text string) bool {
	for n, line := range strings.Split(text[:min(len(text), 1<<16)], "\n") {
		line = strings.TrimSuffix(line, "\r")
		if arrowLine.MatchString(line) || nodesHeading.MatchString(line) ||
			edgesHeading.MatchString(line) {
			return true
		}
		if n > 20 {
			break
		}
	}
	return false
}

// readArrows reads lines a --> b, a <-- b and a --- b, perhaps numbered, with one to three dashes.
// A line "Graph Nodes:" is followed, in the same line or the next one, by all names, separated by
// semicolons or commas; without it only the vertices with edges are known. "Graph Edges:", empty
// lines and those that begin with # are left alone, and so is all that follows "Graph Attributes:"
// or "Graph Node Attributes:".
func readArrows(data []byte, source string) (*Graph, error) {
	text := strings.TrimPrefix(string(data), byteOrderMark)
	c := newCollector(source)
	c.graph.Partial = true
	fault := func(line int, problem, allowed string) error {
		return &delimited.Error{Source: source, Line: line, Problem: problem, Allowed: allowed}
	}
	if !utf8.ValidString(text) {
		return nil, fault(0, "text is not UTF-8", "UTF-8")
	}
	nodes := false // the next line lists names
	for n, line := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text),
		"\n") {
		heading := nodesHeading.FindString(line)
		attributes := strings.HasPrefix(strings.ToLower(line), "graph attributes") ||
			strings.HasPrefix(strings.ToLower(line), "graph node attributes")
		switch {
		case attributes:
			return c.finish()
		case strings.TrimSpace(line) == "", strings.HasPrefix(strings.TrimSpace(line), "#"),
			edgesHeading.MatchString(line):
			continue
		case heading != "" || nodes:
			list := strings.TrimSpace(line[len(heading):])
			if nodes = list == ""; nodes {
				continue
			}
			if err := c.nodes(list); err != nil {
				return nil, fault(n+1, err.Error(), "names separated by semicolons")
			}
			continue
		}
		words := arrowLine.FindStringSubmatch(line)
		if words == nil {
			return nil, fault(n+1, "line "+excerpt(line)+" is no edge",
				`a --> b, a --- b, with quotes around names with blanks`)
		}
		e, err := c.arrow(words[1], words[2], words[3])
		if err != nil {
			return nil, fault(n+1, err.Error(), "->, <- and --, with one dash more or not")
		}
		if err := c.add(e, n+1); err != nil {
			return nil, err
		}
	}
	return c.finish()
}

// nodes adds the vertices that Tetrad lists.
func (c *collector) nodes(list string) error {
	c.graph.Partial = false
	separators := ";"
	if !strings.Contains(list, ";") {
		separators = ","
	}
	for list != "" {
		var name string
		if strings.HasPrefix(list, `"`) {
			quoted, err := strconv.QuotedPrefix(list)
			if err != nil {
				return fmt.Errorf("quote in %s is never closed", excerpt(list))
			}
			name, list = quoted, strings.TrimSpace(list[len(quoted):])
			if list != "" && !strings.HasPrefix(list, separators) {
				return fmt.Errorf("text %s after a closing quote", excerpt(list))
			}
			list = strings.TrimSpace(strings.TrimPrefix(list, separators))
		} else {
			name, list, _ = strings.Cut(list, separators)
			name, list = strings.TrimSpace(name), strings.TrimSpace(list)
		}
		name, err := unquoteName(name)
		if err != nil {
			return err
		}
		if name == "" {
			return fmt.Errorf("a vertex has no name")
		}
		c.vertex(name)
		if err := c.crowded(); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) arrow(from, kind, to string) (e Edge, err error) {
	a, err := parseType(kind)
	if err != nil {
		return e, err
	}
	for k, end := range []string{from, to} {
		name, err := unquoteName(end)
		if err != nil {
			return e, err
		}
		v := c.vertex(name)
		if k == 0 {
			e.From = v
		} else {
			e.To = v
		}
	}
	return a.orient(e), nil
}

// unquoteName takes a name as it is, or out of quotes with escapes like those of Go and JSON.
func unquoteName(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	name, err := strconv.Unquote(text)
	if err != nil || name == "" || !utf8.ValidString(name) {
		return "", fmt.Errorf("quoted name %s is faulty", excerpt(text))
	}
	return name, nil
}

// bareName is a name that needs no quotes between arrows.
var bareName = regexp.MustCompile(`^[\pL_][\pL\pN_.]*$`)

func quoteName(name string) string {
	if bareName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// writeArrows writes the text that Tetrad reads and writes. Names that are more than letters,
// digits, points and underscores stand in quotes, which Tetrad does not know.
func writeArrows(w io.Writer, g *Graph) error {
	var b strings.Builder
	b.WriteString("Graph Nodes:\n")
	for v, name := range g.Names {
		if v > 0 {
			b.WriteString(";")
		}
		b.WriteString(quoteName(name))
	}
	b.WriteString("\n\nGraph Edges:\n")
	for n, e := range g.Edges {
		arrow := "-->"
		if e.Undirected {
			arrow = "---"
		}
		fmt.Fprintf(&b, "%d. %s %s %s\n", n+1, quoteName(g.Names[e.From]), arrow,
			quoteName(g.Names[e.To]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
