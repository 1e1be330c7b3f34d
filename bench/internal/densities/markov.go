package densities

import (
	"tobac/autograd"
)

// A chain is a hidden Markov model with k states, alike at the start, and normal
// emissions. The parameters are the logits of the transition matrix (row-major), the
// means and the logarithm of the common standard deviation of the emissions, all
// N(0, 1). The log density comes from the forward recursion
//
//	a_t(j) = ln N(y_t; μ_j, σ) + ln Σ_i exp(a_{t−1}(i) + ln A_ij).
type chain struct {
	k int
	y []float64
}

// hiddenMarkov has three states and 50 steps.
func hiddenMarkov() *Density {
	rng := stream(21)
	m := &chain{k: 3, y: normals(rng, 50, 0.5)}
	state := 0
	for t := range m.y {
		if rng.IntN(5) == 0 {
			state = rng.IntN(m.k)
		}
		m.y[t] += float64(state - 1)
	}
	return &Density{
		Name: "hidden Markov", Params: m.k*m.k + m.k + 1, SD: 0.7, Expression: m.expression,
	}
}

// split is ln A and the log densities of the emissions, steps × k.
func (m *chain) split(x *autograd.Node) (transition, emission *autograd.Node) {
	square := m.k * m.k
	logits := x.Slice(0, 0, square).Reshape(autograd.Shape{m.k, m.k})
	transition = logits.Sub(logits.LogSumExp(1).Reshape(autograd.Shape{m.k, 1}))
	mu, logSD := x.Slice(0, square, square+m.k), at(x, square+m.k)
	emission = constant(x, m.y, len(m.y),
		1).Sub(mu).Div(logSD.Exp()).Square().Scale(-0.5).Sub(logSD)
	return transition, emission
}

func (m *chain) expression(x *autograd.Node) *autograd.Node {
	transition, emission := m.split(x)
	a := emission.Index(0, 0)
	for t := 1; t < len(m.y); t++ {
		a = a.Reshape(autograd.Shape{m.k, 1}).Add(transition).LogSumExp(0).Add(emission.Index(0, t))
	}
	return a.LogSumExp().Add(halfSquare(x))
}
