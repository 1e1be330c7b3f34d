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
	x, y         []float64 // groups × rows × 2, groups × rows
	s, t, yy     []float64 // groups × 2×2, groups × 2, groups
}

// randomSlopes has 20 groups of ten rows.
func randomSlopes() *Density {
	m := &slopes{groups: 20, rows: 10}
	rng := stream(27)
	m.y = normals(rng, m.groups*m.rows, 0.5)
	m.s, m.t, m.yy = make([]float64, 4*m.groups), make([]float64, 2*m.groups),
		make([]float64, m.groups)
	for g := range m.groups {
		intercept, slope := rng.NormFloat64(), 0.5*rng.NormFloat64()
		for r := range m.rows {
			i, v := g*m.rows+r, rng.NormFloat64()
			m.x = append(m.x, 1, v)
			m.y[i] += intercept + slope*v
			for a, left := range []float64{1, v} {
				m.s[4*g+2*a] += left
				m.s[4*g+2*a+1] += left * v
				m.t[2*g+a] += left * m.y[i]
			}
			m.yy[g] += m.y[i] * m.y[i]
		}
	}
	return &Density{
		Name: "random slopes", Params: 6, SD: 0.5, Expression: m.expression,
		Spellings: []Spelling{
			{Name: "2×2 by elements", Expression: m.elements},
			{Name: "covariance of rows", Expression: m.covariance, Costlier: true},
			withMean(),
		},
	}
}

// split is μ of shape (2, 1), L and 1/σ².
func (m *slopes) split(x *autograd.Node) (mu, l, precision *autograd.Node) {
	one := autograd.Shape{1}
	entries := autograd.Concat(0, at(x, 2).Exp().Reshape(one), at(x, 3).Reshape(one),
		at(x, 4).Exp().Reshape(one))
	l = entries.ScatterAdd([]int{0, 2, 3}, autograd.Shape{2, 2})
	return x.Slice(0, 0, 2).Reshape(autograd.Shape{2, 1}), l, at(x, 5).Scale(-2).Exp()
}

// rest is the prior and the term of σ.
func (m *slopes) rest(x *autograd.Node) *autograd.Node {
	return halfSquare(x).Sub(at(x, 5).Scale(float64(m.groups * m.rows)))
}

func (m *slopes) expression(x *autograd.Node) *autograd.Node {
	mu, l, precision := m.split(x)
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
	return terms.Sum().Add(m.rest(x))
}

// elements writes the 2×2 matrices of all groups as vectors over groups, and their
// Cholesky factors by formulas.
func (m *slopes) elements(x *autograd.Node) *autograd.Node {
	a, b, c, precision := at(x, 2).Exp(), at(x, 3), at(x, 4).Exp(), at(x, 5).Scale(-2).Exp()
	mu1, mu2 := at(x, 0), at(x, 1)
	s, t, yy := constant(x, m.s, m.groups, 4), constant(x, m.t, m.groups, 2), vector(x, m.yy)
	s11, s12, s22 := s.Index(1, 0), s.Index(1, 1), s.Index(1, 3)
	t1, t2 := t.Index(1, 0), t.Index(1, 1)
	q1, q2 := t1.Sub(s11.Mul(mu1)).Sub(s12.Mul(mu2)), t2.Sub(s12.Mul(mu1)).Sub(s22.Mul(mu2))
	squares := yy.Sub(mu1.Mul(t1.Add(q1))).Sub(mu2.Mul(t2.Add(q2)))
	left1, left2 := a.Mul(s11).Add(b.Mul(s12)), a.Mul(s12).Add(b.Mul(s22)) // first row of LᵀS
	m11 := a.Mul(left1).Add(b.Mul(left2)).Mul(precision).AddScalar(1)
	m12 := c.Mul(left2).Mul(precision)
	m22 := c.Square().Mul(s22).Mul(precision).AddScalar(1)
	r11 := m11.Sqrt()
	r21 := m12.Div(r11)
	r22 := m22.Sub(r21.Square()).Sqrt()
	z1 := a.Mul(q1).Add(b.Mul(q2)).Div(r11)
	z2 := c.Mul(q2).Sub(r21.Mul(z1)).Div(r22)
	quadratic := squares.Mul(precision).Sub(z1.Square().Add(z2.Square()).Mul(precision.Square()))
	return quadratic.Scale(-0.5).Sub(r11.Log()).Sub(r22.Log()).Sum().Add(m.rest(x))
}

// covariance has the covariance matrix of all rows of a group, BBᵀ + σ²I.
func (m *slopes) covariance(x *autograd.Node) *autograd.Node {
	mu, l, _ := m.split(x)
	n := m.rows
	eye := make([]float64, n*n)
	for i := range n {
		eye[i*n+i] = 1
	}
	noise := constant(x, eye, n, n).Mul(at(x, 5).Scale(2).Exp())
	terms := autograd.Map(x.Builder().Axis("group", m.groups),
		func(v []*autograd.Node) *autograd.Node {
			b := v[0].MatMul(l)
			root := b.MatMul(b.T()).Add(noise).Cholesky()
			z := root.SolveLower(v[1].Reshape(autograd.Shape{n, 1}).Sub(v[0].MatMul(mu)))
			return halfSquare(z).Sub(root.Diagonal().Log().Sum())
		}, constant(x, m.x, m.groups, n, 2), constant(x, m.y, m.groups, n))
	return terms.Sum().Add(halfSquare(x))
}
