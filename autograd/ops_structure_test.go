package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	ad "tobac/autograd"
)

// one wraps the building of a node from the first operand.
func one(build func(x *ad.Node) *ad.Node) func([]*ad.Axis, []*ad.Node) *ad.Node {
	return func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return build(x[0]) }
}

func two(build func(x, y *ad.Node) *ad.Node) func([]*ad.Axis, []*ad.Node) *ad.Node {
	return func(_ []*ad.Axis, x []*ad.Node) *ad.Node { return build(x[0], x[1]) }
}

func layoutRows() []row {
	gather := func(idx []int, from, to ad.Shape) opCase {
		return opCase{
			name: from.String() + " to " + to.String(), shapes: []ad.Shape{from},
			build: one(func(x *ad.Node) *ad.Node { return x.Gather(idx, to) }),
			want: func(x [][]float64) []float64 {
				y := []float64{}
				for _, k := range idx {
					y = append(y, x[0][k])
				}
				return y
			},
		}
	}
	scatter := func(idx []int, from, to ad.Shape) opCase {
		return opCase{
			name: from.String() + " to " + to.String(), shapes: []ad.Shape{from},
			build: one(func(x *ad.Node) *ad.Node { return x.ScatterAdd(idx, to) }),
			want: func(x [][]float64) []float64 {
				y := make([]float64, to.Len())
				for k := range y {
					for e, i := range idx {
						if i == k {
							y[k] += x[0][e]
						}
					}
				}
				return y
			},
		}
	}
	expand := func(from, to ad.Shape) opCase {
		return opCase{
			name: from.String() + " to " + to.String(), shapes: []ad.Shape{from},
			build: one(func(x *ad.Node) *ad.Node { return x.Expand(to) }),
			want: func(x [][]float64) []float64 {
				y := []float64{}
				eachIndex(to, func(index []int) {
					k := 0
					for i, d := range from {
						k = k*d + index[len(to)-len(from)+i]%d
					}
					y = append(y, x[0][k])
				})
				return y
			},
		}
	}
	reshape := func(from, to ad.Shape) opCase {
		return opCase{
			name: from.String() + " to " + to.String(), shapes: []ad.Shape{from},
			build: one(func(x *ad.Node) *ad.Node { return x.Reshape(to) }),
			want:  func(x [][]float64) []float64 { return append([]float64{}, x[0]...) },
		}
	}
	concat := func(axis, outer int, shapes ...ad.Shape) opCase {
		return opCase{
			name: fmt.Sprintf("axis %d of %v", axis, shapes), shapes: shapes,
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
				return ad.Concat(axis, x[0], x[1:]...)
			},
			want: func(x [][]float64) (y []float64) {
				for o := range outer {
					for _, part := range x {
						n := len(part) / outer
						y = append(y, part[o*n:][:n]...)
					}
				}
				return y
			},
		}
	}
	otherConcat := concat(0, 1, ad.Shape{2, 2}, ad.Shape{2, 2})
	otherGather := gather([]int{2, 0, 5, 1, 0, 3}, ad.Shape{2, 3}, ad.Shape{3, 2})
	otherScatter := scatter([]int{4, 3, 4, 0}, ad.Shape{4}, ad.Shape{2, 3})
	otherExpand := expand(ad.Shape{2, 1}, ad.Shape{3, 2, 2})
	otherReshape := reshape(ad.Shape{2, 3}, ad.Shape{6, 1})
	return []row{
		{op: "gather", once: true, other: &otherGather, cases: []opCase{
			gather([]int{2, 0, 5, 0, 0, 3}, ad.Shape{2, 3}, ad.Shape{3, 2}), // repeats, gaps
			gather([]int{3}, ad.Shape{4}, ad.Shape{}),
			gather([]int{0, 0}, ad.Shape{}, ad.Shape{2}),
			gather([]int{0}, ad.Shape{1, 1}, ad.Shape{1}),
		}},
		{op: "concat", other: &otherConcat, cases: []opCase{
			concat(1, 2, ad.Shape{2, 2}, ad.Shape{2, 2}),
			concat(1, 2, ad.Shape{2, 1}, ad.Shape{2, 3}),
			concat(0, 1, ad.Shape{2}, ad.Shape{0}, ad.Shape{1}),
			concat(1, 2, ad.Shape{2, 2, 2}, ad.Shape{2, 1, 2}, ad.Shape{2, 1, 2}),
			concat(0, 1, ad.Shape{3}),
		}},
		{op: "scatter", once: true, other: &otherScatter, cases: []opCase{
			scatter([]int{4, 0, 4, 3}, ad.Shape{4}, ad.Shape{2, 3}), // adds up
			scatter([]int{4, 0, 1, 3}, ad.Shape{4}, ad.Shape{2, 3}), // a view
			scatter([]int{1}, ad.Shape{}, ad.Shape{3}),
			scatter([]int{0, 0}, ad.Shape{2}, ad.Shape{}),
			scatter([]int{0}, ad.Shape{1, 1}, ad.Shape{1}),
		}},
		{op: "expand", once: true, other: &otherExpand, cases: []opCase{
			expand(ad.Shape{2, 1}, ad.Shape{2, 2, 3}),
			expand(ad.Shape{}, ad.Shape{2, 2}),
			expand(ad.Shape{3}, ad.Shape{2, 3}),
			expand(ad.Shape{1}, ad.Shape{4}),
			expand(ad.Shape{1, 1}, ad.Shape{2, 3}),
			expand(ad.Shape{1}, ad.Shape{1, 1}),
		}},
		{op: "reshape", once: true, other: &otherReshape, cases: []opCase{
			reshape(ad.Shape{2, 3}, ad.Shape{3, 2}),
			reshape(ad.Shape{1}, ad.Shape{}),
			reshape(ad.Shape{}, ad.Shape{1, 1}),
			reshape(ad.Shape{6}, ad.Shape{1, 2, 3}),
		}},
	}
}

