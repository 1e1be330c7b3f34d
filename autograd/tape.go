package autograd

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// tape runs the outputs on gorgonia's TapeMachine. The mapped axes, but for the
// loop axis, become leading dimensions of a second gorgonia graph made of
// native ops where the stacked operation is one, and of own ops elsewhere. No
// node reshapes in place, which the TapeMachine gets wrong.
type tape struct {
	*spec
	graph   *G.ExprGraph
	machine G.VM
	nodes   map[*Node]*G.Node
	let     []*tensor.Dense // per input, nil for scalars
	read    []G.Value
	cause   error // of an own op: the machine keeps only its text
}

func newTape(inputs, outputs []*Node, _ Options) (t *tape, err error) {
	s, err := newSpec(inputs, outputs)
	if err != nil {
		return nil, err
	}
	buildMutex.Lock()
	defer buildMutex.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("autograd: graph %q on the tape: gorgonia: %v", s.b.name, r)
		}
	}()
	t = &tape{spec: s, graph: G.NewGraph(), nodes: map[*Node]*G.Node{}}
	for _, n := range s.nodes {
		g, err := t.lower(n)
		if err != nil {
			return nil, fmt.Errorf("autograd: graph %q on the tape: %v: %w", s.b.name, n, err)
		}
		if got, want := Shape(g.Shape()), t.shapeOf(n); !got.Equal(want) {
			return nil, fmt.Errorf("autograd: graph %q on the tape: %v: shape %v, want %v", s.b.name, n, got, want)
		}
		t.nodes[n] = g
	}
	t.read = make([]G.Value, len(s.outputs))
	for i, n := range s.outputs {
		g := t.nodes[n]
		if n.op == nil { // the TapeMachine reads results of ops only
			g, err = G.ApplyOp(t.copyOp(n, fmt.Sprintf("output %d", i), identityIndices(t.shapeOf(n).Len())), g)
			if err != nil {
				return nil, err
			}
		}
		G.Read(g, &t.read[i])
	}
	t.let = make([]*tensor.Dense, len(s.inputs))
	for i, n := range s.inputs {
		if shape := t.shapeOf(n); len(shape) > 0 {
			t.let[i] = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(shape...))
		}
	}
	t.machine = G.NewTapeMachine(t.graph)
	return t, nil
}

// shapeOf is the stacked shape: the lane axes, then the node's own shape.
func (t *tape) shapeOf(n *Node) Shape {
	s := Shape{}
	for _, a := range t.laneAxes(n).of(t.b) {
		s = append(s, a.size)
	}
	return append(s, n.shape...)
}

func (t *tape) lower(n *Node) (*G.Node, error) {
	if n.op == nil {
		return t.leaf(n), nil
	}
	operands := make([]*G.Node, len(n.args))
	for i, a := range n.args {
		operands[i] = t.nodes[a]
	}
	lanes := t.laneAxes(n)
	switch r := n.op; {
	case n.op.over == overSum:
		at := 0
		for _, a := range t.laneAxes(n.args[0]).of(t.b) {
			if a == n.attr.axis {
				break
			}
			at++
		}
		if g, err := nativeSum(operands[0], at); g != nil || err != nil {
			return g, err
		}
		return t.crossAxis(n, operands[0])
	case n.op.over != within:
		return t.crossAxis(n, operands[0])
	case r.native != nil && r.name == "sum":
		axes := make([]int, len(n.attr.ints))
		for i, a := range n.attr.ints {
			axes[i] = a + lanes.count()
		}
		if g, err := nativeSum(operands[0], axes...); g != nil || err != nil {
			return g, err
		}
	case r.native != nil && (r.unary != nil || r.binary != nil):
		for i, a := range n.args {
			if t.shapeOf(a).Equal(t.shapeOf(n)) || len(t.shapeOf(a)) == 0 {
				continue
			}
			var err error
			if operands[i], err = t.expand(n, i, operands[i]); err != nil {
				return nil, err
			}
		}
		return r.native(n.attr, operands)
	case r.native != nil && lanes == 0:
		if g, err := r.native(n.attr, operands); g != nil || err != nil {
			return g, err
		}
	}
	return t.eachLane(n, operands)
}

func (t *tape) leaf(n *Node) *G.Node {
	shape, name := t.shapeOf(n), fmt.Sprintf("%d %s", n.id, n.label())
	var g *G.Node
	if len(shape) == 0 {
		g = G.NewScalar(t.graph, tensor.Float64, G.WithName(name))
	} else {
		g = G.NewTensor(t.graph, tensor.Float64, len(shape), G.WithName(name), G.WithShape(shape...))
	}
	if n.value != nil {
		if err := G.Let(g, newValue(shape, append([]float64{}, n.value...))); err != nil {
			panic(err)
		}
	}
	return g
}

// op makes an own op of the stacked graph, unique by the node it belongs to.
func (t *tape) op(n *Node, label string, in []Shape, run func(out []float64, in [][]float64) error) *ownOp {
	return &ownOp{label: fmt.Sprintf("%d %s %s", n.id, n.label(), label), in: in, out: t.shapeOf(n), run: func(out []float64, in [][]float64) error {
		if err := run(out, in); err != nil {
			t.cause = fmt.Errorf("%v: %w", n, err)
		}
		return t.cause
	}}
}

// copyOp reads element index[e] of a stacked value into element e.
func (t *tape) copyOp(n *Node, label string, index []int) *ownOp {
	return t.op(n, label, []Shape{t.shapeOf(n)}, func(out []float64, in [][]float64) error {
		for e, k := range index {
			out[e] = in[0][k]
		}
		return nil
	})
}

