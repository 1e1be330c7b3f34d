package ir

import (
	"slices"
	"sync"
	"unsafe"
)

// What a class of operations means to the compiler is said here, but for its instructions:
// which elements of the operands an element is made of, when it is zero, how large it is, in
// what it is linear, and how it is repeated over an axis that becomes a dimension. Beside this
// file a class has an instruction in package dense and operations in package lane.

// Class says which instructions can compute an operation.
type Class int

// Classes of operations.
const (
	Opaque       Class = iota // Eval of whole values
	Elementwise1              // a function of each element
	Elementwise2              // a function of the elements of two operands
	Select                    // where: the second or the third operand by the first
	Sum                       // sums over Sources
	LogSumExp                 // log-sum-exps over Sources
	Fold                      // Binary over Sources, from the first on
	Softmax                   // e^x normalised within each of Sources
	MatMul                    // products of matrices
	Picked                    // each element is one of an operand, as Picks says
	Crossing                  // crosses a mapped axis
)

// Over says how an operation crosses a mapped axis.
type Over int

// Kinds of crossing.
const (
	Within        Over = iota // does not cross: one index at a time
	OverSum                   // sum over the axis
	OverLogSumExp             // log-sum-exp over the axis
	OverSoftmax               // e^x normalised along the axis
	OverMax                   // largest along the axis
	OverExpand                // repeats along the axis
	OverStack                 // the axis becomes the leading dimension
	OverUnstack               // the leading dimension becomes the axis
)

// Reduces reports whether a result lacks the axis because its values are
// reduced to one.
func (o Over) Reduces() bool { return o == OverSum || o == OverLogSumExp || o == OverMax }

// Lists say what the elements of a result are made of, where that depends on more than the
// class and the shapes.
type Lists struct {
	// View lists, for every element of the result, the operand's element that
	// it is, or -1 for a zero; nil where the operation is none.
	View func(at Attr, shape, in Shape) []int

	// Sources lists, for every element of the result of class Sum or LogSumExp,
	// the operand's elements that are reduced into it.
	Sources func(at Attr, shape, in Shape) [][]int

	// Picks lists what every element of the result of class Picked is.
	Picks func(at Attr, shape Shape, in []Shape) []Pick
}

// Zeros says which structural zeros of operands make one of the result.
type Zeros int

// Rules for structural zeros.
const (
	ZeroNever  Zeros = iota
	ZeroEither       // of a product
	ZeroBoth         // of a sum, of any number of elements
	ZeroFirst        // of a quotient
	ZeroRest         // of a choice by the first operand: both others
)

// A Pick says what an element of a value of class Picked is: element At of operand Arg, or
// zero if At is below 0.
type Pick struct{ Arg, At int32 }

// Picks of the elements of a value of class Picked. The caller must not modify them.
func (v *Value) Picks() []Pick { return v.facts().picks }

// PickOp is an operation of class Picked.
func PickOp(picks []Pick) *Op {
	return &Op{
		Name: "pick", Class: Picked,
		Lists: Lists{Picks: func(Attr, Shape, []Shape) []Pick { return picks }},
		Eval: func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
			for e, p := range picks {
				out[e] = 0
				if p.At >= 0 {
					out[e] = in[p.Arg][p.At]
				}
			}
			return nil
		},
	}
}

// Sources of the elements of a reduction. The caller must not modify them.
func (v *Value) Sources() [][]int { return v.facts().lists }

// Group is the number of the list in Sources that element e of class Softmax belongs to.
func (v *Value) Group(e int) int {
	s := v.facts()
	if s.group == nil {
		s.group = make([]int32, v.Len())
		for i, list := range s.lists {
			for _, k := range list {
				s.group[k] = int32(i)
			}
		}
	}
	return int(s.group[e])
}

// Reads calls f for the elements of its operands that element e of a computed value is made
// of: element at of operand arg.
func (v *Value) Reads(e int, f func(arg, at int)) {
	switch v.Op.Class {
	case Elementwise1, Elementwise2, Select:
		for i := range v.Args {
			f(i, v.At(i, e))
		}
	case Sum, LogSumExp, Fold:
		for _, s := range v.Sources()[e] {
			f(0, s)
		}
	case Softmax:
		for _, s := range v.Sources()[v.Group(e)] {
			f(0, s)
		}
	case MatMul:
		_, m, k, n := v.Product()
		row, column := e/n*k, e/(m*n)*k*n+e%n
		for l := range k {
			f(0, row+l)
			f(1, column+l*n)
		}
	case Crossing:
		first, step, n := v.Crossed(e)
		for k := range n {
			f(0, first+k*step)
		}
	case Picked:
		if p := v.Picks()[e]; p.At >= 0 {
			f(int(p.Arg), int(p.At))
		}
	default:
		for i, a := range v.Args {
			for k := range a.Len() {
				f(i, k)
			}
		}
	}
}

// Zeros says which structural zeros of what an element reads make it one. Of a product of
// matrices, whose terms have two factors, no rule does: see package passes.
func (v *Value) Zeros() Zeros {
	switch v.Op.Class {
	case Elementwise1:
		if v.Op.Unary != nil && v.Op.Unary.Zero {
			return ZeroBoth
		}
	case Elementwise2:
		if v.Op.Binary != nil {
			return v.Op.Binary.Zero
		}
	case Select:
		return ZeroRest
	case Sum, Picked:
		return ZeroBoth
	case Crossing:
		if v.Op.Over != OverLogSumExp && v.Op.Over != OverSoftmax {
			return ZeroBoth
		}
	}
	return ZeroNever
}

