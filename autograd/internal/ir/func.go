package ir

import (
	"fmt"
	"math"
	"strings"
)

// A Value is one value of a function: an input, a constant, or the result of an
// operation on values before it. Passes may replace its operation and operands,
// and fill in the facts.
type Value struct {
	ID    int // position in the function
	Op    *Op // nil for inputs and constants
	Attr  Attr
	Args  []*Value
	Shape Shape
	Axes  AxisSet

	Flat    AxisSet   // axes that have become leading dimensions of the shape
	Uniform bool      // an input of uniform numbers
	NoZeros bool      // Support holds every element
	AllLive bool      // Live holds every element
	Input   int       // position among the function's inputs, if it is one; else -1
	Const   []float64 // what is known before anything runs, else nil
	Name    string    // what users know it by: its operation or name, its shape and axes

	// Index lists, of a value that only shows elements of its operand, which
	// ones: -1 for a zero. nil for others.
	Index []int

	// Support are the elements that may differ from zero, Live those of them
	// that something reads. Analyses fill them in; values may share them.
	Support, Live []bool

	reduced *sources // what Sources or Picks found last
}

// IsView reports whether the value only shows elements of its operand.
func (v *Value) IsView() bool { return v.Index != nil }

// IsInput reports whether the value is an input.
func (v *Value) IsInput() bool { return v.Input >= 0 }

// Computed reports whether an instruction has to compute the value.
func (v *Value) Computed() bool { return v.Op != nil && v.Index == nil && v.Const == nil }

// Is reports whether an instruction computes the value in the given form.
func (v *Value) Is(f Form) bool { return v.Op != nil && v.Op.Form == f }

// Class of the operation; Opaque without one.
func (v *Value) Class() Class {
	if v.Op == nil {
		return Opaque
	}
	return v.Op.Class
}

// Len is the number of elements.
func (v *Value) Len() int { return v.Shape.Len() }

// At is the element of operand i that element e of an element-wise result
// reads: the scalar, or the same element.
func (v *Value) At(i, e int) int {
	if len(v.Args[i].Shape) == 0 {
		return 0
	}
	return e
}

// All reports whether the value is a constant with the same bits everywhere.
func (v *Value) All(c float64) bool {
	for _, x := range v.Const {
		if math.Float64bits(x) != math.Float64bits(c) {
			return false
		}
	}
	return v.Const != nil
}

// Forget lets go of what [Value.Sources] and [Value.Picks] keep.
func (f *Func) Forget() {
	for _, v := range f.Values {
		v.reduced = nil
	}
}

// Unary is the kernel of an element-wise function of one operand: the
// operation's, or one for the parameters of the value.
func (v *Value) Unary() *Unary {
	if v.Op.Unary != nil {
		return v.Op.Unary
	}
	return v.Op.UnaryWith(v.Attr)
}

// Binary is the kernel of an element-wise function of two operands.
func (v *Value) Binary() *Binary {
	if v.Op.Binary != nil {
		return v.Op.Binary
	}
	return v.Op.BinaryWith(v.Attr)
}

// EachOf is a loop over f.
func EachOf(f func(float64) float64) func(dst, x []float64) {
	return func(dst, x []float64) {
		x = x[:len(dst)]
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

// ArgShapes lists the shapes of the operands.
func (v *Value) ArgShapes() []Shape {
	shapes := make([]Shape, len(v.Args))
	for i, a := range v.Args {
		shapes[i] = a.Shape
	}
	return shapes
}

// Origin is the value that v shows elements of, or v.
func (v *Value) Origin() *Value {
	for v.IsView() {
		v = v.Args[0]
	}
	return v
}

// A Func is a function of inputs with some results: values in an order in which
// operands come first.
type Func struct {
	Name    string
	Axes    []*Axis // all that its builder declared
	Values  []*Value
	Inputs  []*Value // nil where no output depends on an input
	Outputs []*Value
}

// Add appends a value.
func (f *Func) Add(v *Value) *Value {
	v.ID = len(f.Values)
	f.Values = append(f.Values, v)
	return v
}

// Constant appends a constant.
func (f *Func) Constant(c []float64, shape Shape) *Value {
	return f.Add(&Value{Const: c, Shape: shape, Input: -1})
}

// Describe names a value for error texts and listings.
func (f *Func) Describe(v *Value) string {
	if v.Name != "" {
		return v.Name
	}
	what := "constant"
	if v.Op != nil {
		what = v.Op.Name
	}
	return fmt.Sprintf("%s%v%s", what, v.Shape, v.Axes.Names(f.Axes))
}

// String lists the function, a value a line, with what passes have found out.
func (f *Func) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "func %q\n", f.Name)
	for _, v := range f.Values {
		fmt.Fprintf(&s, "  %%%d = %s", v.ID, f.Describe(v))
		switch {
		case v.IsView():
			fmt.Fprintf(&s, " shows %%%d", v.Args[0].ID)
		case v.Op != nil:
			fmt.Fprintf(&s, " %s", v.Op.Name)
			for _, a := range v.Args {
				fmt.Fprintf(&s, " %%%d", a.ID)
			}
		}
		if v.Flat != 0 {
			fmt.Fprintf(&s, " as %v", v.Shape)
		}
		if v.Live != nil {
			fmt.Fprintf(&s, ", %d of %d elements", count(v.Live), len(v.Live))
		}
		s.WriteByte('\n')
	}
	s.WriteString("  return")
	for _, v := range f.Outputs {
		fmt.Fprintf(&s, " %%%d", v.ID)
	}
	s.WriteByte('\n')
	return s.String()
}

