package density

import (
	"math"
	"slices"

	"tobac/autograd"
)

// A Constraint is a set of values with a smooth map onto it from coordinates without
// constraints, and back. Constraints of vectors and matrices hold for every row or
// matrix of an array with more axes.
type Constraint struct {
	name string
	// low and high are the bounds of numbers; NaN: they depend on other parameters.
	low, high float64
	// free is the shape of the coordinates of values of a shape.
	free func(shape autograd.Shape) (autograd.Shape, bool)
	// value maps coordinates to values of a shape, and gives the log Jacobian determinant, a
	// scalar.
	value func(u *autograd.Node, shape autograd.Shape) (x, logJacobian *autograd.Node)
	// coordinates is the inverse of value.
	coordinates func(x *autograd.Node) *autograd.Node
}

// String is the constraint's name.
func (c Constraint) String() string { return c.name }

// Free is the shape of the coordinates of values of a shape; false if no value has that shape.
func (c Constraint) Free(shape autograd.Shape) (autograd.Shape, bool) { return c.free(shape) }

// Value maps coordinates u to the constrained value of a shape. The second result is the
// logarithm of the Jacobian determinant, a scalar.
func (c Constraint) Value(u *autograd.Node, shape autograd.Shape) (x, logJacobian *autograd.Node) {
	return c.value(u, shape)
}

// Coordinates is the inverse of [Constraint.Value].
func (c Constraint) Coordinates(x *autograd.Node) *autograd.Node { return c.coordinates(x) }

func same(s autograd.Shape) (autograd.Shape, bool) { return s, true }

// each is a constraint of single numbers.
func each(
	name string,
	low, high float64,
	value func(u *autograd.Node) (x, logJacobian *autograd.Node),
	coordinates func(x *autograd.Node) *autograd.Node,
) Constraint {
	return Constraint{name: name, low: low, high: high, free: same, coordinates: coordinates,
		value: func(u *autograd.Node, _ autograd.Shape) (x, logJacobian *autograd.Node) {
			return value(u)
		}}
}

// Real numbers have no constraint.
func Real() Constraint {
	return each(
		"real",
		math.Inf(-1),
		math.Inf(1),
		func(u *autograd.Node) (x, logJacobian *autograd.Node) {
			return u, u.Builder().Scalar(0)
		},
		func(x *autograd.Node) *autograd.Node { return x },
	)
}

// Positive numbers are above 0.
func Positive() Constraint {
	return each("positive", 0, math.Inf(1), func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		return u.Exp(), u.Sum()
	}, func(x *autograd.Node) *autograd.Node { return x.Log() })
}

// Above are the numbers above a bound, which may depend on other parameters.
func Above[L Value](low L) Constraint {
	at, _ := number(low)
	return each(
		"above a bound",
		at,
		math.Inf(1),
		func(u *autograd.Node) (x, logJacobian *autograd.Node) {
			return u.Exp().Add(node(u, low)), u.Sum()
		},
		func(x *autograd.Node) *autograd.Node { return x.Sub(node(x, low)).Log() },
	)
}

// Below are the numbers below a bound, which may depend on other parameters.
func Below[H Value](high H) Constraint {
	at, _ := number(high)
	return each(
		"below a bound",
		math.Inf(-1),
		at,
		func(u *autograd.Node) (x, logJacobian *autograd.Node) {
			return node(u, high).Sub(u.Exp()), u.Sum()
		},
		func(x *autograd.Node) *autograd.Node { return node(x, high).Sub(x).Log() },
	)
}

// Bounded are the numbers between two bounds, which may depend on other parameters.
func Bounded[L, H Value](low L, high H) Constraint {
	from, _ := number(low)
	to, _ := number(high)
	return each("bounded", from, to, func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		lo, width := node(u, low), node(u, high).Sub(node(u, low))
		logs := width.Log().Add(u.LogSigmoid()).Add(u.Neg().LogSigmoid())
		return lo.Add(width.Mul(u.Sigmoid())), logs.Sum()
	}, func(x *autograd.Node) *autograd.Node {
		return x.Sub(node(x, low)).Log().Sub(node(x, high).Sub(x).Log())
	})
}

