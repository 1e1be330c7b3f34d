package gorgonia

import (
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tobac/autograd/internal/ir"
)

// A Kind says what a gorgonia node computes.
type Kind int

// Kinds of nodes.
const (
	Unknown    Kind = iota // an op that only its own Do knows
	Input                  // named
	Constant               // Values
	Unary                  // function Name of each element
	Binary                 // function Name of the elements of two operands
	Product                // of matrices, stacks of them, or a matrix and a vector
	Dot                    // of two vectors
	Outer                  // product of two vectors
	Transpose              // by the order Ints
	Reshape                // to Shape
	Sum                    // over the axes Ints
	Max                    // over the axes Ints
	Repeat                 // along axis Ints[0]
	Slice                  // rows Ints[1:] of axis Ints[0]
	Unslice                // the second operand in those rows of zeros like the first
	Concat                 // along axis Ints[0]
	Softmax                // along axis Ints[0]
	LogSoftmax             // along axis Ints[0]
	Copy                   // elements Ints of the operand
	Whole                  // operation Value, one of ours
)

// A Call is what a gorgonia node computes, and of what.
type Call struct {
	Kind       Kind
	Op         G.Op
	Name       string // of an input or a function
	Operands   []*G.Node
	Shape      ir.Shape
	Transposed [2]bool // factors of a product
	Ints       []int
	Values     []float64
	Value      *ir.Value
}

// Order lists the nodes that some nodes depend on, and themselves, operands first.
func Order(nodes []*G.Node) (order []*G.Node) {
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
			for _, a := range slices.Backward(Operands(v.n)) {
				stack = append(stack, visit{n: a})
			}
		}
	}
	return order
}

// Operands of a node, in order, repeated ones repeated.
func Operands(n *G.Node) (operands []*G.Node) {
	if n.Op() == nil || n.Graph() == nil {
		return nil
	}
	it := n.Graph().From(n.ID())
	if it == nil {
		return nil
	}
	for it.Next() {
		operands = append(operands, it.Node().(*G.Node))
	}
	return operands
}

// Decode finds out what a node computes, from the type of its op and what that prints: the
// types of gorgonia are not exported.
func Decode(n *G.Node) (c Call, err error) {
	if n.Dtype() != tensor.Float64 {
		return c, fmt.Errorf("node %v is of %v, want float64", n.Name(), n.Dtype())
	}
	c = Call{Op: n.Op(), Operands: Operands(n), Shape: append(ir.Shape{}, n.Shape()...)}
	if c.Op == nil {
		c.Kind, c.Name = Input, n.Name()
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
		c.Kind = Constant
		c.Values, err = valueData(v)
		return c, err
	case "gorgonia.elemUnaryOp":
		c.Kind, c.Name = Unary, text
	case "gorgonia.elemBinOp":
		c.Kind = Binary
		c.Name, _, _ = strings.Cut(text, " ") // the rest says of which type a comparison is
	case "gorgonia.maxBetween", "gorgonia.minBetween":
		c.Kind, c.Name = Binary, text
	case "gorgonia.linAlgBinOp":
		c.product(text)
	case "gorgonia.reshapeOp":
		c.Kind = Reshape
	case "gorgonia.sizeOp":
		c.size(text)
	case "*gorgonia.sliceOp":
		c.slice(Slice, text)
	case "gorgonia.sliceIncrOp":
		c.slice(Unslice, text)
	default:
		c.parameters(fmt.Sprintf("%T", c.Op), text)
	}
	return c, nil
}

// own decodes one of our ops.
func (c *Call) own(op *operation) {
	c.Value = op.value
	switch {
	case op.index != nil:
		c.Kind, c.Ints = Copy, op.index
	case op.value.Const != nil:
		c.Kind, c.Values = Constant, op.value.Const
	case op.whole:
		c.Kind = Whole
	}
}

// product decodes A × B, Aᵀ × b, a ⋅ b and the like.
func (c *Call) product(text string) {
	f := strings.Fields(text)
	if len(f) != 3 {
		return
	}
	c.Transposed = [2]bool{strings.HasSuffix(f[0], "ᵀ"), strings.HasSuffix(f[2], "ᵀ")}
	c.Kind = map[string]Kind{"×": Product, "×××": Product, "⋅": Dot, "⊗": Outer}[f[1]]
}

// size decodes the size of an axis of the operand, which is known.
func (c *Call) size(text string) {
	var n int
	if _, err := fmt.Sscanf(text, "SizeOf=%d", &n); err != nil {
		if _, err := fmt.Sscanf(text, "SizeOf(%d)", &n); err != nil {
			return
		}
		n = c.Operands[0].Shape()[n]
	}
	c.Kind, c.Values = Constant, []float64{float64(n)}
}

// slice decodes T[:, from:to:step...], where the number of colons in front is that of the
// axis, and a lone one at the end takes all. A step of 0 is that of a single row.
func (c *Call) slice(kind Kind, text string) {
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
	c.Kind, c.Ints = kind, []int{axis}
	for i := from; i < min(to, size); i += max(step, 1) {
		c.Ints = append(c.Ints, i)
	}
}

// parameters decodes ops that print their parameters as whole numbers in brackets.
func (c *Call) parameters(op, text string) {
	kind, ok := map[string]Kind{
		"gorgonia.transposeOp": Transpose,
		"gorgonia.sumOp":       Sum,
		"*gorgonia.maxOp":      Max,
		"*gorgonia.repeatOp":   Repeat,
		"gorgonia.concatOp":    Concat,
		"*gorgonia.softmaxOp":  Softmax,
	}[op]
	if !ok {
		return
	}
	if kind == Softmax && strings.Contains(text, "true") {
		kind = LogSoftmax
	}
	numbers := strings.FieldsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
	for _, s := range numbers {
		var n int
		if _, err := fmt.Sscan(s, &n); err != nil {
			return
		}
		c.Ints = append(c.Ints, n)
	}
	c.Kind = kind
}
