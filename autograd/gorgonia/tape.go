package gorgonia

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
)

// buildMutex serialises graph construction: gorgonia hashes package-level
// constants lazily, so two graphs may not grow at the same time.
var buildMutex sync.Mutex

// tape runs the outputs on gorgonia's TapeMachine. The mapped axes, but for the
// loop axis, become leading dimensions of a second gorgonia graph made of
// native ops where the stacked operation is one, and of own ops elsewhere. No
// node reshapes in place, which the TapeMachine gets wrong.
type tape struct {
	*ir.Func
	loop    *ir.Axis // whose indices are run one after the other; nil means none
	graph   *G.ExprGraph
	machine G.VM
	nodes   map[*ir.Value]*G.Node
	let     []*tensor.Dense // per input, nil for scalars
	read    []G.Value
	cause   error // of an own op: the machine keeps only its text

	// Of a graph for others: the names of the inputs, the node of each value, and who makes
	// it.
	names    []string
	of       []*ad.Node
	exporter *exporter
}

// Tape is the engine that stacks the mapped axes of a graph into leading dimensions of a
// gorgonia graph and runs it on gorgonia's TapeMachine. It exists for comparison in
// benchmarks. It stops at the first failure, and does not look for numbers that are not
// finite.
var Tape = ad.NewEngine("tape", func(f *ad.Function, _ ad.Options) (ad.Evaluator, error) {
	return newTape(f.Lowered())
})

// newTape makes the gorgonia graph of a function and a TapeMachine that runs it. It returns
// what gorgonia refuses, or panics with, as an error.
func newTape(f *ir.Func) (e ad.Evaluator, err error) {
	var used ir.AxisSet
	for _, v := range f.Values {
		used |= v.Axes
	}
	t := &tape{Func: f, graph: G.NewGraph(), nodes: map[*ir.Value]*G.Node{}}
	if axes := used.Of(f.Axes); len(axes) > 0 && exec.Separable(f, axes[0]) {
		t.loop = axes[0]
	}
	buildMutex.Lock()
	defer buildMutex.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("autograd: graph %q on the tape: gorgonia: %v", f.Name, r)
		}
	}()
	if err := t.build(); err != nil {
		return nil, fmt.Errorf("autograd: graph %q on the tape: %w", f.Name, err)
	}
	t.machine = G.NewTapeMachine(t.graph)
	return t, nil
}

// addNodes adds the nodes.
func (t *tape) addNodes() error {
	for _, n := range t.Values {
		if t.exporter != nil {
			if g := t.exporter.made[t.of[n.ID]]; g != nil {
				t.nodes[n] = g
				continue
			}
			if n.Len() == 0 {
				return fmt.Errorf("%s has no elements, which gorgonia does not know", t.Describe(n))
			}
		}
		g, err := t.lower(n)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Describe(n), err)
		}
		if got, want := ad.Shape(g.Shape()), standIn(t.shapeOf(n)); !got.Equal(want) {
			return fmt.Errorf("%s: shape %v, want %v", t.Describe(n), got, want)
		}
		t.nodes[n] = g
		if t.exporter != nil {
			t.exporter.made[t.of[n.ID]] = g
		}
	}
	return nil
}

// build adds the nodes, and reads of the outputs.
func (t *tape) build() error {
	if err := t.addNodes(); err != nil {
		return err
	}
	t.read = make([]G.Value, len(t.Outputs))
	for i, n := range t.Outputs {
		g := t.nodes[n]
		if n.Op == nil { // the TapeMachine reads results of ops only
			var err error
			g, err = G.ApplyOp(t.copyOp(n, fmt.Sprintf("output %d", i),
				ir.Identity(t.shapeOf(n).Len())), g)
			if err != nil {
				return err
			}
		}
		G.Read(g, &t.read[i])
	}
	t.let = make([]*tensor.Dense, len(t.Inputs))
	for i, n := range t.Inputs {
		if shape := t.shapeOf(n); len(shape) > 0 {
			t.let[i] = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(standIn(shape)...))
		}
	}
	return nil
}