func count(b []bool) int {
	n := 0
	for _, x := range b {
		if x {
			n++
		}
	}
	return n
}

// Verify reports the first way in which the function is not sound: values out
// of order or place, operands of another function, element lists that do not fit.
func (f *Func) Verify() error {
	fail := func(v *Value, format string, args ...any) error {
		return fmt.Errorf("ir: func %q: %%%d %s: %s", f.Name, v.ID, f.Describe(v),
			fmt.Sprintf(format, args...))
	}
	for i, v := range f.Values {
		if v.ID != i {
			return fail(v, "stands at %d", i)
		}
		if v.Op == nil && v.Const == nil && v.Input < 0 && !v.IsView() {
			return fail(v, "is neither input nor constant nor result")
		}
		if v.Const != nil && len(v.Const) != v.Len() {
			return fail(v, "has %d constants, want %d", len(v.Const), v.Len())
		}
		for _, a := range v.Args {
			if a.ID >= i || a.ID < 0 || f.Values[a.ID] != a {
				return fail(v, "operand %%%d does not come before it", a.ID)
			}
		}
		if v.IsView() {
			if len(v.Args) != 1 || len(v.Index) != v.Len() {
				return fail(v, "shows %d elements of %d operands", len(v.Index), len(v.Args))
			}
			for _, e := range v.Index {
				if e >= v.Args[0].Len() {
					return fail(v, "shows element %d of %d", e, v.Args[0].Len())
				}
			}
		}
		for _, facts := range [][]bool{v.Support, v.Live} {
			if facts != nil && len(facts) != v.Len() {
				return fail(v, "has facts about %d elements, want %d", len(facts), v.Len())
			}
		}
		for e := range v.Live {
			if v.Live[e] && !v.Support[e] {
				return fail(v, "element %d is read, and zero", e)
			}
		}
	}
	for _, v := range f.Outputs {
		if v.ID >= len(f.Values) || f.Values[v.ID] != v {
			return fail(v, "is an output of elsewhere")
		}
	}
	return nil
}

// Product is the size of a stack of matrix products: batch of them, each of an m×k
// and a k×n matrix. Element (g, i, j) of the result reads (g, i, l) and (g, l, j).
func (v *Value) Product() (batch, m, k, n int) {
	a, b := v.Args[0].Shape, v.Args[1].Shape
	r := len(a)
	return Shape(a[:r-2]).Len(), a[r-2], a[r-1], b[len(b)-1]
}

// ViewOp shows the elements Attr.Ints of its operand, zeros for those below 0.
var ViewOp = &Op{
	Name:  "view",
	Lists: Lists{View: func(at Attr, _, _ Shape) []int { return at.Ints }},
	Eval: func(at Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		for e, k := range at.Ints {
			out[e] = 0
			if k >= 0 {
				out[e] = in[0][k]
			}
		}
		return nil
	},
}

// View appends a value that shows elements of x.
func (f *Func) View(x *Value, index []int, shape Shape) *Value {
	return f.Add(&Value{Op: ViewOp, Attr: Attr{Ints: index}, Args: []*Value{x}, Shape: shape,
		Axes: x.Axes, Input: -1, Index: index})
}

// Crossed lists the elements of the operand that element e of a value of class
// Crossing is made of: n of them, step apart.
func (v *Value) Crossed(e int) (first, step, n int) {
	copies := 1 // axes that have become dimensions lead
	if len(v.Attr.Ints) > 0 {
		copies = v.Attr.Ints[0]
	}
	size := v.Attr.Axis.Size()
	switch v.Op.Over {
	case OverStack:
		own := v.Args[0].Len() / copies
		return e/(own*size)*own + e%own, 0, 1
	case OverUnstack:
		own := v.Len() / copies
		return e/own*own*size + e%own, own, size
	}
	return e, 0, 1
}

// StackIndex is the index of the axis that element e of a stack belongs to.
func (v *Value) StackIndex(e int) int {
	own := v.Args[0].Len()
	if len(v.Attr.Ints) > 0 {
		own /= v.Attr.Ints[0]
	}
	return e / own % v.Attr.Axis.Size()
}