// rows is a constraint of vectors of at least least elements.
func rows(
	name string,
	least, fewer int,
	value func(u *autograd.Node) (x, logJacobian *autograd.Node),
	coordinates func(x *autograd.Node) *autograd.Node,
) Constraint {
	return Constraint{
		name: name,
		low:  math.NaN(),
		high: math.NaN(),
		free: func(s autograd.Shape) (autograd.Shape, bool) {
			n := len(s)
			if n == 0 || s[n-1] < least {
				return s, false
			}
			return append(append(autograd.Shape{}, s[:n-1]...), s[n-1]-fewer), true
		},
		value: func(u *autograd.Node, _ autograd.Shape) (x, logJacobian *autograd.Node) {
			return value(u)
		},
		coordinates: coordinates,
	}
}

// last splits the last axis of x.
func last(x *autograd.Node, from, to int) *autograd.Node {
	return x.Slice(len(x.Shape())-1, from, to)
}

func size(x *autograd.Node) (axis, length int) {
	s := x.Shape()
	return len(s) - 1, s[len(s)-1]
}

// differences are x₂ − x₁, x₃ − x₂, … along the last axis.
func differences(x *autograd.Node) *autograd.Node {
	_, n := size(x)
	return last(x, 1, n).Sub(last(x, 0, n-1))
}

// Ordered is a vector whose elements increase.
func Ordered() Constraint {
	return rows("ordered", 1, 0, func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		axis, n := size(u)
		if n == 1 {
			return u, u.Builder().Scalar(0)
		}
		steps := last(u, 1, n)
		return autograd.Concat(axis, last(u, 0, 1), steps.Exp()).CumSum(axis), steps.Sum()
	}, func(x *autograd.Node) *autograd.Node {
		axis, n := size(x)
		if n == 1 {
			return x
		}
		return autograd.Concat(axis, last(x, 0, 1), differences(x).Log())
	})
}

// PositiveOrdered is a vector of positive elements that increase.
func PositiveOrdered() Constraint {
	return rows("positive ordered", 1, 0, func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		axis, _ := size(u)
		return u.Exp().CumSum(axis), u.Sum()
	}, func(x *autograd.Node) *autograd.Node {
		axis, n := size(x)
		if n == 1 {
			return x.Log()
		}
		return autograd.Concat(axis, last(x, 0, 1), differences(x)).Log()
	})
}

// Simplex is a vector of at least two positive elements with the sum 1.
func Simplex() Constraint {
	return rows("simplex", 2, 1, func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		axis, _ := size(u)
		all := autograd.Concat(axis, u, last(u, 0, 1).Scale(0))
		total := all.LogSumExp(axis)
		logs := all.Sub(total.Reshape(append(append(autograd.Shape{}, total.Shape()...), 1)))
		return logs.Exp(), logs.Sum()
	}, func(x *autograd.Node) *autograd.Node {
		_, n := size(x)
		return last(x, 0, n-1).Log().Sub(last(x, n-1, n).Log())
	})
}

// UnitVector is a vector of length 1. It has as many coordinates u as elements, x = u/‖u‖, and
// −‖u‖²/2 takes the place of the logarithm of a Jacobian determinant: coordinates without
// another density are standard normal, and x is uniform on the sphere. The coordinates
// of a value are the value itself.
func UnitVector() Constraint {
	return rows("unit vector", 2, 0, func(u *autograd.Node) (x, logJacobian *autograd.Node) {
		axis, _ := size(u)
		squares := u.Square().Sum(axis)
		length := squares.Sqrt().Reshape(append(append(autograd.Shape{}, squares.Shape()...), 1))
		return u.Div(length), squares.Sum().Scale(-0.5)
	}, func(x *autograd.Node) *autograd.Node { return x })
}

// Angle is an angle from −π to π without ends: each has two coordinates u, of which it is the
// direction, and −‖u‖²/2 takes the place of the logarithm of a Jacobian determinant. The
// coordinates of a value lie on the unit circle.
func Angle() Constraint {
	return Constraint{
		name: "angle",
		low:  -math.Pi,
		high: math.Pi,
		free: func(s autograd.Shape) (autograd.Shape, bool) {
			return append(slices.Clone(s), 2), true
		},
		value: func(u *autograd.Node, _ autograd.Shape) (x, logJacobian *autograd.Node) {
			axis, _ := size(u)
			return u.Index(axis, 1).Atan2(u.Index(axis, 0)), u.Square().Sum().Scale(-0.5)
		},
		coordinates: func(x *autograd.Node) *autograd.Node {
			column := append(slices.Clone(x.Shape()), 1)
			return autograd.Concat(len(column)-1, x.Cos().Reshape(column), x.Sin().Reshape(column))
		},
	}
}