// laneAxes are the axes of n that vary within one index of the loop.
func (t *tape) laneAxes(n *ir.Value) ir.AxisSet {
	if t.loop == nil {
		return n.Axes
	}
	return n.Axes.Without(t.loop)
}

// shapeOf is the stacked shape: the lane axes, then the node's own shape.
func (t *tape) shapeOf(n *ir.Value) ad.Shape {
	s := ad.Shape{}
	for _, a := range t.laneAxes(n).Of(t.Axes) {
		s = append(s, a.Size())
	}
	return append(s, n.Shape...)
}

func (t *tape) lower(n *ir.Value) (*G.Node, error) {
	if n.Op == nil {
		return t.leaf(n), nil
	}
	operands := make([]*G.Node, len(n.Args))
	for i, a := range n.Args {
		operands[i] = t.nodes[a]
	}
	lanes := t.laneAxes(n)
	native := natives[n.Op.Name]
	if c := n.Op.Class; n.Op.Unary == nil && n.Op.Binary == nil && c != ir.Sum && c != ir.MatMul {
		native = nil // an operation of the user's that has the name of a native one
	}
	if n.Len() == 0 || n.Op.Class == ir.MatMul && len(n.Shape) > 2 ||
		slices.ContainsFunc(n.Args, func(a *ir.Value) bool { return a.Len() == 0 }) {
		native = nil // which gorgonia's own ops do not bear
	}
	switch r := n.Op; {
	case n.Op.Over == ir.OverSum:
		at := 0
		for _, a := range t.laneAxes(n.Args[0]).Of(t.Axes) {
			if a == n.Attr.Axis {
				break
			}
			at++
		}
		if g, err := nativeSum(operands[0], at); g != nil || err != nil {
			return g, err
		}
	case native != nil && r.Name == "sum":
		axes := make([]int, len(n.Attr.Ints))
		for i, a := range n.Attr.Ints {
			axes[i] = a + lanes.Count()
		}
		if g, err := nativeSum(operands[0], axes...); g != nil || err != nil {
			return g, err
		}
	case native != nil && (r.Unary != nil || r.Binary != nil):
		for i, a := range n.Args {
			if t.shapeOf(a).Equal(t.shapeOf(n)) || len(t.shapeOf(a)) == 0 {
				continue
			}
			var err error
			if operands[i], err = t.expand(n, i, operands[i]); err != nil {
				return nil, err
			}
		}
		return native(operands)
	case native != nil && lanes == 0:
		if g, err := native(operands); g != nil || err != nil {
			return g, err
		}
	}
	return t.walked(n, operands)
}

func (t *tape) leaf(n *ir.Value) *G.Node {
	shape, name := t.shapeOf(n), fmt.Sprintf("%d %s", n.ID, t.Describe(n))
	if t.exporter != nil {
		if n.Const != nil {
			return t.exporter.constant(t.Describe(n), n.Const, shape)
		}
		name = t.names[n.Input]
	}
	g := newLeaf(t.graph, name, shape)
	if n.Const != nil {
		if err := G.Let(g, newValue(shape, append([]float64{}, n.Const...))); err != nil {
			panic(err)
		}
	}
	return g
}

// op makes an own op of the stacked graph, unique by the node it belongs to.
func (t *tape) op(n *ir.Value, label string, in []ad.Shape,
	run func(out []float64, in [][]float64) error) *operation {
	op := &operation{label: t.Describe(n) + " " + label, in: in, out: t.shapeOf(n), value: n,
		exporter: t.exporter}
	if t.of != nil {
		op.node = t.of[n.ID]
	}
	op.run = func(out []float64, in [][]float64) error {
		if err := run(out, in); err != nil {
			t.cause = fmt.Errorf("%s: %w", t.Describe(n), err)
			return t.cause
		}
		return nil
	}
	return op
}

