package passes

import (
	"tobac/autograd/internal/ir"
)

// Flatten turns all mapped axes but those kept into leading dimensions, outermost first:
// a value that carries some becomes an array with an element for each of their indices
// and each of its own elements. What crosses such an axis becomes a sum, a log-sum-exp or
// a view of elements. Inputs and outputs say in Value.Flat which axes they have taken in.
func Flatten(f *ir.Func, keep ir.AxisSet) *ir.Func {
	var used ir.AxisSet
	for _, v := range f.Values {
		used |= v.Axes
	}
	flat := used.Minus(keep)
	if flat == 0 {
		return f
	}
	l := lifter{f: f, flat: flat, to: &ir.Func{Name: f.Name, Axes: f.Axes},
		lifted: make(map[*ir.Value]*ir.Value, len(f.Values)), summed: map[*ir.Value]bool{}}
	for _, a := range flat.Of(f.Axes) {
		for _, v := range SummedProducts(f, a, keep) {
			l.summed[v] = true
		}
	}
	for _, v := range f.Values {
		if !l.summed[v] {
			l.lifted[v] = l.lift(v)
		}
	}
	for _, v := range f.Inputs {
		l.to.Inputs = append(l.to.Inputs, l.lifted[v])
	}
	for _, v := range f.Outputs {
		l.to.Outputs = append(l.to.Outputs, l.lifted[v])
	}
	return l.to
}

// Clone copies a function, whose values passes may then replace.
func Clone(f *ir.Func) *ir.Func {
	c := &ir.Func{Name: f.Name, Axes: f.Axes, Values: make([]*ir.Value, 0, len(f.Values))}
	copies, made := make([]*ir.Value, len(f.Values)), make([]ir.Value, len(f.Values))
	for i, v := range f.Values {
		w := &made[i]
		*w = *v
		w.Args = make([]*ir.Value, len(v.Args))
		for k, a := range v.Args {
			w.Args[k] = copies[a.ID]
		}
		copies[i] = c.Add(w)
	}
	for _, v := range f.Inputs {
		c.Inputs = append(c.Inputs, copies[v.ID])
	}
	for _, v := range f.Outputs {
		c.Outputs = append(c.Outputs, copies[v.ID])
	}
	return c
}

type lifter struct {
	f, to  *ir.Func
	flat   ir.AxisSet
	lifted map[*ir.Value]*ir.Value
	summed map[*ir.Value]bool // products of matrices that are part of a longer one
}

// SummedProducts lists the products of matrices that carry the axis, alone but for axes that
// are kept, and are only added up over it. As a dimension it is part of the inner one: Σ AᵢBᵢ is
// one product of all Aᵢ side by side and all Bᵢ below each other.
func SummedProducts(f *ir.Func, axis *ir.Axis, keep ir.AxisSet) []*ir.Value {
	readers := make([]int, len(f.Values))
	for _, v := range f.Values {
		for _, a := range v.Args {
			readers[a.ID]++
		}
	}
	for _, v := range f.Outputs {
		readers[v.ID]++
	}
	only := ir.AxisSet(0).With(axis)
	var list []*ir.Value
	for _, v := range f.Values {
		if v.Op == nil || v.Op.Over != ir.OverSum || v.Attr.Axis != axis || v.Const != nil {
			continue
		}
		if x := v.Args[0]; x.Computed() && x.Op.Class == ir.MatMul && len(x.Shape) == 2 &&
			x.Axes.Minus(keep) == only && readers[x.ID] == 1 {
			list = append(list, x)
		}
	}
	return list
}

// axes of v that become dimensions.
func (l *lifter) axes(v *ir.Value) ir.AxisSet { return v.Axes & l.flat }

// copies is the number of index combinations of an axis set.
func (l *lifter) copies(s ir.AxisSet) int { return s.Lanes(l.f.Axes) }

// shape is the lifted shape of a value with the given axes and own shape.
func (l *lifter) shape(axes ir.AxisSet, own ir.Shape) ir.Shape {
	s := ir.Shape{}
	for _, a := range axes.Of(l.f.Axes) {
		s = append(s, a.Size())
	}
	return append(s, own...)
}

