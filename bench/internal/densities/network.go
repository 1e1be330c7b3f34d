package densities

import (
	"fmt"
	"math"

	"tobac/autograd"
)

// A perceptron is a regression by a network with one hidden layer and the noise
// variance 0.1,
//
//	y ~ N(tanh(X W₁ + b₁) w₂ + b₂, √0.1),
//
// with the parameters W₁ (row-major), b₁, w₂, b₂, all N(0, 1).
type perceptron struct {
	rows, in, hidden int
	x, y             []float64
}

// networkRegression has so many rows, inputs and hidden units.
func networkRegression(rows, in, hidden int) *Density {
	rng := stream(15)
	m := &perceptron{rows: rows, in: in, hidden: hidden, x: normals(rng, rows*in, 1),
		y: normals(rng, rows, 0.3)}
	for i := range m.y {
		m.y[i] += math.Sin(m.x[i*in])
	}
	return &Density{
		Name: fmt.Sprintf("network %d×%d×%d", rows, in, hidden), Params: (in+2)*hidden + 1,
		SD:         1 / math.Sqrt(float64(in)),
		Expression: m.expression,
	}
}

// split is W₁, b₁, w₂, b₂.
func (m *perceptron) split(x *autograd.Node) (w1, b1, w2, b2 *autograd.Node) {
	first, h := m.in*m.hidden, m.hidden
	w1 = x.Slice(0, 0, first).Reshape(autograd.Shape{m.in, h})
	return w1, x.Slice(0, first, first+h), x.Slice(0, first+h, first+2*h), at(x, first+2*h)
}

func (m *perceptron) expression(x *autograd.Node) *autograd.Node {
	w1, b1, w2, b2 := m.split(x)
	f := constant(x, m.x, m.rows, m.in).MatMul(w1).Add(b1).Tanh().MatVec(w2).Add(b2)
	return vector(x, m.y).Sub(f).Square().Sum().Scale(-5).Add(halfSquare(x))
}
