package densities

import (
	"tobac/autograd"
)

// funnel is Neal's funnel in ten dimensions, v ~ N(0, 3), x_i ~ N(0, e^{v/2}):
// R. M. Neal, Slice sampling, Annals of Statistics 31 (2003). The parameters are v, x.
func funnel() *Density {
	const n = 9
	return &Density{
		Name: "funnel", Params: 1 + n, SD: 1,
		Expression: func(x *autograd.Node) *autograd.Node {
			v, rest := at(x, 0), x.Slice(0, 1, 1+n)
			prior := v.Square().Scale(-1.0 / 18).Sub(v.Scale(0.5 * n))
			return prior.Add(halfSquare(rest.Div(v.Scale(0.5).Exp())))
		},
		Spellings: []Spelling{withMean()},
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
	}
}
