package densities

import (
	"math"

	"tobac/autograd"
)

// volatility is the stochastic volatility model
//
//	y_t ~ N(0, e^{h_t/2}),  h_0 ~ N(μ, σ/√(1−φ²)),  h_t ~ N(μ + φ(h_{t−1} − μ), σ),
//
// with the parameters μ, artanh φ, ln σ, all N(0, 1), and h.
type volatility struct{ y []float64 }

// stochasticVolatility has 100 steps.
func stochasticVolatility() *Density {
	m := &volatility{normals(stream(20), 100, 1)}
	for t := range m.y {
		m.y[t] *= math.Exp(0.5 * math.Sin(0.1*float64(t)))
	}
	return &Density{
		Name: "stochastic volatility", Params: 3 + len(m.y), SD: 0.5, Expression: m.expression,
	}
}

func (m *volatility) expression(x *autograd.Node) *autograd.Node {
	n := len(m.y)
	mu, phi, sigma, h := at(x, 0), at(x, 1).Tanh(), at(x, 2).Exp(), x.Slice(0, 3, 3+n)
	rest, away := phi.Square().SubFrom(1), h.Sub(mu)
	z := at(away, 0).Div(sigma)
	first := rest.Log().Sub(rest.Mul(z.Square())).Scale(0.5).Add(halfSquare(x.Slice(0, 0, 3)))
	z = away.Slice(0, 1, n).Sub(phi.Mul(away.Slice(0, 0, n-1))).Div(sigma)
	data := vector(x, m.y).Square().Mul(h.Neg().Exp()).Add(h).Sum().Scale(-0.5)
	return first.Add(halfSquare(z)).Sub(at(x, 2).Scale(float64(n))).Add(data)
}
