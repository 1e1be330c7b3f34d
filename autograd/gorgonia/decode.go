package gorgonia

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// A kind says what a gorgonia node computes.
type kind int

// The kinds of nodes.
const (
	isUnknown    kind = iota // an op that only its own Do knows
	isInput                  // named
	isConstant               // Values
	isUnary                  // function Name of each element
	isBinary                 // function Name of the elements of two operands
	isProduct                // of matrices, stacks of them, or a matrix and a vector
	isDot                    // of two vectors
	isOuter                  // product of two vectors
	isTranspose              // by the order Ints
	isReshape                // to Shape
	isSum                    // over the axes Ints
	isMax                    // over the axes Ints
	isRepeat                 // along axis Ints[0]
	isSlice                  // rows Ints[1:] of axis Ints[0]
	isUnslice                // the second operand in those rows of zeros like the first
	isConcat                 // along axis Ints[0]
	isSoftmax                // along axis Ints[0]
	isLogSoftmax             // along axis Ints[0]
	isCopy                   // elements Ints of the operand
	isScatter                // elements of the operand added to those of numbers Ints
	isWhole                  // operation Value, one of ours
)

// A call is what a gorgonia node computes, and of what.
type call struct {
	Node       *G.Node
	Kind       kind
	Op         G.Op
	Name       string // of an input or a function
	Operands   []*G.Node
	Shape      ad.Shape
	Transposed [2]bool // factors of a product
	Ints       []int
	Values     []float64
	Value      *ir.Value
}

// ordered lists the nodes that some nodes depend on, and themselves, operands first.
func ordered(nodes []*G.Node) (order []*G.Node) {
	seen := map[*G.Node]bool{}
	type visit struct {
		n    *G.Node
		done bool
	}
	var stack []visit
	for _, n := range slices.Backward(nodes) {
		stack = append(stack, visit{n: n})
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case v.done:
			order = append(order, v.n)
		case !seen[v.n]:
			seen[v.n] = true
			stack = append(stack, visit{v.n, true})
			for _, a := range slices.Backward(operandsOf(v.n)) {
				stack = append(stack, visit{n: a})
			}
		}
	}
	return order
}

// operandsOf lists the operands of a node, in order, repeated ones repeated.
func operandsOf(n *G.Node) (operands []*G.Node) {
	g := n.Graph()
	if n.Op() == nil || g == nil {
		return nil
	}
	if g.Node(n.ID()) != n {
		return children(n)
	}
	it := g.From(n.ID())
	if it == nil {
		return nil
	}
	for it.Next() {
		operands = append(operands, it.Node().(*G.Node))
	}
	return operands
}

// children are the operands of a node that its graph takes for another one: where gorgonia
// has removed a node, as it does for ln(1 − x), it looks up those behind it in the wrong
// place.
func children(n *G.Node) (operands []*G.Node) {
	at := map[uintptr]*G.Node{}
	for _, m := range n.Graph().AllNodes() {
		at[reflect.ValueOf(m).Pointer()] = m
	}
	list := reflect.ValueOf(n).Elem().FieldByName("children")
	for i := range list.Len() {
		if m := at[list.Index(i).Pointer()]; m != nil {
			operands = append(operands, m)
		}
	}
	return operands
}