// lift adds the lifted form of v.
func (l *lifter) lift(v *ir.Value) *ir.Value {
	c := *v
	c.Axes = v.Axes.Minus(l.flat)
	c.Shape = l.shape(l.axes(v), v.Shape)
	c.Flat = v.Flat | l.axes(v)
	if v.Op == nil {
		c.Uniform = v.Uniform && l.axes(v) == 0
		return l.to.Add(&c)
	}
	c.Args = make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		c.Args[i] = l.lifted[a]
	}
	if v.Op.Over != ir.Within && l.flat.Has(v.Attr.Axis) {
		return l.cross(v, &c)
	}
	same := true // operands carry the axes that the result does
	for _, a := range v.Args {
		same = same && l.axes(a) == l.axes(v)
	}
	switch {
	case l.axes(v) == 0:
		return l.to.Add(&c)
	case v.IsView():
		return l.repeatView(v, &c)
	}
	switch v.Op.Class {
	case ir.Elementwise1, ir.Elementwise2, ir.Select:
		for i, a := range v.Args {
			c.Args[i] = l.expand(a, l.axes(v), v.Shape)
		}
		return l.to.Add(&c)
	case ir.Crossing: // of a kept axis
		c.Attr.Ints = []int{l.copies(l.axes(v))}
		return l.to.Add(&c)
	case ir.MatMul:
		return l.product(v, &c, same)
	}
	for i, a := range v.Args {
		c.Args[i] = l.expand(a, l.axes(v), a.Shape)
	}
	c.Op = v.Repeated(l.copies(l.axes(v)))
	return l.to.Add(&c)
}

// repeatView lifts a value that shows elements of its operand.
func (l *lifter) repeatView(v, c *ir.Value) *ir.Value {
	a := v.Args[0]
	n, own := l.copies(l.axes(v)), a.Len()
	project := ir.Projector(l.f.Axes, l.axes(v), l.axes(a))
	index := make([]int, 0, n*len(v.Index))
	for k := range n {
		for _, e := range v.Index {
			if e >= 0 {
				e += project(k) * own
			}
			index = append(index, e)
		}
	}
	return l.view(c, index)
}

// view makes c show elements of its first operand.
func (l *lifter) view(c *ir.Value, index []int) *ir.Value {
	c.Op, c.Attr, c.Index = ir.ViewOp, ir.Attr{Ints: index}, index
	return l.to.Add(c)
}

// expand shows the lifted operand a at every index of the axes, broadcast to the shape.
// A single number that carries none of them stays one.
func (l *lifter) expand(a *ir.Value, axes ir.AxisSet, own ir.Shape) *ir.Value {
	x := l.lifted[a]
	if l.axes(a) == axes && (len(a.Shape) > 0 || len(own) == 0) {
		return x
	}
	if l.axes(a) == 0 && len(a.Shape) == 0 {
		return x
	}
	n, size, from := l.copies(axes), own.Len(), a.Len()
	project := ir.Projector(l.f.Axes, axes, l.axes(a))
	index := make([]int, n*size)
	for k := range index {
		index[k] = project(k/size)*from + k%size%from
	}
	return l.to.View(x, index, l.shape(axes, own))
}

// product lifts a product of matrices to a stack of them, or, if only its first factor
// carries axes, to one with more rows; if only the second does, a column, the columns are
// the rows of one product with the first factor transposed.
func (l *lifter) product(v, c *ir.Value, same bool) *ir.Value {
	a, b := v.Args[0], v.Args[1]
	n := l.copies(l.axes(v))
	if !same && l.axes(b) == 0 && len(a.Shape) == 2 {
		m, k := a.Shape[0], a.Shape[1]
		rows := l.to.View(l.lifted[a], ir.Identity(n*m*k), ir.Shape{n * m, k})
		p := *c
		p.Args, p.Shape, p.Flat = []*ir.Value{rows, l.lifted[b]}, ir.Shape{n * m, v.Shape[1]}, 0
		whole := l.to.Add(&p)
		c.Args = []*ir.Value{whole}
		return l.view(c, ir.Identity(c.Len()))
	}
	if !same && l.axes(a) == 0 && len(b.Shape) == 2 && b.Shape[1] == 1 {
		m, k := a.Shape[0], a.Shape[1]
		rows := l.to.View(l.lifted[b], ir.Identity(n*k), ir.Shape{n, k})
		p := *c
		p.Args, p.Shape, p.Flat = []*ir.Value{rows, l.transposed(l.lifted[a], m, k)},
			ir.Shape{n, m}, 0
		whole := l.to.Add(&p)
		c.Args = []*ir.Value{whole}
		return l.view(c, ir.Identity(c.Len()))
	}
	c.Op = v.Repeated(n) // whose value is that of a stack, where it is folded
	c.Args = []*ir.Value{l.expand(a, l.axes(v), a.Shape), l.expand(b, l.axes(v), b.Shape)}
	return l.to.Add(c)
}

