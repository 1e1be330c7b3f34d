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
	y       []float64
	squares []float64 // (t_i − t_j)²
}

// gaussianProcess has 30 points.
func gaussianProcess() *Density {
	const n = 30
	rng := stream(4)
	p, t := &process{y: normals(rng, n, 0.3)}, make([]float64, n)
	for i := range n {
		t[i] = 5 * rng.Float64()
		p.y[i] += math.Sin(2 * t[i])
	}
	for i := range n {
		for j := range n {
			p.squares = append(p.squares, (t[i]-t[j])*(t[i]-t[j]))
		}
	}
	return &Density{
		Name: "Gaussian process", Params: 3, SD: 0.5, Expression: p.expression,
		Spellings: []Spelling{withMean()},
	}
}

func (p *process) expression(x *autograd.Node) *autograd.Node {
	n := len(p.y)
	amplitude, precision, noise := at(x, 0).Scale(2).Exp(), at(x, 1).Scale(-2).Exp(),
		at(x, 2).Scale(2).Exp()
	k := constant(x, p.squares, n, n).Mul(precision).Scale(-0.5).Exp().Mul(amplitude)
	l := k.Add(identity(x, n).Mul(noise)).Cholesky()
	z := l.SolveLower(constant(x, p.y, n, 1))
	return halfSquare(z).Sub(l.Diagonal().Log().Sum()).Add(halfSquare(x))
}
