package dag

import (
	"fmt"
	"io"
	"strings"
)

// Attribute is an attribute of a drawn edge, for example label, penwidth or color.
type Attribute struct{ Key, Value string }

// WriteDOT writes g in the Graphviz language: a node for every vertex, edges or not, then the edges
// sorted by source and target. names[i] is the name of vertex i, drawn as it is whatever characters
// it has. attributes, unless nil, gives the attributes of an edge. Values are drawn as they are
// too. Names that are empty, repeated or too few are errors.
func WriteDOT(w io.Writer, g *Graph, names []string, attributes func(Edge) []Attribute) error {
	if err := checkNames(g, names); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("digraph {\n")
	for _, name := range names {
		fmt.Fprintf(&b, "\t%s;\n", quoteDOT(name))
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, "\t%s -> %s", quoteDOT(names[e.From]), quoteDOT(names[e.To]))
		var list []string
		if attributes != nil {
			for _, a := range attributes(e) {
				list = append(list, quoteDOT(a.Key)+"="+quoteDOT(a.Value))
			}
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(list, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeDOT protects text from Graphviz, which reads a backslash as the start of an escape and an
// ampersand as that of an HTML entity and stops at a zero byte.
var escapeDOT = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`, "\x00", "\u2400", "\n", `\n`, "\r", `\r`)

func quoteDOT(text string) string { return `"` + escapeDOT.Replace(text) + `"` }
