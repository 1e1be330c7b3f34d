package autograd

import (
	"errors"
	"fmt"
	"slices"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/passes"
	"tobac/internal/memory"
)

// An Engine is a way to run a graph. All engines have one meaning. The zero value is
// [Compiled].
type Engine struct{ e *engine }

type engine struct {
	name    string
	prepare func(f *Function, opt Options) (Evaluator, error)
}

var (
	// Compiled runs a program made for the graph: the default, and the only
	// engine meant for work.
	Compiled Engine

	// Reference evaluates each operation on fresh values, once for every
	// index of the mapped axes. It is slow and simple: what the others are
	// compared with.
	Reference = NewEngine("reference", func(f *Function, opt Options) (Evaluator, error) {
		return evaluatorOf(exec.NewReference(f.f, opt.CheckFinite), nil)
	})
)

// NewEngine makes an engine from its name and a function that prepares an evaluator. It is for
// packages that run graphs elsewhere, as gorgonia.Tape in package tobac/autograd/gorgonia does.
func NewEngine(name string, prepare func(f *Function, opt Options) (Evaluator, error)) Engine {
	return Engine{&engine{name, prepare}}
}

// String is the engine's name in benchmarks.
func (e Engine) String() string {
	if e.e == nil {
		return "compiled"
	}
	return e.e.name
}

// A Function is some outputs as a function of inputs, as an [Engine] gets it: the nodes that
// the outputs depend on, operands first.
type Function struct {
	f     *ir.Func
	nodes []*Node // of each value
}

// NewFunction is the function that an engine starts from. The errors are those of
// [NewEvaluator].
func NewFunction(inputs, outputs []*Node) (*Function, error) {
	f, nodes, err := lowered(inputs, outputs)
	if err != nil {
		return nil, err
	}
	return &Function{f, nodes}, nil
}

// Nodes of the function, operands first, one for each value of its lowered form.
func (f *Function) Nodes() []*Node { return f.nodes }

// Lowered is the form that the engines of this module read.
func (f *Function) Lowered() *ir.Func { return f.f }

// Options of an evaluator. The zero value is the compiled engine on one worker.
type Options struct {
	Engine Engine

	// Workers is the number of goroutines of the compiled engine, which share
	// out the loop axis, usually the outermost mapped one; 0 means 1. Results are
	// bitwise the same for any number. The other engines ignore it.
	Workers int

	// CheckFinite looks at every input and at the result of every operation, and
	// fails with a [*NonFiniteError] for the first one to hold NaN or Inf at each
	// index of the loop. Constants may be infinite. The compiled engine runs the same
	// program, operation by operation. It costs time; use it to find the place.
	CheckFinite bool

	// Without lists passes of the compiler to leave out, joined by |. Defaults to none.
	Without Pass
}

// A Pass is a part of the compiler that can be left out. What remains computes
// the same up to rounding. Passes are joined by |.
type Pass uint

// The passes.
const (
	// ConstantFolding evaluates what depends on constants only.
	ConstantFolding Pass = Pass(passes.ConstantFolding)
	// AlgebraicSimplification leaves out operations with zeros and ones, joins
	// constant factors, and multiplies uniform factors with each other rather than
	// with lanes.
	AlgebraicSimplification Pass = Pass(passes.AlgebraicSimplification)
	// StructuralZeros infers which elements are zero whatever the inputs, from
	// constants and layouts, and neither stores nor computes them. A product
	// with such a zero is zero, also if the other factor is infinite.
	StructuralZeros Pass = Pass(passes.StructuralZeros)
	// ElementLiveness computes only the elements that some output reads.
	ElementLiveness Pass = Pass(passes.ElementLiveness)
	// ElementSchedule turns the part of the graph that differs between lanes
	// into a list of operations on single elements, depth first, so that values
	// are used while they are in the cache. Without it the graph is run value
	// by value, and the parts that follow do nothing, but for MemoryReuse.
	ElementSchedule Pass = Pass(passes.ElementSchedule)
	// CommonSubexpressions computes equal operations on elements once. (Equal
	// nodes are one node from the start.)
	CommonSubexpressions Pass = Pass(passes.CommonSubexpressions)
	// Fusion joins products, squares and scalings with the sums they go into.
	Fusion Pass = Pass(passes.Fusion)
	// SparseCotangents leaves out samples whose softmax weight is negligible, by a bound
	// that is checked in every run, from sums of terms proportional to the weight, and
	// computes forward values again for the remaining ones rather than keep all.
	SparseCotangents Pass = Pass(passes.SparseCotangents)
	// MemoryReuse lets values share memory when their lives do not overlap.
	MemoryReuse Pass = Pass(passes.MemoryReuse)
	// DrawInPlace draws uniform numbers where they are used, rather than all of
	// them before.
	DrawInPlace Pass = Pass(passes.DrawInPlace)
	// MachineCode computes stretches of instructions on small arrays by one function of
	// machine code each, and small ones of one operation by one call.
	MachineCode Pass = Pass(passes.MachineCode)
)

// String is the name of the pass, or the names of several joined by |.
func (p Pass) String() string { return passes.Set(p).String() }

// Passes lists every pass.
func Passes() (all []Pass) {
	for _, s := range passes.Sets() {
		all = append(all, Pass(s))
	}
	return all
}

// NewEvaluator prepares the outputs for running as functions of the inputs.
// It returns the builder's sticky error if there is one, and an error for an
// output that depends on an input not listed.
func NewEvaluator(inputs, outputs []*Node, opt Options) (Evaluator, error) {
	f, err := NewFunction(inputs, outputs)
	if err != nil {
		return nil, err
	}
	if e := opt.Engine.e; e != nil {
		return e.prepare(f, opt)
	}
	p, err := exec.Compile(f.f,
		exec.Options{Workers: opt.Workers, Without: passes.Set(opt.Without)}, nil)
	if err != nil {
		return nil, err
	}
	return evaluatorOf(
		p.NewEvaluator(exec.Options{Workers: opt.Workers, CheckFinite: opt.CheckFinite}))
}

