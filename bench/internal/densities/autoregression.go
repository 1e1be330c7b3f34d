package densities

import (
	"tobac/autograd"
)

// A lagged series is an autoregression given its first values,
//
//	y_t ~ N(c + Σ_k φ_k y_{t−k}, σ),
//
// with the parameters c, φ_1, …, φ_p, ln σ, all N(0, 1).
type lagged struct {
	p int
	y []float64
}

// autoregression is of order 5 and has 200 steps.
func autoregression() *Density {
	const p = 5
	s := &lagged{p, normals(stream(7), 200, 1)}
	for t := p; t < len(s.y); t++ {
		for k := range p {
			s.y[t] += 0.6 / float64(k+1) / float64(p) * s.y[t-k-1]
		}
	}
	return &Density{Name: "AR(5)", Params: p + 2, SD: 0.5, Expression: s.expression}
}

func (s *lagged) expression(x *autograd.Node) *autograd.Node {
	residual := vector(x, s.y[s.p:])
	for k := 1; k <= s.p; k++ {
		residual = residual.Sub(at(x, k).Mul(vector(x, s.y[s.p-k:len(s.y)-k])))
	}
	logSD := at(x, s.p+1)
	z := residual.Sub(at(x, 0)).Div(logSD.Exp())
	return z.Square().Scale(-0.5).Sub(logSD).Sum().Add(halfSquare(x))
}
