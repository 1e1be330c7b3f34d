package densities

import (
	"math"

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
		Name: "local level, Kalman filter", Params: 2, SD: 0.5, Expression: m.expression, Handwritten: m.handwritten,
		Spellings: []Spelling{{Name: "covariance of all steps", Expression: m.covariance, Costlier: true}, withMean()},
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

// covariance is the joint density of all steps, with Cov(y_s, y_t) = 10 + q² min(s, t) + r²
// [s = t].
func (m *localLevel) covariance(x *autograd.Node) *autograd.Node {
	n := len(m.y)
	shared, eye := make([]float64, n*n), make([]float64, n*n)
	for s := range n {
		for t := range n {
			shared[s*n+t] = float64(min(s, t))
		}
		eye[s*n+s] = 1
	}
	r, q := at(x, 0).Scale(2).Exp(), at(x, 1).Scale(2).Exp()
	k := constant(x, shared, n, n).Mul(q).Add(constant(x, eye, n, n).Mul(r)).AddScalar(10)
	l := k.Cholesky()
	return halfSquare(l.SolveLower(constant(x, m.y, n, 1))).Sub(l.Diagonal().Log().Sum()).Add(halfSquare(x))
}

func (m *localLevel) handwritten() Gradient {
	n := len(m.y)
	errors, variances := make([]float64, n), make([]float64, n)
	return func(grad, x []float64) float64 {
		clear(grad)
		sum := standardNormals(grad, x, 1)
		r, q := math.Exp(2*x[0]), math.Exp(2*x[1])
		mean, variance := 0.0, 10.0
		for t, y := range m.y {
			e, f := y-mean, variance+r
			errors[t], variances[t] = e, variance
			sum -= 0.5 * (math.Log(f) + e*e/f)
			mean += variance / f * e
			variance += q - variance*variance/f
		}
		var byR, byQ, byMean, byVariance float64 // the last two: of the next step's
		for t := n - 1; t >= 0; t-- {
			e, p := errors[t], variances[t]
			f := p + r
			byE := (byMean*p - e) / f
			byF := (p*(byVariance*p-byMean*e)+0.5*e*e)/(f*f) - 0.5/f
			byQ += byVariance
			byR += byF
			byVariance = byMean*e/f + byVariance*(1-2*p/f) + byF
			byMean -= byE
		}
		grad[0] += 2 * r * byR
		grad[1] += 2 * q * byQ
		return sum
	}
}
