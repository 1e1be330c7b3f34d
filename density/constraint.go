package density

import (
	"math"

	"tobac/autograd"
)

// A Constraint is a set of values with a smooth map onto it from coordinates without
// constraints.
type Constraint struct {
	name string
	// free is the shape of the coordinates of values of a shape.
	free func(shape autograd.Shape) (autograd.Shape, bool)
	// value maps coordinates to values, and gives the log Jacobian determinant, a scalar.
	value func(u *autograd.Node) (x, logJacobian *autograd.Node)
}

// String is the constraint's name.
func (c Constraint) String() string { return c.name }

// Value maps coordinates u to the constrained value. The second result is the logarithm of the
// Jacobian determinant, a scalar.
func (c Constraint) Value(u *autograd.Node) (x, logJacobian *autograd.Node) { return c.value(u) }

func same(s autograd.Shape) (autograd.Shape, bool) { return s, true }

// Real is no constraint.
func Real() Constraint {
	return Constraint{"real", same, func(u *autograd.Node) (*autograd.Node, *autograd.Node) { return u, u.Builder().Scalar(0) }}
}

// Positive numbers are above 0.
func Positive() Constraint {
	return Constraint{"positive", same, func(u *autograd.Node) (*autograd.Node, *autograd.Node) { return u.Exp(), u.Sum() }}
}

// Above are the numbers above a bound.
func Above[L Value](low L) Constraint {
	return Constraint{"above a bound", same, func(u *autograd.Node) (*autograd.Node, *autograd.Node) {
		return u.Exp().Add(node(u, low)), u.Sum()
	}}
}

// Bounded are the numbers between two bounds, which may depend on other parameters.
func Bounded[L, H Value](low L, high H) Constraint {
	return Constraint{"bounded", same, func(u *autograd.Node) (*autograd.Node, *autograd.Node) {
		lo, width := node(u, low), node(u, high).Sub(node(u, low))
		return lo.Add(width.Mul(u.Sigmoid())), width.Log().Add(u.LogSigmoid()).Add(u.Neg().LogSigmoid()).Sum()
	}}
}

func vector(s autograd.Shape) (autograd.Shape, bool) { return s, len(s) == 1 && s[0] > 0 }

// Ordered is a vector whose elements increase.
func Ordered() Constraint {
	return Constraint{"ordered", vector, func(u *autograd.Node) (*autograd.Node, *autograd.Node) {
		n := u.Shape()[0]
		if n == 1 {
			return u, u.Builder().Scalar(0)
		}
		steps := u.Slice(0, 1, n)
		return autograd.Concat(0, u.Slice(0, 0, 1), steps.Exp()).CumSum(0), steps.Sum()
	}}
}

// PositiveOrdered is a vector of positive elements that increase.
func PositiveOrdered() Constraint {
	return Constraint{"positive ordered", vector, func(u *autograd.Node) (*autograd.Node, *autograd.Node) {
		return u.Exp().CumSum(0), u.Sum()
	}}
}

// Simplex is a vector of at least two positive elements with the sum 1.
func Simplex() Constraint {
	return Constraint{"simplex", func(s autograd.Shape) (autograd.Shape, bool) {
		if len(s) != 1 || s[0] < 2 {
			return s, false
		}
		return autograd.Shape{s[0] - 1}, true
	}, func(u *autograd.Node) (*autograd.Node, *autograd.Node) {
		all := autograd.Concat(0, u, u.Builder().Constant([]float64{0}, autograd.Shape{1}))
		logs := all.Sub(all.LogSumExp())
		return logs.Exp(), logs.Sum()
	}}
}

var lnSqrt2Pi = 0.5 * math.Log(2*math.Pi)
