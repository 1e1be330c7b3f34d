package densities

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

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
	m := &perceptron{rows: rows, in: in, hidden: hidden, x: normals(rng, rows*in, 1), y: normals(rng, rows, 0.3)}
	for i := range m.y {
		m.y[i] += math.Sin(m.x[i*in])
	}
	d := &Density{
		Name: fmt.Sprintf("network %d×%d×%d", rows, in, hidden), Params: (in+2)*hidden + 1, SD: 1 / math.Sqrt(float64(in)),
		Expression: m.expression, Handwritten: m.handwritten,
		Spellings: []Spelling{{Name: "transposed", Expression: m.transposed}, {Name: "map over rows", Expression: m.mapped, Slow: rows*in*hidden > 1e6}},
	}
	if in*hidden < 10 {
		d.Handwritten = m.loops
	}
	return d
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

// transposed has a column for every row of data.
func (m *perceptron) transposed(x *autograd.Node) *autograd.Node {
	w1, b1, w2, b2 := m.split(x)
	hidden := w1.T().MatMul(constant(x, m.x, m.rows, m.in).T()).Add(b1.Reshape(autograd.Shape{m.hidden, 1})).Tanh()
	f := w2.Reshape(autograd.Shape{1, m.hidden}).MatMul(hidden).Add(b2)
	return constant(x, m.y, 1, m.rows).Sub(f).Square().Sum().Scale(-5).Add(halfSquare(x))
}

func (m *perceptron) mapped(x *autograd.Node) *autograd.Node {
	w1, b1, w2, b2 := m.split(x)
	squares := autograd.Map(x.Builder().Axis("row", m.rows), func(v []*autograd.Node) *autograd.Node {
		f := w1.T().MatVec(v[0]).Add(b1).Tanh().Dot(w2).Add(b2)
		return v[1].Sub(f).Square()
	}, constant(x, m.x, m.rows, m.in), vector(x, m.y))
	return squares.Sum().Scale(-5).Add(halfSquare(x))
}

func (m *perceptron) handwritten() Gradient {
	n, h, first := m.rows, m.hidden, m.in*m.hidden
	matrix := func(rows, cols int, data []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
	}
	vector := func(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }
	inputs, units, residuals := matrix(n, m.in, m.x), matrix(n, h, make([]float64, n*h)), make([]float64, n)
	return func(grad, x []float64) float64 {
		clear(grad)
		sum := standardNormals(grad, x, 1)
		b1, w2, b2 := x[first:first+h], x[first+h:first+2*h], x[first+2*h]
		for i := range n {
			copy(units.Data[i*h:], b1)
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, inputs, matrix(m.in, h, x[:first]), 1, units)
		for i, v := range units.Data {
			units.Data[i] = math.Tanh(v)
		}
		for i, y := range m.y {
			residuals[i] = y - b2
		}
		blas64.Gemv(blas.NoTrans, -1, units, vector(w2), 1, vector(residuals))
		for i, e := range residuals {
			sum -= 5 * e * e
			residuals[i] = 10 * e
			grad[first+2*h] += 10 * e
		}
		blas64.Gemv(blas.Trans, 1, units, vector(residuals), 1, vector(grad[first+h:first+2*h]))
		gB1 := grad[first : first+h]
		for i, r := range residuals {
			row := units.Data[i*h : (i+1)*h]
			for j, t := range row {
				row[j] = r * w2[j] * (1 - t*t)
				gB1[j] += row[j]
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, inputs, units, 1, matrix(m.in, h, grad[:first]))
		return sum
	}
}

// loops is the same without blas, which does not pay for a handful of weights.
func (m *perceptron) loops() Gradient {
	h, first := m.hidden, m.in*m.hidden
	unit := make([]float64, h)
	return func(grad, x []float64) float64 {
		clear(grad)
		sum := standardNormals(grad, x, 1)
		b1, w2 := x[first:first+h], x[first+h:first+2*h]
		for i, y := range m.y {
			row, f := m.x[i*m.in:(i+1)*m.in], x[first+2*h]
			for j := range unit {
				a := b1[j]
				for k, v := range row {
					a += v * x[k*h+j]
				}
				unit[j] = math.Tanh(a)
				f += unit[j] * w2[j]
			}
			r := 10 * (y - f)
			sum -= 0.05 * r * r
			grad[first+2*h] += r
			for j, t := range unit {
				grad[first+h+j] += r * t
				a := r * w2[j] * (1 - t*t)
				grad[first+j] += a
				for k, v := range row {
					grad[k*h+j] += a * v
				}
			}
		}
		return sum
	}
}
