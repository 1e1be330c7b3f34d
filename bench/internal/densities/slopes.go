package densities

import (
	"tobac/autograd"
)

// A group model has an intercept and a slope for every group g, which are integrated
// out,
//
//	y_g ~ N(X_g u_g, σ),  u_g ~ N(μ, L Lᵀ),  L = (e^a 0; b e^c),
//
// with the parameters μ (two numbers), a, b, c, ln σ, all N(0, 1). With B = X_g L,
// r = y_g − X_g μ, M = I + BᵀB/σ² and n rows, group g adds
//
//	−½ (rᵀr/σ² − |M^{−1/2} Bᵀr|²/σ⁴ + ln |M|) − n ln σ.
//
// X_gᵀX_g, X_gᵀy_g and y_gᵀy_g are all that it needs of the data.
type slopes struct {
	groups, rows int
	s, t, yy     []float64 // groups × 2×2, groups × 2, groups
}

// randomSlopes has 20 groups of ten rows.
func randomSlopes() *Density {
	m := &slopes{groups: 20, rows: 10}
	rng := stream(27)
	y := normals(rng, m.groups*m.rows, 0.5)
	m.s, m.t, m.yy = make([]float64, 4*m.groups), make([]float64, 2*m.groups),
		make([]float64, m.groups)
	for g := range m.groups {
		intercept, slope := rng.NormFloat64(), 0.5*rng.NormFloat64()
		for r := range m.rows {
			i, v := g*m.rows+r, rng.NormFloat64()
			y[i] += intercept + slope*v
			for a, left := range []float64{1, v} {
				m.s[4*g+2*a] += left
				m.s[4*g+2*a+1] += left * v
				m.t[2*g+a] += left * y[i]
			}
			m.yy[g] += y[i] * y[i]
		}
	}
	return &Density{
		Name: "random slopes", Params: 6, SD: 0.5, Expression: m.expression,
		Spellings: []Spelling{withMean()},
	}
}

func (m *slopes) expression(x *autograd.Node) *autograd.Node {
	l := autograd.Vector(at(x, 2).Exp(), at(x, 3), at(x, 4).Exp()).ScatterAdd([]int{0, 2, 3},
		autograd.Shape{2, 2})
	mu, precision := x.Slice(0, 0, 2).Reshape(autograd.Shape{2, 1}), at(x, 5).Scale(-2).Exp()
	eye := constant(x, []float64{1, 0, 0, 1}, 2, 2)
	terms := autograd.Map(x.Builder().Axis("group", m.groups),
		func(v []*autograd.Node) *autograd.Node {
			s, t, yy := v[0], v[1].Reshape(autograd.Shape{2, 1}), v[2]
			residual := t.Sub(s.MatMul(mu)) // Xᵀr
			squares := yy.Sub(mu.Dot(t.Add(residual)))
			root := eye.Add(l.T().MatMul(s).MatMul(l).Mul(precision)).Cholesky()
			z := root.SolveLower(l.T().MatMul(residual)).Mul(precision)
			return halfSquare(z).Neg().Sub(squares.Mul(precision).Scale(0.5)).Sub(
				root.Diagonal().Log().Sum())
		}, constant(x, m.s, m.groups, 2, 2), constant(x, m.t, m.groups, 2), vector(x, m.yy))
	rest := halfSquare(x).Sub(at(x, 5).Scale(float64(m.groups * m.rows)))
	return terms.Sum().Add(rest)
}