// eachIndex counts through a shape in row-major order.
func eachIndex(shape ad.Shape, visit func(index []int)) {
	index := make([]int, len(shape))
	for {
		visit(index)
		i := len(shape) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// folded reduces the given axes: combine folds the elements of each group.
func folded(shape ad.Shape, axes []int,
	combine func(group []float64) float64) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		var keys []int
		groups := map[int][]float64{}
		e := 0
		eachIndex(shape, func(index []int) {
			key := 0
			for i, d := range shape {
				kept := true
				for _, a := range axes {
					kept = kept && a != i
				}
				if kept {
					key = key*d + index[i]
				}
			}
			if groups[key] == nil {
				keys = append(keys, key)
			}
			groups[key] = append(groups[key], x[0][e])
			e++
		})
		y := make([]float64, len(keys))
		for _, k := range keys {
			y[k] = combine(groups[k])
		}
		return y
	}
}

// logSumExp in the plain form, right while no term overflows.
func logSumExp(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += math.Exp(v)
	}
	return math.Log(s)
}

func reduceRows() []row {
	reduction := func(op string, build func(x *ad.Node, axes ...int) *ad.Node,
		combine func([]float64) float64, once bool) row {
		r := row{op: op, once: once}
		for _, c := range []struct {
			shape ad.Shape
			axes  []int
		}{
			{ad.Shape{2, 3}, []int{0}}, {ad.Shape{2, 3}, []int{1}}, {ad.Shape{2, 3}, []int{0, 1}},
			{ad.Shape{5}, []int{0}}, {ad.Shape{1}, []int{0}},
			{ad.Shape{1, 3}, []int{0}}, {ad.Shape{1, 3}, []int{1}}, {ad.Shape{3, 1}, []int{0}},
			{ad.Shape{3, 1}, []int{1}}, {ad.Shape{1, 1}, []int{0, 1}},
			{ad.Shape{2, 3, 2}, []int{1}}, {ad.Shape{2, 3, 2}, []int{2, 0}},
			{ad.Shape{2, 3, 2}, []int{0, 1}}, {ad.Shape{2, 3, 2}, []int{0, 1, 2}},
			{ad.Shape{2, 3, 4, 2}, []int{2}}, {ad.Shape{2, 3, 2, 2}, []int{2, 3}},
		} {
			r.cases = append(r.cases, opCase{
				name:   c.shape.String() + ad.Shape(c.axes).String(),
				shapes: []ad.Shape{c.shape},
				build:  one(func(x *ad.Node) *ad.Node { return build(x, c.axes...) }),
				want:   folded(c.shape, c.axes, combine),
			})
		}
		r.other = &r.cases[1]
		return r
	}
	// Ties and special numbers are those of TestSpecialValues, here and over mapped axes.
	return []row{
		reduction("sum", (*ad.Node).Sum, sum, true),
		reduction("logsumexp", (*ad.Node).LogSumExp, logSumExp, false),
		reduction("max", (*ad.Node).Max, slices.Max[[]float64], true),
		reduction("min", (*ad.Node).Min, slices.Min[[]float64], true),
		softmaxRow(),
	}
}