// triangle lists the elements of a lower triangle of k×k, without its diagonal if strict.
func triangle(k int, strict bool) []int {
	all := autograd.LowerTriangle(k)
	if !strict {
		return all
	}
	return slices.DeleteFunc(all, func(e int) bool { return e%k == e/k })
}

// matrix is a constraint of one square matrix, with as many coordinates as a triangle.
func matrix(
	name string,
	strict bool,
	value func(u *autograd.Node, k int) (x, logJacobian *autograd.Node),
	coordinates func(x *autograd.Node, k int) *autograd.Node,
) Constraint {
	return Constraint{
		name: name,
		low:  math.NaN(),
		high: math.NaN(),
		free: func(s autograd.Shape) (autograd.Shape, bool) {
			if len(s) != 2 || s[0] != s[1] || s[0] < 1 || strict && s[0] < 2 {
				return s, false
			}
			return autograd.Shape{len(triangle(s[0], strict))}, true
		},
		value: func(u *autograd.Node, s autograd.Shape) (x, logJacobian *autograd.Node) {
			return value(u, s[0])
		},
		coordinates: func(x *autograd.Node) *autograd.Node { return coordinates(x, x.Shape()[0]) },
	}
}

// CovarianceCholesky is the lower Cholesky factor of a covariance matrix: a lower triangular
// matrix with a positive diagonal. The density is with respect to its lower triangle.
func CovarianceCholesky() Constraint {
	diagonal := func(k int) []int {
		at := make([]int, k)
		for i := range at {
			at[i] = i*(i+1)/2 + i
		}
		return at
	}
	return matrix(
		"covariance Cholesky factor",
		false,
		func(u *autograd.Node, k int) (x, logJacobian *autograd.Node) {
			square, logs := autograd.Shape{k, k}, u.Gather(diagonal(k), autograd.Shape{k})
			below := u.ScatterAdd(triangle(k, false), square)
			if k == 1 {
				return logs.Exp().Reshape(square), logs.Sum()
			}
			return below.Tril(-1).Add(logs.Exp().Diag()), logs.Sum()
		},
		func(x *autograd.Node, k int) *autograd.Node {
			if k == 1 {
				return x.Log().Reshape(autograd.Shape{1})
			}
			at := triangle(k, false)
			logs := x.Tril(-1).Add(x.Diagonal().Log().Diag())
			return logs.Gather(at, autograd.Shape{len(at)})
		},
	)
}

// CorrelationCholesky is the lower Cholesky factor of a correlation matrix: a lower triangular
// matrix with a positive diagonal whose rows have length 1. The density is with respect
// to the elements below the diagonal. With canonical partial correlations
// zᵢⱼ = tanh(uᵢⱼ) it is Lᵢⱼ = zᵢⱼ Π(1 − zᵢₖ²)^½ over k < j.
func CorrelationCholesky() Constraint {
	return matrix(
		"correlation Cholesky factor",
		true,
		func(u *autograd.Node, k int) (x, logJacobian *autograd.Node) {
			square, at := autograd.Shape{k, k}, triangle(k, true)
			z := u.Tanh().ScatterAdd(at, square)
			// ln(1 − tanh²u) = 2(ln 2 − u − softplus(−2u)), accurate for large |u|
			logs := u.Neg().Sub(u.Scale(-2).Softplus()).AddScalar(math.Ln2).Scale(2)
			half := logs.Scale(0.5).ScatterAdd(at, square)
			before := half.CumSum(1).Sub(half)
			l := z.Add(u.Builder().Identity(k)).Mul(before.Exp()).Tril(0)
			return l, logs.Sum().Add(before.Tril(-1).Sum())
		},
		func(x *autograd.Node, k int) *autograd.Node {
			at := triangle(k, true)
			shape := autograd.Shape{len(at)}
			squares := x.Tril(-1).Square()
			rest := squares.CumSum(1).Sub(squares).Neg().AddScalar(1)
			z := x.Gather(at, shape).Div(rest.Gather(at, shape).Sqrt())
			return z.Log1p().Sub(z.Neg().Log1p()).Scale(0.5)
		},
	)
}
