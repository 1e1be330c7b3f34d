package autograd

// Compositions of element-wise operations on slices: they work in every engine,
// have derivatives of every order, and take ⌈log₂ n⌉ rounds for n elements.

// Prod is the product over the given axes, which are dropped; without axes, over
// all. Its derivative by an element is the product of the others, whether some are
// zero or not. The product of no elements is 1.
func (n *Node) Prod(axes ...int) *Node {
	if n.b.err != nil || len(n.shape) == 0 && len(axes) == 0 {
		return n
	}
	axes = axesOrAll(n.shape, axes)
	shape, err := reduceShape(Attr{Ints: axes}, []Shape{n.shape})
	if err != nil {
		return n.b.fail(n.shape, "prod: %w", err)
	}
	for _, axis := range axes {
		n = n.prodAlong(axis)
	}
	return n.Reshape(shape)
}

// prodAlong multiplies along an axis, whose size becomes 1: one half with the
// other, round by round, and last with the elements that were left over.
func (n *Node) prodAlong(axis int) *Node {
	if n.shape[axis] == 0 {
		return n.Sum(axis).AddScalar(1).keepDims(n.shape, []int{axis})
	}
	var left []*Node
	for n.shape[axis] > 1 {
		size := n.shape[axis]
		half := size / 2
		if size%2 == 1 {
			left = append(left, n.Slice(axis, size-1, size))
		}
		n = n.Slice(axis, 0, half).Mul(n.Slice(axis, half, 2*half))
	}
	for _, x := range left {
		n = n.Mul(x)
	}
	return n
}

// CumSum is the sum along an axis of the elements up to each: element i of the
// result is x₀ + … + xᵢ.
func (n *Node) CumSum(axis int) *Node { return n.scan("cumulative sum", axis, (*Node).Add) }

// LogCumSumExp is ln Σ e^x along an axis of the elements up to each: element i of
// the result is ln(e^x₀ + … + e^xᵢ), shifted by the largest of them. Where two or
// more elements lead at −∞ their derivatives are NaN, as those of [Node.LogAddExp].
func (n *Node) LogCumSumExp(axis int) *Node {
	return n.scan("cumulative log-sum-exp", axis, (*Node).LogAddExp)
}

// scan combines each element along an axis with all before it, by an associative
// operation: after round k it holds the last 2ᵏ (Hillis and Steele 1986).
func (n *Node) scan(name string, axis int, combine func(x, y *Node) *Node) *Node {
	if n.b.err != nil {
		return n
	}
	if err := checkAxis(axis, n.shape); err != nil {
		return n.b.fail(n.shape, "%s: %w", name, err)
	}
	size := n.shape[axis]
	for step := 1; step < size; step *= 2 {
		n = Concat(axis, n.Slice(axis, 0, step),
			combine(n.Slice(axis, 0, size-step), n.Slice(axis, step, size)))
	}
	return n
}

// Variance is the mean squared deviation from the mean over the given axes, which
// are dropped; without axes, over all. It is that of a population: the divisor is
// the number of elements.
func (n *Node) Variance(axes ...int) *Node {
	if n.b.err != nil {
		return n
	}
	axes = axesOrAll(n.shape, axes)
	mean := n.Mean(axes...)
	if n.b.err != nil {
		return mean
	}
	return n.Sub(mean.lift(n.shape, axes)).Square().Mean(axes...)
}