// softmaxOf are e^x over their sum, right while no term overflows.
func softmaxOf(x []float64) []float64 {
	s := logSumExp(x)
	w := make([]float64, len(x))
	for i, v := range x {
		w[i] = math.Exp(v - s)
	}
	return w
}

// along applies f to every group of elements that differ in the index of one axis.
func along(shape ad.Shape, axis int,
	f func(group []float64) []float64) func(x [][]float64) []float64 {
	return func(x [][]float64) []float64 {
		inner := shape[axis+1:].Len()
		y := make([]float64, len(x[0]))
		for e := range y {
			if e/inner%shape[axis] != 0 {
				continue
			}
			group := make([]float64, shape[axis])
			for i := range group {
				group[i] = x[0][e+i*inner]
			}
			for i, v := range f(group) {
				y[e+i*inner] = v
			}
		}
		return y
	}
}

func softmaxRow() row {
	r := row{op: "softmax"}
	for _, c := range []struct {
		shape ad.Shape
		axis  int
	}{{ad.Shape{2, 3}, 1}, {ad.Shape{2, 3}, 0}, {ad.Shape{5}, 0}, {ad.Shape{1, 3}, 0},
		{ad.Shape{2, 3, 2}, 1}} {
		r.cases = append(r.cases, opCase{
			name: fmt.Sprint(c.shape, c.axis), shapes: []ad.Shape{c.shape},
			build: one(func(x *ad.Node) *ad.Node { return x.Softmax(c.axis) }),
			want:  along(c.shape, c.axis, softmaxOf),
		})
	}
	r.other = &r.cases[1]
	r.spots = []spot{{name: "large", shapes: []ad.Shape{{3}}, build: r.cases[2].build,
		at: [][]float64{{1e12, 1e12 - 1, -1e300}}, want: softmaxOf([]float64{0, -1, -inf})}}
	return r
}

func productRows() []row {
	cholesky := row{op: "cholesky"}
	for _, d := range []int{3, 2, 1} {
		cholesky.cases = append(cholesky.cases, opCase{
			name: ad.Shape{d, d}.String(), shapes: []ad.Shape{{d, d}},
			build: one((*ad.Node).Cholesky),
			want: func(x [][]float64) []float64 {
				var c mat.Cholesky
				// it reads the upper triangle
				if !c.Factorize(mat.NewSymDense(d, transposed(x[0], d))) {
					return make([]float64, d*d)
				}
				var l mat.TriDense
				c.LTo(&l)
				return mat.DenseCopyOf(&l).RawMatrix().Data
			},
			// A positive definite lower triangle under an arbitrary upper one.
			sample: func(rng *rand.Rand, _, size int) []float64 {
				m := mat.NewDense(d, d, normals(rng, size))
				var a mat.Dense
				a.Mul(m, m.T())
				for i := range d {
					a.Set(i, i, a.At(i, i)+1)
					for j := i + 1; j < d; j++ {
						a.Set(i, j, rng.NormFloat64())
					}
				}
				return a.RawMatrix().Data
			},
		})
	}
	cholesky.spots = []spot{{
		name: "scaled identity, NaN above the diagonal", shapes: []ad.Shape{{2, 2}},
		at:   [][]float64{{1e200, nan, 0, 1e-200}},
		want: []float64{1e100, 0, 0, 1e-100},
	}}
	return []row{
		cholesky,
		solveRow("solve_lower", (*ad.Node).SolveLower, func(l mat.Matrix) mat.Matrix { return l }),
		solveRow("solve_lower_t", (*ad.Node).SolveLowerT, func(l mat.Matrix) mat.Matrix {
			return l.T()
		}),
	}
}

