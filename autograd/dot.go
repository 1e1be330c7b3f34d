package autograd

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteDOT writes the part of the graph that the outputs depend on in the DOT
// language of Graphviz, without outputs the whole graph. A node shows its op or
// name, its shape and its mapped axes; small constants show their values.
// Inputs are boxes, constants plain text, operations ellipses; outputs have a
// double line. Where an operation has several operands its edges are numbered
// from 0. It returns the builder's sticky error, if there is one.
func (b *Builder) WriteDOT(w io.Writer, outputs ...*Node) error {
	if b.err != nil {
		return b.err
	}
	shown := make([]bool, len(b.nodes))
	isOutput := make([]bool, len(b.nodes))
	for _, n := range outputs {
		if n.b != b {
			return fmt.Errorf("autograd: graph %q: output %v belongs to graph %q", b.name, n,
				n.b.name)
		}
		shown[n.id], isOutput[n.id] = true, true
	}
	for id := len(b.nodes) - 1; id >= 0; id-- {
		shown[id] = shown[id] || len(outputs) == 0
		for _, a := range b.nodes[id].args {
			shown[a.id] = shown[a.id] || shown[id]
		}
	}
	out := bufio.NewWriter(w) // keeps the first error until Flush
	fmt.Fprintf(out, "digraph %s {\n\trankdir=BT;\n", dotQuote(b.name))
	for _, n := range b.nodes {
		if !shown[n.id] {
			continue
		}
		fmt.Fprintf(out, "\tn%d [label=%s, shape=%s", n.id, dotQuote(n.dotLabel()), n.dotShape())
		if isOutput[n.id] {
			fmt.Fprint(out, ", peripheries=2")
		}
		fmt.Fprint(out, "];\n")
		for i, a := range n.args {
			fmt.Fprintf(out, "\tn%d -> n%d", a.id, n.id)
			if len(n.args) > 1 {
				fmt.Fprintf(out, " [label=%d]", i)
			}
			fmt.Fprint(out, ";\n")
		}
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

func (n *Node) dotShape() string {
	switch {
	case n.isInput():
		return "box"
	case n.isConstant():
		return "plaintext"
	default:
		return "ellipse"
	}
}

// shownValues is the number of elements up to which a constant shows them.
const shownValues = 4

// dotLabel is two lines: what the node is, and its shape with the mapped axes.
func (n *Node) dotLabel() string {
	var what string
	switch {
	case n.isInput():
		what = n.name
	case n.isConstant() && len(n.value) <= shownValues:
		parts := make([]string, len(n.value))
		for i, v := range n.value {
			parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		what = strings.Join(parts, " ")
	case n.isConstant():
		what = "constant"
	default:
		what = n.op.Name
	}
	what += "\n" + n.shape.String()
	if n.axes != 0 {
		what += n.axes.Names(n.b.irAxes)
	}
	return what
}

// dotQuote quotes a text as a DOT string of any content.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}
