package densities

import (
	"tobac/autograd"
)

// A local level is the state space model
//
//	y_t ~ N(x_t, r),  x_t ~ N(x_{t−1}, q),  x_0 ~ N(0, √10),
//
// with the states integrated out and the parameters ln r, ln q, both N(0, 1).
type localLevel struct{ y []float64 }

// kalman has 100 steps.
func kalman() *Density {
	rng := stream(22)
	m := &localLevel{normals(rng, 100, 1)}
	level := 0.0
	for t := range m.y {
		level += 0.5 * rng.NormFloat64()
		m.y[t] += level
	}
	return &Density{
		Name: "local level, Kalman filter", Params: 2, SD: 0.5, Expression: m.expression,
		Spellings: []Spelling{withMean()},
	}
}

// expression is the Kalman filter: mean and variance of x_t given the past.
func (m *localLevel) expression(x *autograd.Node) *autograd.Node {
	b := x.Builder()
	r, q := at(x, 0).Scale(2).Exp(), at(x, 1).Scale(2).Exp()
	mean, variance, sum := b.Scalar(0), b.Scalar(10), halfSquare(x)
	for _, y := range m.y {
		e, f := b.Scalar(y).Sub(mean), variance.Add(r)
		gain := variance.Div(f)
		sum = sum.Sub(f.Log().Add(e.Square().Div(f)).Scale(0.5))
		mean = mean.Add(gain.Mul(e))
		variance = variance.Mul(gain.Neg().AddScalar(1)).Add(q)
	}
	return sum
}