func transposed(x []float64, d int) []float64 {
	return mat.DenseCopyOf(mat.NewDense(d, d, x).T()).RawMatrix().Data
}

// solveRow solves with the inverse of the lower triangle, upper triangle garbage.
func solveRow(op string, build func(l, b *ad.Node) *ad.Node,
	side func(l mat.Matrix) mat.Matrix) row {
	r := row{op: op}
	for _, d := range [][2]int{{3, 2}, {2, 1}, {1, 1}, {1, 3}} {
		n, m := d[0], d[1]
		c := opCase{
			shapes: []ad.Shape{{n, n}, {n, m}},
			build:  two(build),
			want: func(x [][]float64) []float64 {
				l := mat.NewDense(n, n, nil)
				for i := range n {
					for j := range i + 1 {
						l.Set(i, j, x[0][i*n+j])
					}
				}
				var y mat.Dense
				if y.Solve(side(l), mat.NewDense(n, m, x[1])) != nil {
					return make([]float64, n*m)
				}
				return y.RawMatrix().Data
			},
			sample: func(rng *rand.Rand, i, size int) []float64 {
				x := normals(rng, size)
				for k := 0; i == 0 && k < n; k++ {
					x[k*(n+1)] = 1 + rng.Float64()
				}
				return x
			},
		}
		c.name = c.shapes[0].String() + c.shapes[1].String()
		r.cases = append(r.cases, c)
	}
	r.spots = []spot{{
		name: "NaN above the diagonal", shapes: []ad.Shape{{2, 2}, {2, 1}},
		at:   [][]float64{{2, nan, 0, 4}, {2, 8}},
		want: []float64{1, 2}, grad: [][]float64{nil, {0.5, 0.25}},
	}}
	return r
}

