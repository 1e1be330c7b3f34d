package autograd

import (
	"errors"
	"fmt"
	"slices"
)

// An Engine is a way to run a graph. All engines have one meaning.
type Engine int

const (
	// Compiled runs a program made for the graph: the default, and the only
	// engine meant for work.
	Compiled Engine = iota
	// Reference calls each gorgonia op's Do on fresh values, once for every
	// index of the mapped axes. It is slow and simple: what the others are
	// compared with.
	Reference
	// Tape stacks the mapped axes into leading dimensions of a second gorgonia
	// graph and runs it on gorgonia's TapeMachine. It exists for comparison in
	// benchmarks.
	Tape
)

// String is the engine's name in benchmarks.
func (e Engine) String() string {
	switch e {
	case Compiled:
		return "compiled"
	case Reference:
		return "reference"
	case Tape:
		return "tape"
	}
	return fmt.Sprintf("Engine(%d)", int(e))
}

// Options of an evaluator. The zero value is the compiled engine on one worker.
type Options struct {
	Engine Engine

	// Workers is the number of goroutines of the compiled engine, which share
	// out the outermost mapped axis; 0 means 1. Results are bitwise the same
	// for any number. The other engines ignore work sharing.
	Workers int

	// CheckFinite looks at every input and at the result of every operation, and
	// fails with a [*NonFiniteError] that names the first one to hold NaN or Inf.
	// Constants may be infinite. It costs time; use it to find the place. The
	// Tape engine does not look.
	CheckFinite bool

	// Without lists passes of the compiler to leave out, joined by |. Zero: none.
	Without Pass
}

// A Feed supplies one input of an evaluation. One of its fields is set; Seed only for
// an input made by [Builder.Uniform].
type Feed struct {
	// Data holds all values: the mapped axes lead, outermost first, then
	// follows the input's own shape, row-major.
	Data []float64

	// Fill writes the values for index i of the input's outermost mapped axis:
	// element-major, with the remaining mapped axes innermost (dst[e·S+s] for
	// one remaining axis of size S). It must be a pure function of i, is called
	// concurrently for different i, and must overwrite all of dst.
	Fill func(dst []float64, i int)

	// Seed is the stream of an input of uniform numbers at index i of its outermost
	// mapped axis: the values are those that [FillUniform] writes, in the layout of
	// Fill. It is called concurrently for different i.
	Seed func(i int) uint64
}

// write writes the values of a feed that is no Data.
func (f *Feed) write(dst []float64, i int) {
	if f.Seed != nil {
		FillUniform(dst, f.Seed(i))
		return
	}
	f.Fill(dst, i)
}

// An Evaluator computes the outputs of a graph. It is not safe for concurrent
// use; several evaluators of one graph are.
type Evaluator interface {
	// Eval computes all outputs. src has one feed per input, dst one slice per
	// output, each of full length: mapped axes lead, then the output's shape,
	// row-major. On error dst holds no meaningful values.
	Eval(dst [][]float64, src []Feed) error
	// Close releases the evaluator's workers.
	Close()
}

// NewEvaluator prepares the outputs for running as functions of the inputs.
// It returns the builder's sticky error if there is one, and an error for an
// output that depends on an input not listed.
func NewEvaluator(inputs, outputs []*Node, opt Options) (Evaluator, error) {
	switch opt.Engine {
	case Compiled:
		p, err := Compile(inputs, outputs, opt.Without)
		if err != nil {
			return nil, err
		}
		return p.NewEvaluator(opt)
	case Reference:
		return newReference(inputs, outputs, opt)
	case Tape:
		return newTape(inputs, outputs, opt)
	}
	return nil, fmt.Errorf("autograd: unknown engine %v", opt.Engine)
}

// NonFiniteError reports the operation that first produced NaN or Inf.
type NonFiniteError struct {
	Op      string  // the operation or input, with its shape
	Element int     // row-major element of its value
	Lane    int     // flat index over its mapped axes within one outer index
	Outer   int     // index of the outermost mapped axis, 0 if it is not separate
	Value   float64 // NaN or ±Inf
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("autograd: %s is %v at element %d, lane %d, outer index %d", e.Op, e.Value, e.Element, e.Lane, e.Outer)
}

// A spec is what every engine starts from: the inputs, the outputs and the
// nodes between them in creation order, operands first.
type spec struct {
	b       *Builder
	inputs  []*Node
	outputs []*Node
	nodes   []*Node
	loop    *Axis // outermost axis, if its indices are independent of each other
}