// transposed shows an m×k matrix.
func (l *lifter) transposed(a *ir.Value, m, k int) *ir.Value {
	return l.to.View(a, indices(m*k, func(e int) int { return e%m*k + e/m }), ir.Shape{k, m})
}

// sumOfProducts lifts a sum over an axis of products of matrices.
func (l *lifter) sumOfProducts(v, c *ir.Value) *ir.Value {
	x := v.Args[0]
	a, b := x.Args[0], x.Args[1]
	axes := l.axes(x)
	n, m, k := l.copies(axes), a.Shape[0], a.Shape[1]
	left, right := l.expand(a, axes, a.Shape), l.expand(b, axes, b.Shape)
	left = l.to.View(left, indices(m*n*k, func(e int) int {
		i, g, j := e/(n*k), e/k%n, e%k
		return (g*m+i)*k + j
	}), ir.Shape{m, n * k})
	right = l.to.View(right, ir.Identity(right.Len()), ir.Shape{n * k, b.Shape[1]})
	c.Op, c.Attr, c.Args = x.Op, x.Attr, []*ir.Value{left, right}
	return l.to.Add(c)
}

// cross lifts what crosses an axis that becomes a dimension.
func (l *lifter) cross(v, c *ir.Value) *ir.Value {
	x, axis := v.Args[0], v.Attr.Axis
	if l.summed[x] {
		return l.sumOfProducts(v, c)
	}
	from, to := l.axes(x), l.axes(v)
	size := x.Len()
	// position is where index i of the axis is, of the operand's axes at k of the
	// result's.
	back := ir.Projector(l.f.Axes, from, from.Without(axis))
	of := ir.Projector(l.f.Axes, from, ir.AxisSet(0).With(axis))
	position := make([][]int, l.copies(from.Without(axis)))
	for k := range position {
		position[k] = make([]int, axis.Size())
	}
	for j := range l.copies(from) {
		position[back(j)][of(j)] = j
	}
	project := ir.Projector(l.f.Axes, to, from.Without(axis))
	index := ir.Projector(l.f.Axes, to, ir.AxisSet(0).With(axis))
	switch v.Op.Over {
	case ir.OverSum, ir.OverLogSumExp, ir.OverMax:
		sources := make([][]int, c.Len())
		for e := range sources {
			for _, j := range position[project(e/size)] {
				sources[e] = append(sources[e], j*size+e%size)
			}
		}
		return l.reduce(v, c, sources)
	case ir.OverSoftmax:
		c.Op = softmaxOver(position, size)
		c.Attr = ir.Attr{}
		return l.to.Add(c)
	case ir.OverExpand:
		return l.view(c, indices(c.Len(), func(e int) int { return project(e/size)*size + e%size }))
	case ir.OverStack:
		return l.view(c, indices(c.Len(), func(e int) int {
			own := axis.Size() * size
			return position[project(e/own)][e%own/size]*size + e%size
		}))
	}
	// unstack: the operand has the axis as its first dimension
	own := v.Len()
	return l.view(c, indices(c.Len(), func(e int) int {
		return project(e/own)*size + index(e/own)*own + e%own
	}))
}

func indices(n int, f func(int) int) []int {
	index := make([]int, n)
	for e := range index {
		index[e] = f(e)
	}
	return index
}

// reduce makes c a sum or log-sum-exp over sources.
func (l *lifter) reduce(v, c *ir.Value, sources [][]int) *ir.Value {
	c.Op, c.Attr = ir.Reduction(v.Op.Over, sources), ir.Attr{}
	return l.to.Add(c)
}

// softmaxOver normalises e^x over the positions of each group, element by element.
func softmaxOver(groups [][]int, size int) *ir.Op {
	var sources [][]int
	for _, g := range groups {
		for e := range size {
			src := make([]int, len(g))
			for i, j := range g {
				src[i] = j*size + e
			}
			sources = append(sources, src)
		}
	}
	return &ir.Op{
		Name: "softmax", Class: ir.Softmax,
		Lists: ir.Lists{Sources: func(ir.Attr, ir.Shape, ir.Shape) [][]int { return sources }},
		Eval: func(_ ir.Attr, y []float64, _ ir.Shape, in [][]float64, _ []ir.Shape) error {
			ir.Normalise(y, in[0], sources)
			return nil
		},
	}
}
