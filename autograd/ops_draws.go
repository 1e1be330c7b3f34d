package autograd

// Normal adds an input of uniform numbers of the given name, as [Builder.Uniform]
// does, and returns the independent standard normal numbers Φ⁻¹(u) that are made of
// them. The engines draw the uniform numbers from the streams of [Feed.Seed]; with
// numbers of the caller's, uniform ones are fed. What an evaluator lists among its
// inputs is the node of the uniform numbers, [Builder.InputNamed] of the name.
func (b *Builder) Normal(name string, shape Shape, over ...*Axis) *Node {
	return b.Uniform(name, shape, over...).NdtrInv()
}

// Gumbel adds an input of uniform numbers of the given name, as [Builder.Normal]
// does, and returns the independent standard Gumbel numbers −ln(−ln u) that are
// made of them.
func (b *Builder) Gumbel(name string, shape Shape, over ...*Axis) *Node {
	return b.Uniform(name, shape, over...).Log().Neg().Log().Neg()
}

// InputNamed is the input of the given name, nil if there is none.
func (b *Builder) InputNamed(name string) *Node { return b.inputs[name] }