func newSpec(inputs, outputs []*Node) (*spec, error) {
	if len(outputs) == 0 {
		return nil, errors.New("autograd: no outputs")
	}
	b := outputs[0].b
	if b.err != nil {
		return nil, b.err
	}
	s := &spec{b: b, inputs: slices.Clone(inputs), outputs: slices.Clone(outputs)}
	for i, n := range inputs {
		if n.b != b || !n.isInput() || slices.Contains(inputs[:i], n) {
			return nil, fmt.Errorf("autograd: graph %q: %v listed as input %d is not an input of the graph or is repeated", b.name, n, i)
		}
	}
	need := make([]bool, len(b.nodes))
	for _, n := range outputs {
		if n.b != b {
			return nil, fmt.Errorf("autograd: outputs of graphs %q and %q in one evaluator", b.name, n.b.name)
		}
		need[n.id] = true
	}
	var used axisSet
	for id := len(b.nodes) - 1; id >= 0; id-- {
		n := b.nodes[id]
		if !need[id] {
			continue
		}
		for _, a := range n.args {
			need[a.id] = true
		}
		if n.isInput() && !slices.Contains(inputs, n) {
			return nil, fmt.Errorf("autograd: graph %q: an output depends on input %q, which is not listed", b.name, n.name)
		}
		used |= n.axes
	}
	for id, n := range b.nodes {
		if need[id] {
			s.nodes = append(s.nodes, n)
		}
	}
	if axes := used.of(b); len(axes) > 0 && s.separable(axes[0]) {
		s.loop = axes[0]
	}
	return s, nil
}

// separable reports whether no node crosses axis a, other than by repeating a
// value along it, and every output carries it, so that its indices can be
// computed one after the other.
func (s *spec) separable(a *Axis) bool {
	for _, n := range s.nodes {
		if n.op != nil && n.op.over != within && n.op.over != overExpand && n.attr.axis == a {
			return false
		}
	}
	for _, n := range s.outputs {
		if !n.axes.has(a) {
			return false
		}
	}
	return true
}

// loopSize is the number of indices of the loop axis, 1 without one.
func (s *spec) loopSize() int {
	if s.loop == nil {
		return 1
	}
	return s.loop.size
}

// laneAxes are the axes of n that vary within one index of the loop.
func (s *spec) laneAxes(n *Node) axisSet {
	if s.loop == nil {
		return n.axes
	}
	return n.axes.without(s.loop)
}

// checkCall validates the arguments of Eval.
func (s *spec) checkCall(dst [][]float64, src []Feed) error {
	if len(src) != len(s.inputs) || len(dst) != len(s.outputs) {
		return fmt.Errorf("autograd: graph %q: got %d feeds and %d results, want %d and %d", s.b.name, len(src), len(dst), len(s.inputs), len(s.outputs))
	}
	for i, n := range s.inputs {
		want := n.axes.lanes(s.b) * n.shape.Len()
		switch f := src[i]; {
		case !n.uniform && f.Seed != nil:
			return fmt.Errorf("autograd: graph %q: feed of %v: Seed is for inputs of uniform numbers", s.b.name, n)
		case f.Seed != nil && (f.Data != nil || f.Fill != nil), f.Seed == nil && (f.Data == nil) == (f.Fill == nil):
			choice := "Data and Fill"
			if n.uniform {
				choice = "Data, Fill and Seed"
			}
			return fmt.Errorf("autograd: graph %q: feed of %v: set exactly one of %s", s.b.name, n, choice)
		case f.Fill != nil && n.axes == 0:
			return fmt.Errorf("autograd: graph %q: feed of %v: Fill needs a mapped axis", s.b.name, n)
		case f.Data != nil && len(f.Data) != want:
			return fmt.Errorf("autograd: graph %q: feed of %v: got %d values, want %d", s.b.name, n, len(f.Data), want)
		}
	}
	for i, n := range s.outputs {
		if want := n.axes.lanes(s.b) * n.shape.Len(); len(dst[i]) != want {
			return fmt.Errorf("autograd: graph %q: result %v: got room for %d values, want %d", s.b.name, n, len(dst[i]), want)
		}
	}
	return nil
}

// materialise returns the values of a feed in the layout of Feed.Data.
func (s *spec) materialise(n *Node, f Feed) []float64 {
	if f.Data != nil {
		return f.Data
	}
	first := n.axes.of(s.b)[0]
	rest := n.axes.without(first).lanes(s.b)
	size := n.shape.Len()
	out := make([]float64, first.size*rest*size)
	buf := make([]float64, rest*size)
	for i := range first.size {
		f.write(buf, i)
		for e := range size {
			for l := range rest {
				out[(i*rest+l)*size+e] = buf[e*rest+l]
			}
		}
	}
	return out
}
