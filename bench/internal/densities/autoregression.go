package densities

import (
	"fmt"

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

// autoregression of order p has 200 steps.
func autoregression(p int) *Density {
	s := &lagged{p, normals(stream(7), 200, 1)}
	for t := p; t < len(s.y); t++ {
		for k := range p {
			s.y[t] += 0.6 / float64(k+1) / float64(p) * s.y[t-k-1]
		}
	}
	return &Density{
		Name: fmt.Sprintf("AR(%d)", p), Params: p + 2, SD: 0.5, Expression: s.expression,
		Spellings: []Spelling{{Name: "matrix of lags", Expression: s.matrix},
			{Name: "steps before particles", OverRows: s.overRows, Rows: len(s.y) - p}},
	}
}

// density of the steps from their residuals y_t − Σ_k φ_k y_{t−k}.
func (s *lagged) density(x, residual *autograd.Node) *autograd.Node {
	logSD := at(x, s.p+1)
	return residual.Sub(at(x, 0)).Div(logSD.Exp()).Square().Scale(-0.5).Sub(logSD)
}

func (s *lagged) expression(x *autograd.Node) *autograd.Node {
	residual := vector(x, s.y[s.p:])
	for k := 1; k <= s.p; k++ {
		residual = residual.Sub(at(x, k).Mul(vector(x, s.y[s.p-k:len(s.y)-k])))
	}
	return s.density(x, residual).Sum().Add(halfSquare(x))
}

// lags has a row (y_{t−1}, …, y_{t−p}) for every step.
func (s *lagged) lags() []float64 {
	var rows []float64
	for t := s.p; t < len(s.y); t++ {
		for k := 1; k <= s.p; k++ {
			rows = append(rows, s.y[t-k])
		}
	}
	return rows
}

func (s *lagged) matrix(x *autograd.Node) *autograd.Node {
	mean := constant(x, s.lags(), len(s.y)-s.p, s.p).MatVec(x.Slice(0, 1, s.p+1))
	return s.density(x, vector(x, s.y[s.p:]).Sub(mean)).Sum().Add(halfSquare(x))
}

func (s *lagged) overRows(x *autograd.Node, row *autograd.Axis) *autograd.Node {
	lags := constant(x, s.lags(), len(s.y)-s.p, s.p).Unstack(row)
	residual := vector(x, s.y[s.p:]).Unstack(row).Sub(lags.Dot(x.Slice(0, 1, s.p+1)))
	return s.density(x, residual).SumOver(row).Add(halfSquare(x))
}
