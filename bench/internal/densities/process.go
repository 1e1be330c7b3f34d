package densities

import (
	"math"

	"tobac/autograd"
)

// A process is a regression by a Gaussian process with noise,
//
//	y ~ N(0, K),  K = a² exp(−(t_i − t_j)²/(2ℓ²)) + s² I,
//
// with the parameters ln a, ln ℓ, ln s, all N(0, 1).
type process struct {
	t, y    []float64
	squares []float64 // (t_i − t_j)²
}

// gaussianProcess has 30 points.
func gaussianProcess() *Density {
	const n = 30
	p := &process{t: make([]float64, n), squares: make([]float64, n*n)}
	rng := stream(4)
	p.y = normals(rng, n, 0.3)
	for i := range n {
		p.t[i] = 5 * rng.Float64()
		p.y[i] += math.Sin(2 * p.t[i])
	}
	for i := range n {
		for j := range n {
			p.squares[i*n+j] = (p.t[i] - p.t[j]) * (p.t[i] - p.t[j])
		}
	}
	return &Density{
		Name: "Gaussian process", Params: 3, SD: 0.5, Expression: p.expression,
		Spellings: []Spelling{{Name: "log-det and two solves", Expression: p.solves}, withMean()},
	}
}

// covariance is K from the squared distances.
func (p *process) covariance(x, squares *autograd.Node) *autograd.Node {
	n := len(p.y)
	eye := make([]float64, n*n)
	for i := range n {
		eye[i*n+i] = 1
	}
	amplitude, precision, noise := at(x, 0).Scale(2).Exp(), at(x, 1).Scale(-2).Exp(),
		at(x, 2).Scale(2).Exp()
	return squares.Mul(precision).Scale(-0.5).Exp().Mul(amplitude).Add(constant(x, eye, n,
		n).Mul(noise))
}

func (p *process) expression(x *autograd.Node) *autograd.Node {
	n := len(p.y)
	l := p.covariance(x, constant(x, p.squares, n, n)).Cholesky()
	z := l.SolveLower(constant(x, p.y, n, 1))
	return halfSquare(z).Sub(l.Diagonal().Log().Sum()).Add(halfSquare(x))
}

// solves computes distances in the graph, K⁻¹y, and the determinant by itself.
func (p *process) solves(x *autograd.Node) *autograd.Node {
	n := len(p.y)
	t, y := constant(x, p.t, n, 1), constant(x, p.y, n, 1)
	k := p.covariance(x, t.Sub(t.T()).Square())
	l := k.Cholesky()
	alpha := l.SolveLowerT(l.SolveLower(y))
	return y.Dot(alpha).Add(k.LogDet()).Scale(-0.5).Add(halfSquare(x))
}