func lower(inputs, outputs []*Node) (*ir.Func, error) {
	f, _, err := lowered(inputs, outputs)
	return f, err
}

// lowered makes the function that an engine starts from: the nodes that the outputs depend
// on, in the order of their creation, operands first; and the node of each value.
func lowered(inputs, outputs []*Node) (*ir.Func, []*Node, error) {
	if len(outputs) == 0 {
		return nil, nil, errors.New("autograd: no outputs")
	}
	if slices.Contains(inputs, nil) || slices.Contains(outputs, nil) {
		return nil, nil, errors.New("autograd: an input or output is nil")
	}
	b := outputs[0].b
	if b.err != nil {
		return nil, nil, b.err
	}
	position := make(map[*Node]int, len(inputs))
	for i, n := range inputs {
		if _, repeated := position[n]; n.b != b || !n.isInput() || repeated {
			return nil, nil, fmt.Errorf("autograd: graph %q: %v listed as input %d is not an "+
				"input of the graph or is repeated", b.name, n, i)
		}
		position[n] = i
	}
	need := make([]bool, len(b.nodes))
	for _, n := range outputs {
		if n.b != b {
			return nil, nil, fmt.Errorf("autograd: outputs of graphs %q and %q in one evaluator",
				b.name, n.b.name)
		}
		need[n.id] = true
	}
	for id, n := range slices.Backward(b.nodes) {
		if !need[id] {
			if _, listed := position[n]; listed {
				need[id] = true
			}
			continue
		}
		for _, a := range n.reads() {
			need[a.id] = true
		}
		if _, listed := position[n]; n.isInput() && !listed {
			return nil, nil,
				fmt.Errorf("autograd: graph %q: an output depends on input %q, which is not listed",
					b.name, n.name)
		}
	}
	f := &ir.Func{Name: b.name, Axes: b.irAxes, Inputs: make([]*ir.Value, len(inputs))}
	count, elements := 0, 0
	for id, n := range b.nodes {
		if !need[id] {
			continue
		}
		count++
		elements += n.shape.Len()
		numbers := float64(n.shape.Len())
		for _, a := range n.Axes() {
			numbers *= float64(a.Size())
		}
		if numbers >= 1<<53 {
			return nil, nil, fmt.Errorf("autograd: graph %q: %v has %.3g numbers", b.name, n,
				numbers)
		}
	}
	if elements > 1<<28 { // what is known of an element takes 12 bytes or more
		if err := memory.Check("what is known of all elements", 12*float64(elements)); err != nil {
			return nil, nil, fmt.Errorf("autograd: graph %q: %w", b.name, err)
		}
	}
	values, made := make([]*ir.Value, len(b.nodes)), make([]ir.Value, count)
	of := make([]*Node, 0, count)
	f.Values = make([]*ir.Value, 0, count)
	for id, n := range b.nodes {
		if !need[id] {
			continue
		}
		v := &made[len(of)]
		*v = ir.Value{
			Attr: n.attr.lowered(), Shape: ir.Shape(n.shape), Axes: n.axes, Const: n.value,
			Input: -1, Uniform: n.uniform, Name: n.String(),
		}
		if n.op != nil {
			v.Op = n.op.irOp()
			v.Args = make([]*ir.Value, len(n.reads()))
			for i, a := range n.reads() {
				v.Args[i] = values[a.id]
			}
			if v.Op.View != nil {
				v.Index = v.Op.View(v.Attr, v.Shape, v.Args[0].Shape)
			}
		}
		values[id] = f.Add(v)
		of = append(of, n)
		if i, ok := position[n]; ok {
			v.Input, f.Inputs[i] = i, v
		}
	}
	for _, n := range outputs {
		f.Outputs = append(f.Outputs, values[n.id])
	}
	return f, of, nil
}

// reads are the operands that the value of n is made of: of an operation that only shows
// elements of the first one that one.
func (n *Node) reads() []*Node {
	if n.op != nil && n.op.view != nil {
		return n.args[:1]
	}
	return n.args
}

// A Program is a graph compiled for its outputs. It is immutable; any number of
// evaluators may run it at the same time.
type Program struct{ p *exec.Program }

// Compile turns the outputs, as functions of the inputs, into a program. The passes are
// left out: the program computes the same, slower. That is for measuring and testing
// them.
func Compile(inputs, outputs []*Node, without ...Pass) (*Program, error) {
	f, err := lower(inputs, outputs)
	if err != nil {
		return nil, err
	}
	var left Pass
	for _, w := range without {
		left |= w
	}
	p, err := exec.Compile(f, exec.Options{Without: passes.Set(left)}, nil)
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// NewEvaluator prepares to run the program on opt.Workers goroutines. Of the options it
// reads Workers and CheckFinite; the others were those of the compilation.
func (p *Program) NewEvaluator(opt Options) (Evaluator, error) {
	return evaluatorOf(
		p.p.NewEvaluator(exec.Options{Workers: opt.Workers, CheckFinite: opt.CheckFinite}))
}

// String lists the program: its parts, then per stage the values that are computed as a
// whole, and the operations on lanes by kind, with the work of one index of the loop.
// Groups on selected lanes are counted at one vector of lanes, the least they can have.
func (p *Program) String() string { return p.p.String() }

// Explain says in words how each part of the graph is computed, why that way was chosen,
// and what would make it faster.
func (p *Program) Explain() string { return p.p.Explain() }
