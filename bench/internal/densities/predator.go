package densities

import (
	"math"

	"tobac/autograd"
)

// A population of prey u and predators v follows
//
//	u′ = u(α − βv),  v′ = v(δu − γ),
//
// solved by the classical Runge–Kutta method of order four. Both are observed after
// every step with log-normal errors of scale σ. The parameters are the logarithms of
// α, β, δ, γ, u_0, v_0, σ relative to typical values, all N(0, 1).
type population struct {
	step float64
	logY []float64 // steps × 2
}

// typical are α, β, δ, γ, u_0, v_0, σ at the origin.
var typical = [7]float64{0.6, 0.6, 0.5, 0.8, 1.5, 1, 0.3}

// lotkaVolterra has 20 steps.
func lotkaVolterra() *Density {
	m := &population{0.3, normals(stream(28), 40, 0.3)}
	u, v := typical[4], typical[5]
	for i := 0; i < len(m.logY); i += 2 {
		u, v = step(u, v, m.step, &typical)
		m.logY[i] += math.Log(u)
		m.logY[i+1] += math.Log(v)
	}
	return &Density{
		Name: "Lotka–Volterra", Params: len(typical), SD: 0.2, Expression: m.expression,
		Spellings: []Spelling{withMean()},
	}
}

func (m *population) expression(x *autograd.Node) *autograd.Node {
	r := x.Exp().Mul(vector(x, typical[:]))
	alpha, beta, delta, gamma := at(r, 0), at(r, 1), at(r, 2), at(r, 3)
	field := func(u, v *autograd.Node) (du, dv *autograd.Node) {
		return u.Mul(alpha.Sub(beta.Mul(v))), v.Mul(delta.Mul(u).Sub(gamma))
	}
	u, v, sigma, b := at(r, 4), at(r, 5), at(r, 6), x.Builder()
	h := m.step
	sum := halfSquare(x).Sub(at(x, 6).Scale(float64(len(m.logY))))
	for i := 0; i < len(m.logY); i += 2 {
		u1, v1 := field(u, v)
		u2, v2 := field(u.Add(u1.Scale(h/2)), v.Add(v1.Scale(h/2)))
		u3, v3 := field(u.Add(u2.Scale(h/2)), v.Add(v2.Scale(h/2)))
		u4, v4 := field(u.Add(u3.Scale(h)), v.Add(v3.Scale(h)))
		u = u.Add(u1.Add(u2.Scale(2)).Add(u3.Scale(2)).Add(u4).Scale(h / 6))
		v = v.Add(v1.Add(v2.Scale(2)).Add(v3.Scale(2)).Add(v4).Scale(h / 6))
		z, w := b.Scalar(m.logY[i]).Sub(u.Log()).Div(sigma),
			b.Scalar(m.logY[i+1]).Sub(v.Log()).Div(sigma)
		sum = sum.Sub(z.Square().Add(w.Square()).Scale(0.5))
	}
	return sum
}

// step solves the equations from (u, v) over a time of h; r begins with α, β, δ, γ.
func step(u, v, h float64, r *[7]float64) (float64, float64) {
	weights, reach := [4]float64{h / 6, h / 3, h / 3, h / 6}, [4]float64{0, h / 2, h / 2, h}
	nextU, nextV, du, dv := u, v, 0.0, 0.0
	for i := range 4 {
		x, y := u+reach[i]*du, v+reach[i]*dv
		du, dv = x*(r[0]-r[1]*y), y*(r[2]*x-r[3])
		nextU += weights[i] * du
		nextV += weights[i] * dv
	}
	return nextU, nextV
}