// decode finds out what a node computes, from the type of its op and what that prints: the
// types of gorgonia are not exported.
func decode(n *G.Node) (c call, err error) {
	c = call{Node: n, Op: n.Op(), Operands: operandsOf(n), Shape: append(ad.Shape{}, n.Shape()...)}
	if c.Op != nil && c.Op.Arity() >= 0 && !strings.HasPrefix(fmt.Sprintf("%T", c.Op),
		"gorgonia.constant") && c.Op.Arity() != len(c.Operands) {
		return c, fmt.Errorf("node %v has %d operands, and its op wants %d", n.Name(),
			len(c.Operands), c.Op.Arity())
	}
	if c.Op == nil {
		c.Kind, c.Name = isInput, n.Name()
		return c, nil
	}
	if own, ok := c.Op.(*operation); ok {
		c.own(own)
		return c, nil
	}
	text := c.Op.String()
	switch fmt.Sprintf("%T", c.Op) {
	case "gorgonia.constantScalar", "gorgonia.constantTensor":
		v, err := c.Op.Do()
		if err != nil {
			return c, err
		}
		c.Kind = isConstant
		c.Values, err = converted(v)
		return c, err
	case "gorgonia.elemUnaryOp":
		c.Kind, c.Name = isUnary, text
	case "gorgonia.elemBinOp":
		c.Kind = isBinary
		c.Name, _, _ = strings.Cut(text, " ") // the rest says of which type a comparison is
	case "gorgonia.maxBetween", "gorgonia.minBetween":
		c.Kind, c.Name = isBinary, text
	case "gorgonia.linAlgBinOp":
		c.product(text)
	case "gorgonia.reshapeOp":
		c.Kind = isReshape
	case "gorgonia.sizeOp":
		c.size(text)
	case "*gorgonia.sliceOp":
		c.slice(isSlice, text)
	case "gorgonia.sliceIncrOp":
		c.slice(isUnslice, text)
	default:
		c.parameters(fmt.Sprintf("%T", c.Op), text)
	}
	return c, nil
}

// own decodes one of our ops.
func (c *call) own(op *operation) {
	c.Value = op.value
	switch {
	case op.index != nil:
		c.Kind, c.Ints = isCopy, op.index
	case op.scatter != nil:
		c.Kind, c.Ints = isScatter, op.scatter
	case op.constant != nil:
		c.Kind, c.Values = isConstant, op.constant
	case op.whole:
		c.Kind = isWhole
	}
}

// product decodes A × B, Aᵀ × b, a ⋅ b and the like.
func (c *call) product(text string) {
	f := strings.Fields(text)
	if len(f) != 3 {
		return
	}
	c.Transposed = [2]bool{strings.HasSuffix(f[0], "ᵀ"), strings.HasSuffix(f[2], "ᵀ")}
	c.Kind = map[string]kind{"×": isProduct, "×××": isProduct, "⋅": isDot, "⊗": isOuter}[f[1]]
}

// size decodes the size of an axis of the operand, which is known.
func (c *call) size(text string) {
	var n int
	if _, err := fmt.Sscanf(text, "SizeOf=%d", &n); err != nil {
		if _, err := fmt.Sscanf(text, "SizeOf(%d)", &n); err != nil {
			return
		}
		n = c.Operands[0].Shape()[n]
	}
	c.Kind, c.Values = isConstant, []float64{float64(n)}
}

// slice decodes T[:, from:to:step...], where the number of colons in front is that of the
// axis, and a lone one at the end takes all. A step of 0 is that of a single row.
func (c *call) slice(of kind, text string) {
	text, _, ok := strings.Cut(strings.TrimPrefix(text, "T["), "...]")
	if !ok {
		return
	}
	parts := strings.Split(text, ", ")
	axis := len(parts) - 1
	size := c.Operands[0].Shape()[axis]
	from, to, step := 0, size, 1
	if last := parts[axis]; last != ":" {
		if _, err := fmt.Sscanf(last, "%d:%d:%d", &from, &to, &step); err != nil {
			return
		}
	}
	c.Kind, c.Ints = of, []int{axis}
	for i := from; i < min(to, size); i += max(step, 1) {
		c.Ints = append(c.Ints, i)
	}
}

// parameters decodes ops that print their parameters as whole numbers in brackets.
func (c *call) parameters(op, text string) {
	of, ok := map[string]kind{
		"gorgonia.transposeOp": isTranspose,
		"gorgonia.sumOp":       isSum,
		"*gorgonia.maxOp":      isMax,
		"*gorgonia.repeatOp":   isRepeat,
		"gorgonia.concatOp":    isConcat,
		"*gorgonia.softmaxOp":  isSoftmax,
	}[op]
	if !ok {
		return
	}
	if of == isSoftmax && strings.Contains(text, "true") {
		of = isLogSoftmax
	}
	numbers := strings.FieldsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && r != '-'
	})
	for _, s := range numbers {
		var n int
		if _, err := fmt.Sscan(s, &n); err != nil {
			return
		}
		c.Ints = append(c.Ints, n)
	}
	c.Kind = of
}
