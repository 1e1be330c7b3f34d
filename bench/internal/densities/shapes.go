package densities

import (
	"tobac/autograd"
)

// funnel is Neal's funnel in ten dimensions, v ~ N(0, 3), x_i ~ N(0, e^{v/2}):
// R. M. Neal, Slice sampling, Annals of Statistics 31 (2003). The parameters are v, x.
func funnel() *Density {
	const n = 9
	split := func(x *autograd.Node) (v, rest, prior *autograd.Node) {
		v = at(x, 0)
		return v, x.Slice(0, 1, 1+n), v.Square().Scale(-1.0 / 18).Sub(v.Scale(0.5 * n))
	}
	return &Density{
		Name: "funnel", Params: 1 + n, SD: 1,
		Expression: func(x *autograd.Node) *autograd.Node {
			v, rest, prior := split(x)
			return prior.Add(halfSquare(rest.Div(v.Scale(0.5).Exp())))
		},
		Spellings: []Spelling{
			{Name: "sum of squares", Expression: func(x *autograd.Node) *autograd.Node {
				v, rest, prior := split(x)
				return prior.Add(halfSquare(rest).Mul(v.Neg().Exp()))
			}},
			{Name: "map and mean of particles", Mean: true,
				Expression: func(x *autograd.Node) *autograd.Node {
					v, rest, prior := split(x)
					terms := autograd.Map(x.Builder().Axis("dimension", n),
						func(r []*autograd.Node) *autograd.Node {
							return r[0].Div(v.Scale(0.5).Exp()).Square().Scale(-0.5)
						}, rest)
					return prior.Add(terms.Sum())
				}},
		},
	}
}

// rosenbrock is the density with the log
//
//	−(1/20) Σ_i (100 (x_{i+1} − x_i²)² + (1 − x_i)²)
//
// in ten dimensions, whose level sets are bent like bananas.
func rosenbrock() *Density {
	const n = 10
	return &Density{
		Name: "Rosenbrock", Params: n, SD: 0.7,
		Expression: func(x *autograd.Node) *autograd.Node {
			now, next := x.Slice(0, 0, n-1), x.Slice(0, 1, n)
			bend, start := next.Sub(now.Square()).Square().Scale(100),
				now.Neg().AddScalar(1).Square()
			return bend.Add(start).Sum().Scale(-0.05)
		},
		Spellings: []Spelling{
			{Name: "term by term", Expression: func(x *autograd.Node) *autograd.Node {
				sum := x.Builder().Scalar(0)
				for i := range n - 1 {
					bend := at(x, i+1).Sub(at(x, i).Square()).Square().Scale(-5)
					sum = sum.Add(bend).Sub(at(x, i).AddScalar(-1).Square().Scale(0.05))
				}
				return sum
			}},
			{Name: "map over terms", Expression: func(x *autograd.Node) *autograd.Node {
				return autograd.Map(x.Builder().Axis("term", n-1),
					func(v []*autograd.Node) *autograd.Node {
						return v[1].Sub(v[0].Square()).Square().Scale(-5).Sub(
							v[0].AddScalar(-1).Square().Scale(0.05))
					}, x.Slice(0, 0, n-1), x.Slice(0, 1, n)).Sum()
			}},
		},
	}
}