// expand repeats operand i of an element-wise node along the lanes and, if it
// is a scalar, along the elements.
func (t *tape) expand(n *Node, i int, g *G.Node) (*G.Node, error) {
	a := n.args[i]
	proj := projector(t.b, t.laneAxes(n), t.laneAxes(a))
	size, from := n.shape.Len(), a.shape.Len()
	index := make([]int, t.shapeOf(n).Len())
	for k := range index {
		index[k] = proj(k/size)*from + k%size%from
	}
	op := t.copyOp(n, fmt.Sprintf("expand %d", i), index)
	op.in = []Shape{t.shapeOf(a)}
	return G.ApplyOp(op, g)
}

// eachLane evaluates a rule lane by lane.
func (t *tape) eachLane(n *Node, operands []*G.Node) (*G.Node, error) {
	lanes := t.laneAxes(n)
	shapes, stacked := argShapes(n), make([]Shape, len(n.args))
	proj := make([]func(int) int, len(n.args))
	for i, a := range n.args {
		stacked[i] = t.shapeOf(a)
		proj[i] = projector(t.b, lanes, t.laneAxes(a))
	}
	size, count := n.shape.Len(), lanes.lanes(t.b)
	return G.ApplyOp(t.op(n, "lanes", stacked, func(out []float64, in [][]float64) error {
		x := make([][]float64, len(in))
		for l := range count {
			for i := range in {
				k := shapes[i].Len()
				x[i] = in[i][proj[i](l)*k:][:k]
			}
			y := out[l*size:][:size]
			if n.op.kernel == kernelMatMul {
				gemm(y, n.shape, x, shapes)
			} else if err := n.op.eval(n.attr, y, n.shape, x, shapes); err != nil {
				return err
			}
		}
		return nil
	}), operands...)
}

// gemm is the matrix product of one lane by the library that gorgonia uses for
// its own.
func gemm(y []float64, shape Shape, x [][]float64, shapes []Shape) {
	dense := func(data []float64, s Shape) blas64.General {
		return blas64.General{Rows: s[0], Cols: s[1], Stride: s[1], Data: data}
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, dense(x[0], shapes[0]), dense(x[1], shapes[1]), 0, dense(y, shape))
}

// crossAxis lowers the rules that cross a mapped axis.
func (t *tape) crossAxis(n *Node, operand *G.Node) (*G.Node, error) {
	x, a := n.args[0], n.attr.axis
	from, to := t.laneAxes(x), t.laneAxes(n)
	size, xsize := n.shape.Len(), x.shape.Len()
	// first is the lane of x at a lane of n, with index 0 of the axis if n has
	// lost it; stride is the distance between the indices of the axis in x.
	first, index := projector(t.b, to, from), projector(t.b, to, axisSet(0).with(a))
	inner := 1
	for _, o := range from.of(t.b) {
		if o.id > a.id {
			inner *= o.size
		}
	}
	if from.has(a) {
		kept := first
		first = func(l int) int { k := kept(l); return k/inner*inner*a.size + k%inner }
	}
	stride := inner * xsize
	source := make([]int, t.shapeOf(n).Len())
	for k := range source {
		l, e := k/size, k%size
		source[k] = first(l) * xsize
		switch n.op.over {
		case overSum, overLogSumExp, overExpand:
			source[k] += e
		case overUnstack:
			source[k] += index(l)*size + e
		case overStack:
			source[k] += e%xsize + e/xsize*stride
		}
	}
	element := func(x []float64) float64 { return x[0] }
	switch n.op.over {
	case overSum:
		element = func(x []float64) float64 { return sumStrided(x, stride, a.size) }
	case overLogSumExp:
		element = func(x []float64) float64 { return logSumExpStrided(x, stride, a.size) }
	}
	return G.ApplyOp(t.op(n, "over", []Shape{t.shapeOf(x)}, func(out []float64, in [][]float64) error {
		for k, s := range source {
			out[k] = element(in[0][s:])
		}
		return nil
	}), operand)
}

// Close releases the machine.
func (t *tape) Close() { t.machine.Close() }

// Eval implements [Evaluator].
func (t *tape) Eval(dst [][]float64, src []Feed) error {
	if err := t.checkCall(dst, src); err != nil {
		return err
	}
	data := make([][]float64, len(src))
	for i, f := range src {
		data[i] = t.materialise(t.inputs[i], f)
	}
	for outer := range t.loopSize() {
		for i, n := range t.inputs {
			g := t.nodes[n]
			if g == nil { // no output depends on it
				continue
			}
			size := t.shapeOf(n).Len()
			x := data[i]
			if t.loop != nil && n.axes.has(t.loop) {
				x = x[outer*size:][:size]
			}
			var v G.Value = t.let[i]
			if t.let[i] == nil {
				v = G.NewF64(x[0])
			} else {
				copy(t.let[i].Float64s(), x)
			}
			if err := G.Let(g, v); err != nil {
				return err
			}
		}
		t.cause = nil
		err := t.machine.RunAll()
		if t.cause != nil {
			err = t.cause
		}
		if err == nil {
			err = t.collect(dst, outer)
		}
		t.machine.Reset()
		if err != nil {
			return fmt.Errorf("autograd: graph %q on the tape: %w", t.b.name, err)
		}
	}
	return nil
}

// collect copies the results of one run out of the machine's registers.
func (t *tape) collect(dst [][]float64, outer int) error {
	for i, n := range t.outputs {
		d, err := valueData(t.read[i])
		if err != nil {
			return err
		}
		size := t.shapeOf(n).Len()
		to := dst[i][:size]
		if t.loop != nil {
			to = dst[i][outer*size:][:size]
		}
		copy(to, d)
	}
	return nil
}
