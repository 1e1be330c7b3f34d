package densities

import (
	"tobac/autograd"
)

// A penalised linear structural equation model has the log density
//
//	−(n/2) tr((I−W)ᵀ G (I−W)) − ‖W‖²/2 − 10 h(W),  G = XᵀX/n,
//	h(W) = tr((I + W∘W/d)^d) − d,  d = 10,
//
// with the acyclicity penalty of Y. Yu et al., DAG-GNN, ICML 2019, in place of the
// matrix exponential of NOTEARS (X. Zheng et al., NeurIPS 2018), which package autograd
// does not have. The parameters are W, row-major.
type penalised struct {
	d, n int
	gram []float64
}

// acyclicityPenalty has ten variables and 50 rows.
func acyclicityPenalty() *Density {
	const d, n = 10, 50
	m := &penalised{d: d, n: n, gram: make([]float64, d*d)}
	rng := stream(23)
	x := normals(rng, n*d, 1)
	for r := range n {
		row := x[r*d : (r+1)*d]
		for j := 1; j < d; j++ {
			row[j] += 0.8 * row[rng.IntN(j)]
		}
		for i, v := range row {
			for j, w := range row {
				m.gram[i*d+j] += v * w / n
			}
		}
	}
	return &Density{
		Name: "acyclicity penalty", Params: d * d, SD: 0.3, Expression: m.expression,
	}
}

// split is A = I + W∘W/d and the log density without the penalty.
func (m *penalised) split(x *autograd.Node) (a, logp *autograd.Node) {
	d := m.d
	w, eye := x.Reshape(autograd.Shape{d, d}), identity(x, d)
	rest := eye.Sub(w)
	logp = rest.Dot(constant(x, m.gram, d, d).MatMul(rest)).Scale(-0.5 * float64(m.n)).Add(
		halfSquare(x))
	return eye.Add(w.Square().Scale(1 / float64(d))), logp
}

func (m *penalised) expression(x *autograd.Node) *autograd.Node {
	a, logp := m.split(x)
	two := a.MatMul(a)
	five := two.MatMul(two).MatMul(a)
	power := five.MatMul(five)
	return logp.Sub(power.Trace().AddScalar(-float64(m.d)).Scale(10))
}