// mappedRows cross a mapped axis; the mapped axis leads in every operand.
func mappedRows() []row {
	overAxis := func(name string, sizes []int, shape ad.Shape, over []int,
		build func(a []*ad.Axis, x *ad.Node) *ad.Node, want func(x []float64) []float64) opCase {
		return opCase{
			name: name, axes: sizes, shapes: []ad.Shape{shape}, over: [][]int{over},
			build: func(a []*ad.Axis, x []*ad.Node) *ad.Node { return build(a, x[0]) },
			want:  func(x [][]float64) []float64 { return want(x[0]) },
		}
	}
	// outer and inner reduce a (3,2) pair of axes over elements of size n.
	fold := func(n int, keep int, combine func([]float64) float64) func(x []float64) []float64 {
		full := ad.Shape{3, 2, n}
		return func(x []float64) []float64 {
			return folded(full, []int{1 - keep}, combine)([][]float64{x})
		}
	}
	reduction := func(op string, build func(n *ad.Node, a *ad.Axis) *ad.Node,
		combine func([]float64) float64, once bool) row {
		r := row{op: op, once: once, cases: []opCase{
			overAxis("outer of two", []int{3, 2}, ad.Shape{2}, []int{0, 1},
				func(a []*ad.Axis, x *ad.Node) *ad.Node {
					return build(x, a[0])
				}, fold(2, 1, combine)),
			overAxis("inner of two", []int{3, 2}, ad.Shape{2}, []int{0, 1},
				func(a []*ad.Axis, x *ad.Node) *ad.Node {
					return build(x, a[1])
				}, fold(2, 0, combine)),
			overAxis("only axis", []int{5}, ad.Shape{}, []int{0},
				func(a []*ad.Axis, x *ad.Node) *ad.Node { return build(x, a[0]) },
				func(x []float64) []float64 { return []float64{combine(x)} }),
			overAxis("unit axis", []int{1}, ad.Shape{2}, []int{0},
				func(a []*ad.Axis, x *ad.Node) *ad.Node { return build(x, a[0]) },
				func(x []float64) []float64 { return []float64{combine(x[:1]), combine(x[1:])} }),
		}}
		r.other = &r.cases[1]
		return r
	}

	// Weights keep the axis, of (3,2) axes and elements (2).
	softmax := func(name string, axis int) opCase {
		return overAxis(name, []int{3, 2}, ad.Shape{2}, []int{0, 1},
			func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.SoftmaxOver(a[axis]) },
			func(x []float64) []float64 {
				return along(ad.Shape{3, 2, 2}, axis, softmaxOf)([][]float64{x})
			})
	}
	innerSoftmax := softmax("inner of two", 1)
	only := overAxis("only axis", []int{5}, ad.Shape{}, []int{0},
		func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.SoftmaxOver(a[0]) }, softmaxOf)
	shares := row{op: "softmax_over", other: &innerSoftmax,
		cases: []opCase{softmax("outer of two", 0), innerSoftmax, only},
		spots: []spot{{name: "large", axes: []int{3}, shapes: []ad.Shape{{}}, over: [][]int{{0}},
			build: only.build, at: [][]float64{{1e12, 1e12 - 1, -1e300}},
			want: softmaxOf([]float64{0, -1, -inf})}}}

	expand := func(name string, axis int) opCase { // x carries the other axis of (3,2)
		return overAxis(name, []int{3, 2}, ad.Shape{2}, []int{1 - axis},
			func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.ExpandOver(a[axis]) },
			func(x []float64) []float64 {
				y := []float64{}
				eachIndex(ad.Shape{3, 2, 2}, func(i []int) { y = append(y, x[i[1-axis]*2+i[2]]) })
				return y
			})
	}
	innerExpand := expand("inner of two", 1)
	// (3,2) axes, elements (2): the axis moves before the element
	stack := func(name string, axis int) opCase {
		return overAxis(name, []int{3, 2}, ad.Shape{2}, []int{0, 1},
			func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.Stack(a[axis]) },
			func(x []float64) []float64 {
				y := []float64{}
				if axis == 1 {
					return append(y, x...)
				}
				eachIndex(ad.Shape{2, 3, 2}, func(i []int) {
					y = append(y, x[(i[1]*2+i[0])*2+i[2]])
				})
				return y
			})
	}
	innerStack := stack("inner of two", 1)
	// x carries the other axis, elements (size of axis, 2)
	unstack := func(name string, axis int, sizes []int) opCase {
		return overAxis(name, sizes, ad.Shape{sizes[axis], 2}, []int{1 - axis},
			func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.Unstack(a[axis]) },
			func(x []float64) []float64 {
				y := []float64{}
				eachIndex(ad.Shape{sizes[0], sizes[1], 2}, func(i []int) {
					y = append(y, x[(i[1-axis]*sizes[axis]+i[axis])*2+i[2]])
				})
				return y
			})
	}
	otherUnstack := unstack("inner of two", 1, []int{2, 2})
	return []row{
		reduction("sum_over", (*ad.Node).SumOver, sum, true),
		reduction("logsumexp_over", (*ad.Node).LogSumExpOver, logSumExp, false),
		reduction("max_over", (*ad.Node).MaxOver, slices.Max[[]float64], true), shares,
		{op: "expand_over", once: true, cases: []opCase{expand("outer of two", 0), innerExpand}},
		{op: "stack", once: true, other: &innerStack, cases: []opCase{
			stack("outer of two", 0), innerStack,
			overAxis("only axis", []int{4}, ad.Shape{}, []int{0},
				func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.Stack(a[0]) },
				func(x []float64) []float64 { return append([]float64{}, x...) }),
		}},
		{op: "unstack", once: true, cases: []opCase{
			unstack("outer of two", 0, []int{2, 2}), otherUnstack,
			unstack("outer of two, unequal", 0, []int{3, 2}),
			overAxis("only axis", []int{4}, ad.Shape{4}, nil,
				func(a []*ad.Axis, x *ad.Node) *ad.Node { return x.Unstack(a[0]) },
				func(x []float64) []float64 { return append([]float64{}, x...) }),
		}},
	}
}
