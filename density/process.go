package density

import (
	"math"

	"tobac/autograd"
)

// distances are the Euclidean distances between the rows of x, n×d, or the elements of a
// vector, divided by a length: n×n.
func squaredDistances[L Value](x *autograd.Node, length L) *autograd.Node {
	s := x.Shape()
	n := s[0]
	if len(s) == 1 {
		return x.Reshape(autograd.Shape{n, 1}).Sub(x).Div(node(x, length)).Square()
	}
	d := s[1]
	scaled := x.Div(node(x, length))
	gaps := scaled.Reshape(autograd.Shape{n, 1, d}).Sub(scaled.Reshape(autograd.Shape{1, n, d}))
	return gaps.Square().Sum(2)
}

// SquaredExponential is the covariance matrix of a Gaussian process at the rows of x (or the
// elements of a vector), amplitude² exp(−‖x − y‖²/(2 length²)) plus the variance noise on
// the diagonal. A length for each column of x is a vector. Pass a small noise such as
// 1e-9 where there is none: the matrix is singular to rounding otherwise.
func SquaredExponential[A, L, N Value](
	x *autograd.Node,
	amplitude A,
	length L,
	noise N,
) *autograd.Node {
	return covariance(x, amplitude, noise, squaredDistances(x, length).Scale(-0.5).Exp())
}

func covariance[A, N Value](
	x *autograd.Node,
	amplitude A,
	noise N,
	k *autograd.Node,
) *autograd.Node {
	n := x.Shape()[0]
	diagonal := node(x, noise).Expand(autograd.Shape{n}).Diag()
	return k.Mul(node(x, amplitude).Square()).Add(diagonal)
}

// distances are roots of [squaredDistances] whose derivative at 0 is 0.
func distances[L Value](x *autograd.Node, length L) *autograd.Node {
	squares := squaredDistances(x, length)
	apart := squares.Positive()
	return apart.Where(apart.Where(squares, x.Builder().Scalar(1)).Sqrt(), x.Builder().Scalar(0))
}

// Matern32 is the covariance of [SquaredExponential] with the Matérn kernel of smoothness 3/2:
// amplitude² (1 + √3 r) exp(−√3 r), r = ‖x − y‖/length.
func Matern32[A, L, N Value](x *autograd.Node, amplitude A, length L, noise N) *autograd.Node {
	r := distances(x, length).Scale(math.Sqrt(3))
	return covariance(x, amplitude, noise, r.AddScalar(1).Mul(r.Neg().Exp()))
}

// Matern52 is the covariance of [SquaredExponential] with the Matérn kernel of smoothness 5/2:
// amplitude² (1 + √5 r + 5r²/3) exp(−√5 r), r = ‖x − y‖/length.
func Matern52[A, L, N Value](x *autograd.Node, amplitude A, length L, noise N) *autograd.Node {
	r := distances(x, length).Scale(math.Sqrt(5))
	return covariance(
		x,
		amplitude,
		noise,
		r.AddScalar(1).Add(r.Square().Scale(1./3)).Mul(r.Neg().Exp()),
	)
}

// Periodic is the covariance of [SquaredExponential] with the kernel
// amplitude² exp(−2 sin²(π(x − y)/period)/length²) at the elements of a vector x.
func Periodic[A, L, P, N Value](
	x *autograd.Node,
	amplitude A,
	length L,
	period P,
	noise N,
) *autograd.Node {
	n := x.Shape()[0]
	phase := x.Reshape(autograd.Shape{n, 1}).Sub(x).Div(node(x, period)).Scale(math.Pi)
	return covariance(
		x,
		amplitude,
		noise,
		phase.Sin().Div(node(x, length)).Square().Scale(-2).Exp(),
	)
}