// Gaps reports whether some element of v is zero because it is made of nothing.
func (v *Value) Gaps() bool {
	switch v.Op.Class {
	case Sum:
		return slices.ContainsFunc(v.Sources(), func(s []int) bool { return len(s) == 0 })
	case Picked:
		return slices.ContainsFunc(v.Picks(), func(p Pick) bool { return p.At < 0 })
	case MatMul:
		_, _, k, _ := v.Product()
		return k == 0
	}
	return false
}

// A Bound says how large a result is in magnitude, from how large the operands are.
type Bound int

// Rules for magnitudes.
const (
	BoundNone    Bound = iota // unknown
	BoundWithin               // at most c
	BoundLargest              // at most the largest operand's
	BoundSum                  // at most that of c operands with the bounds of the last two
	BoundProduct              // at most that of c products of elements of the first and the last
	BoundExp                  // e to the operand's
)

// Bound is the rule for the magnitude of v, and its number.
func (v *Value) Bound() (rule Bound, c float64) {
	switch v.Op.Class {
	case Elementwise1:
		switch v.Op.Form {
		case Neg, Relu:
			return BoundLargest, 0
		case Square:
			return BoundProduct, 1
		case Positive:
			return BoundWithin, 1
		case Exp:
			return BoundExp, 0
		}
		if u := v.Op.Unary; u != nil && u.Bound > 0 {
			return BoundWithin, u.Bound
		}
	case Elementwise2:
		switch v.Op.Form {
		case Add, Sub:
			return BoundSum, 2
		case Mul:
			return BoundProduct, 1
		case Greater, SigmoidShift:
			return BoundWithin, 1
		}
	case Select:
		return BoundSum, 1
	case Sum:
		return BoundSum, float64(max(v.Args[0].Len(), 1))
	case MatMul:
		_, _, k, _ := v.Product()
		return BoundProduct, float64(max(k, 1))
	case Picked:
		return BoundLargest, 0
	case Crossing:
		if v.Op.Over == OverExpand {
			return BoundLargest, 0
		}
	}
	return BoundNone, 0
}

// Linear says of which elements that it reads an element is a linear function, so that it is a
// multiple of what they are a multiple of.
type Linear int

// Rules for multiples.
const (
	LinearNone   Linear = iota
	LinearFirst         // of the first operand
	LinearEither        // of each operand
	LinearAll           // of all elements together
	LinearRest          // of all but the first operand's
)

// Linear is the rule for multiples of v. Products of matrices and sums have terms instead.
func (v *Value) Linear() Linear {
	switch v.Op.Class {
	case Select:
		return LinearRest
	case Picked:
		return LinearAll
	}
	switch v.Op.Form {
	case Neg, Div, Barrier:
		return LinearFirst
	case Mul:
		return LinearEither
	case Add, Sub:
		return LinearAll
	}
	return LinearNone
}

// facts are what Picks and Sources found last.
func (v *Value) facts() *sources {
	s := v.reduced
	if s == nil || !s.of(v) {
		s = &sources{op: v.Op, attr: v.Attr, shape: v.Shape, args: v.Args, in: v.Args[0].Shape}
		if v.Op.Picks != nil {
			s.picks = v.Op.Picks(v.Attr, v.Shape, v.ArgShapes())
		} else {
			s.lists = v.Op.Sources(v.Attr, v.Shape, s.in)
		}
		v.reduced = s
	}
	return s
}

// sources are those of an operation with its parameters, and of which shapes. Operands in one
// list keep their shapes.
type sources struct {
	op    *Op
	attr  Attr
	shape Shape
	args  []*Value
	in    Shape // of the first
	lists [][]int
	picks []Pick
	group []int32
}

func (s *sources) of(v *Value) bool {
	return s.op == v.Op && shared(s.attr.Ints, v.Attr.Ints) &&
		(s.picks == nil || shared(s.args, v.Args)) &&
		s.shape.Equal(v.Shape) && s.in.Equal(v.Args[0].Shape)
}

// shared reports whether both are one list.
func shared[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// Repeated is the operation of v repeated n times, on operands that hold n values or one.
func (v *Value) Repeated(n int) *Op {
	op := v.Op
	out := &Op{Name: op.Name, Class: op.Class, Form: op.Form, Binary: op.Binary}
	shape, shapes := v.Shape, v.ArgShapes()
	rooms := sync.Pool{New: func() any { return new([][]float64) }} // for operands, by worker
	if op.Eval != nil {
		out.Eval = func(at Attr, y []float64, _ Shape, in [][]float64, _ []Shape) error {
			size := shape.Len()
			room := rooms.Get().(*[][]float64)
			defer rooms.Put(room)
			x := append((*room)[:0], in...)
			*room = x
			for k := range n {
				for i := range in {
					own := shapes[i].Len()
					if x[i] = in[i]; len(in[i]) > own {
						x[i] = in[i][k*own:][:own]
					}
				}
				if err := op.Eval(at, y[k*size:][:size], shape, x, shapes); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if op.Sources != nil {
		own := op.Sources(v.Attr, v.Shape, v.Args[0].Shape)
		size := v.Args[0].Len()
		out.Sources = func(Attr, Shape, Shape) [][]int {
			var all [][]int
			for k := range n {
				for _, src := range own {
					src = slices.Clone(src)
					for i := range src {
						src[i] += k * size
					}
					all = append(all, src)
				}
			}
			return all
		}
	}
	if op.Picks != nil {
		own := op.Picks(v.Attr, shape, shapes)
		out.Picks = func(_ Attr, _ Shape, in []Shape) []Pick {
			all := make([]Pick, 0, n*len(own))
			for k := range n {
				for _, p := range own {
					if size := shapes[max(p.Arg, 0)].Len(); p.At >= 0 && in[p.Arg].Len() > size {
						p.At += int32(k * size)
					}
					all = append(all, p)
				}
			}
			return all
		}
	}
	return out
}
