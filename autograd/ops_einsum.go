package autograd

import (
	"bytes"
	"fmt"
	"strings"
)

// Einsum is a sum of products by index letters, as in
//
//	Einsum("bij,bjk->bik", x, y)    matrix products of a batch
//	Einsum("i,ij,j->", u, a, v)     the bilinear form uᵀ A v
//	Einsum("ii->i", a)              a diagonal
//
// Every operand has one letter, a–z or A–Z, for each of its dimensions; equal
// letters have equal sizes. The result has the dimensions behind the arrow, in
// their order, and is summed over all other letters. Without an arrow it has the
// letters that appear once, in alphabetical order (capitals first). Spaces do not
// count; there is no ellipsis.
//
// Operands are multiplied from left to right, each product by [Node.BatchMatMul] or
// element by element, and a letter is summed as soon as no later operand and not the
// result has it. List them so that products stay small.
func Einsum(spec string, first *Node, more ...*Node) *Node {
	b := first.b
	operands := append([]*Node{first}, more...)
	if b.err != nil {
		return b.fail(first.shape, "")
	}
	for _, n := range operands {
		if n.b != b {
			return b.fail(first.shape, "einsum %q: operand %v belongs to graph %q", spec, n,
				n.b.name)
		}
	}
	inputs, output, err := parseEinsum(spec, len(operands))
	if err == nil {
		err = checkLetters(inputs, operands)
	}
	if err != nil {
		return b.fail(first.shape, "einsum %q: %w", spec, err)
	}
	// later[i] are the letters that something after operand i needs.
	later := make([][]byte, len(operands))
	needed := output
	for i := len(operands) - 1; i >= 0; i-- {
		later[i] = needed
		needed = append(bytes.Clone(inputs[i]), needed...)
	}
	var y labelled
	for i, n := range operands {
		x := labelled{n, inputs[i]}.diagonal()
		if i == 0 {
			y = x.sumUnless(later[0])
			continue
		}
		x = x.sumUnless(append(bytes.Clone(y.letters), later[i]...))
		y = y.times(x, later[i])
	}
	return y.order(output).n
}

// parseEinsum splits "ij,jk->ik" into the letters of the operands and of the result.
func parseEinsum(spec string, operands int) (inputs [][]byte, output []byte, err error) {
	left, right, arrow := strings.Cut(strings.ReplaceAll(spec, " ", ""), "->")
	for _, r := range left + right {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == ',') {
			return nil, nil, fmt.Errorf("%q is not a letter", r)
		}
	}
	inputs = bytes.Split([]byte(left), []byte{','})
	if len(inputs) != operands {
		return nil, nil, fmt.Errorf("got %d operands, want %d", operands, len(inputs))
	}
	for c := byte('A'); c <= 'z' && !arrow; c++ {
		if strings.Count(left, string(c)) == 1 {
			output = append(output, c)
		}
	}
	for i, c := range []byte(right) {
		switch {
		case strings.IndexByte(left, c) < 0 || c == ',':
			return nil, nil, fmt.Errorf("the result has %q, which no operand has", c)
		case strings.IndexByte(right, c) < i:
			return nil, nil, fmt.Errorf("the result has %q twice", c)
		}
		output = append(output, c)
	}
	return inputs, output, nil
}

// checkLetters compares the letters with the shapes of the operands.
func checkLetters(inputs [][]byte, operands []*Node) error {
	type place struct{ size, operand int }
	seen := map[byte]place{}
	for i, n := range operands {
		if len(inputs[i]) != len(n.shape) {
			return fmt.Errorf("operand %d has shape %v, want %d dimensions for %q", i, n.shape,
				len(inputs[i]), inputs[i])
		}
		for k, c := range inputs[i] {
			p, ok := seen[c]
			if !ok {
				seen[c] = place{n.shape[k], i}
			} else if p.size != n.shape[k] {
				return fmt.Errorf("%q has size %d in operand %d and %d in operand %d", c, p.size,
					p.operand, n.shape[k], i)
			}
		}
	}
	return nil
}

// labelled is a node with a letter for each dimension.
type labelled struct {
	n       *Node
	letters []byte
}

// size of the dimension with the letter c.
func (x labelled) size(c byte) int { return x.n.shape[bytes.IndexByte(x.letters, c)] }

// sizes of the dimensions with the given letters.
func (x labelled) sizes(letters []byte) Shape {
	s := make(Shape, len(letters))
	for i, c := range letters {
		s[i] = x.size(c)
	}
	return s
}

// diagonal keeps of equal letters the elements with equal indices.
func (x labelled) diagonal() labelled {
	var letters []byte
	var stride []int
	from := x.n.shape.Strides()
	for k, c := range x.letters {
		if i := bytes.IndexByte(letters, c); i >= 0 {
			stride[i] += from[k]
			continue
		}
		letters, stride = append(letters, c), append(stride, from[k])
	}
	if len(letters) == len(x.letters) {
		return x
	}
	shape := x.sizes(letters)
	return labelled{x.n.show(stridedIndices(shape, stride), shape), letters}
}

// sumUnless sums over the letters that are not to be kept.
func (x labelled) sumUnless(keep []byte) labelled {
	var axes []int
	var letters []byte
	for k, c := range x.letters {
		if bytes.IndexByte(keep, c) >= 0 {
			letters = append(letters, c)
		} else {
			axes = append(axes, k)
		}
	}
	if len(axes) == 0 {
		return x
	}
	return labelled{x.n.Sum(axes...), letters}
}

// order reorders the dimensions.
func (x labelled) order(letters []byte) labelled {
	if len(letters) == 0 {
		return x
	}
	order := make([]int, len(letters))
	for i, c := range letters {
		order[i] = bytes.IndexByte(x.letters, c)
	}
	return labelled{x.n.Transpose(order...), letters}
}

// times is the product of x and y, summed over the letters that both have and that
// need not be kept. Letters that only one has are kept.
func (x labelled) times(y labelled, keep []byte) labelled {
	var both, inner, left, right []byte
	for _, c := range x.letters {
		switch {
		case bytes.IndexByte(y.letters, c) < 0:
			left = append(left, c)
		case bytes.IndexByte(keep, c) < 0:
			inner = append(inner, c)
		default:
			both = append(both, c)
		}
	}
	for _, c := range y.letters {
		if bytes.IndexByte(x.letters, c) < 0 {
			right = append(right, c)
		}
	}
	lead, rows, cols := x.sizes(both), x.sizes(left), y.sizes(right)
	letters := bytes.Join([][]byte{both, left, right}, nil)
	shape := append(append(append(Shape{}, lead...), rows...), cols...)
	// As matrices: a batch of (rows, terms) times (terms, cols).
	terms := x.sizes(inner).Len()
	var batch Shape
	if len(both) > 0 {
		batch = Shape{lead.Len()}
	}
	a := x.order(bytes.Join([][]byte{both, left, inner}, nil)).n.Reshape(
		append(append(Shape{}, batch...), rows.Len(), terms))
	b := y.order(bytes.Join([][]byte{both, inner, right}, nil)).n.Reshape(
		append(append(Shape{}, batch...), terms, cols.Len()))
	if len(inner) == 0 { // a column times a row, element by element
		return labelled{a.Mul(b).Reshape(shape), letters}
	}
	return labelled{a.MatMul(b).Reshape(shape), letters}
}
