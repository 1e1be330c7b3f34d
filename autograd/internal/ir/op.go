package ir

import (
	"fmt"
	"math"
	"strconv"
)

// An Op is what the compiler knows about an operation: its value and facts. It
// describes the operation for one index of the mapped axes; engines repeat it
// over the axes. Only operations with an Over kind see several indices at once.
type Op struct {
	Name  string
	Class Class

	// Eval computes one value from the operands' values, all dense row-major.
	// Operations that cross a mapped axis have none.
	Eval func(at Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error

	Unary      *Unary                // of class Elementwise1
	UnaryWith  func(at Attr) *Unary  // of class Elementwise1 with parameters
	Binary     *Binary               // of class Elementwise2
	BinaryWith func(at Attr) *Binary // of class Elementwise2 with parameters

	Lists

	// Over says how an operation of class Crossing crosses the mapped axis of
	// its parameters.
	Over Over

	// Owner is who made the operation, for its own use.
	Owner any

	// Form names the operation to the compiler's algebra, if that knows it.
	Form Form
}

// Form is an algebraic form that rewriting and fusion recognise.
type Form int

// Algebraic forms.
const (
	Other        Form = iota
	Same              // x
	Neg               // −x
	Add               // x + y
	Sub               // x − y
	Mul               // x·y
	Div               // x/y
	Square            // x²
	Exp               // e^x
	Relu              // max(x, 0)
	Positive          // 1[x > 0]
	Sqrt              // √x
	Abs               // |x|
	Inverse           // 1/x
	Greater           // 1[x > y]
	AtLeast           // 1[x ≥ y]
	Equal             // 1[x = y]
	Maximum           // the larger of x and y; an infinity wins over NaN
	Minimum           // the smaller of x and y; −∞ wins over NaN
	Larger            // the larger of x and y; NaN if either is
	Smaller           // the smaller of x and y; NaN if either is
	SigmoidShift      // σ(x + logit y)
	Product           // of matrices
	Cholesky          // the lower factor of a matrix, of which the lower triangle is read
	SolveLower        // X of L X = B, of L the lower triangle
	SolveLowerT       // X of Lᵀ X = B, of L the lower triangle
	Weight            // a softmax weight of a cotangent, which reverse mode made
	Barrier           // x, after y
)

// A Unary is an element-wise function of one operand. An element of the result has the
// same bits wherever it is and whatever is beside it.
type Unary struct {
	Form  Form
	F     func(x float64) float64 // which Vec repeats; nil if it is not made of one
	Vec   func(dst, x []float64)  // of equal lengths; dst may be x
	Zero  bool                    // the function of 0 is 0: a structural zero stays one
	Bound float64                 // of its magnitude at finite operands; 0 means unknown
}

// A Binary is an element-wise function of two operands: vector with vector,
// vector with number, number with vector. An element of the result has the same bits in
// all three, wherever it is and whatever is beside it. dst may be an operand of VV; of
// the others it may for sums only.
type Binary struct {
	Form Form
	F    func(a, b float64) float64 // which the others repeat; nil if they are not made of one
	VV   func(dst, a, b []float64)
	VS   func(dst, a []float64, b float64)
	SV   func(dst []float64, a float64, b []float64)
	Zero Zeros
}

// Attr holds the parameters of an operation.
type Attr struct {
	Ints  []int   // dimensions, indices, orders
	Float float64 // exponent, bound, factor
	Axis  *Axis   // crossed
	More  *More   // nil for none
}

// More are parameters that few operations have.
type More struct {
	Floats []float64 // where one number is not enough
	Shape  Shape     // of the result
	Any    any       // of operations from elsewhere; spelled out by Key
	Key    string    // identity of Any
}

// Append appends the parameters, bit by bit.
func (at Attr) Append(key []byte) []byte {
	key = append(key, '[')
	for _, i := range at.Ints {
		key = strconv.AppendInt(key, int64(i), 36)
		key = append(key, ' ')
	}
	if at.Ints == nil { // which is not the same as none
		key = append(key, '-')
	}
	key = append(key, '|')
	key = strconv.AppendUint(key, math.Float64bits(at.Float), 16)
	if at.Axis != nil {
		key = append(append(key, "|axis "...), at.Axis.name...)
	}
	if at.More == nil {
		return key
	}
	for _, f := range at.More.Floats {
		key = append(key, ',')
		key = strconv.AppendUint(key, math.Float64bits(f), 16)
	}
	if at.More.Shape != nil {
		key = fmt.Appendf(key, "|%v", at.More.Shape)
	}
	if at.More.Key != "" {
		key = append(append(key, '|'), at.More.Key...)
	}
	return key
}

// Key identifies the operation with its parameters.
func (op *Op) Key(at Attr) string { return string(at.Append(fmt.Appendf(nil, "%p", op))) }