// copyOp reads element index[e] of a stacked value into element e.
func (t *tape) copyOp(n *ir.Value, label string, index []int) *operation {
	op := t.op(n, label, []ad.Shape{t.shapeOf(n)}, func(out []float64, in [][]float64) error {
		for e, k := range index {
			out[e] = in[0][k]
		}
		return nil
	})
	op.index = index
	return op
}

// expand repeats operand i of an element-wise node along the lanes and, if it
// is a scalar, along the elements.
func (t *tape) expand(n *ir.Value, i int, g *G.Node) (*G.Node, error) {
	a := n.Args[i]
	proj := ir.Projector(t.Axes, t.laneAxes(n), t.laneAxes(a))
	size, from := n.Shape.Len(), a.Shape.Len()
	index := make([]int, t.shapeOf(n).Len())
	for k := range index {
		index[k] = proj(k/size)*from + k%size%from
	}
	op := t.copyOp(n, fmt.Sprintf("expand %d", i), index)
	op.in = []ad.Shape{t.shapeOf(a)}
	return G.ApplyOp(op, g)
}

// walked is an op that computes n as its definition says, at all indices of the stacked axes.
func (t *tape) walked(n *ir.Value, operands []*G.Node) (*G.Node, error) {
	args := n.Args
	if t.exporter != nil && n.Op.Name == withGradient {
		for _, x := range t.of[n.ID].Operands()[1:] {
			at := slices.Index(t.of, x)
			args, operands = append(slices.Clip(args), t.Values[at]),
				append(operands, t.nodes[t.Values[at]])
		}
	}
	alone, f := *n, &ir.Func{Axes: t.Axes}
	alone.Axes, alone.Args = t.laneAxes(n), nil
	stacked := make([]ad.Shape, len(args))
	for i, a := range args {
		alone.Args = append(alone.Args,
			f.Add(&ir.Value{Input: i, Shape: a.Shape, Axes: t.laneAxes(a)}))
		stacked[i] = t.shapeOf(a)
	}
	f.Add(&alone)
	op := t.op(n, "walked", stacked, func(out []float64, in [][]float64) (err error) {
		w := ir.NewWalk(f, in)
		w.Value(&alone, func(_ int, _ []float64, cause error) { err = cmp.Or(err, cause) })
		copy(out, w.Values[alone.ID])
		return err
	})
	op.whole = alone.Axes == 0 && n.Op.Over == ir.Within
	return G.ApplyOp(op, operands...)
}

// Close releases the machine.
func (t *tape) Close() { t.machine.Close() }

// Eval implements [ad.Evaluator].
func (t *tape) Eval(dst [][]float64, src []ad.Feed) error {
	feeds := make([]exec.Feed, len(src))
	for i, f := range src {
		feeds[i] = exec.Feed(f)
	}
	if err := exec.CheckCall(t.Func, dst, feeds); err != nil {
		return err
	}
	data := make([][]float64, len(src))
	for i, f := range feeds {
		data[i] = exec.Materialise(t.Func, t.Inputs[i], f, nil, nil)
	}
	for outer := range t.runs() {
		for i, n := range t.Inputs {
			g := t.nodes[n]
			if g == nil { // no output depends on it
				continue
			}
			size := t.shapeOf(n).Len()
			x := data[i]
			if t.loop != nil && n.Axes.Has(t.loop) {
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
			return fmt.Errorf("autograd: graph %q on the tape: %w", t.Name, err)
		}
	}
	return nil
}

// collect copies the results of one run out of the machine's registers.
func (t *tape) collect(dst [][]float64, outer int) error {
	for i, n := range t.Outputs {
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

// runs is the number of indices of the loop axis, 1 without one.
func (t *tape) runs() int {
	if t.loop == nil {
		return 1
	}
	return t.loop.Size()
}
