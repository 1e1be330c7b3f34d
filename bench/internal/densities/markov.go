package densities

import (
	"math"

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
		Name: "hidden Markov", Params: m.k*m.k + m.k + 1, SD: 0.7, Expression: m.expression, Handwritten: m.handwritten,
		Spellings: []Spelling{{Name: "softplus of scalars", Expression: m.scalars}, {Name: "scaled probabilities", Expression: m.scaled}},
	}
}

// split is ln A and the log densities of the emissions, steps × k.
func (m *chain) split(x *autograd.Node) (transition, emission *autograd.Node) {
	square := m.k * m.k
	logits := x.Slice(0, 0, square).Reshape(autograd.Shape{m.k, m.k})
	transition = logits.Sub(logits.LogSumExp(1).Reshape(autograd.Shape{m.k, 1}))
	mu, logSD := x.Slice(0, square, square+m.k), at(x, square+m.k)
	emission = constant(x, m.y, len(m.y), 1).Sub(mu).Div(logSD.Exp()).Square().Scale(-0.5).Sub(logSD)
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

// scalars writes every log-sum-exp as a chain of a + ln(1 + e^(b−a)).
func (m *chain) scalars(x *autograd.Node) *autograd.Node {
	transition, emission := m.split(x)
	element := func(n *autograd.Node, i, j int) *autograd.Node { return n.Index(0, i).Index(0, j) }
	sum := func(terms []*autograd.Node) *autograd.Node {
		total := terms[0]
		for _, v := range terms[1:] {
			total = total.Add(v.Sub(total).Softplus())
		}
		return total
	}
	now, terms := make([]*autograd.Node, m.k), make([]*autograd.Node, m.k)
	for j := range now {
		now[j] = element(emission, 0, j)
	}
	for t := 1; t < len(m.y); t++ {
		next := make([]*autograd.Node, m.k)
		for j := range next {
			for i := range terms {
				terms[i] = now[i].Add(element(transition, i, j))
			}
			next[j] = sum(terms).Add(element(emission, t, j))
		}
		now = next
	}
	return sum(now).Add(halfSquare(x))
}

// scaled carries the probabilities of the states given the past, and adds up the
// logarithms of what they are divided by.
func (m *chain) scaled(x *autograd.Node) *autograd.Node {
	transition, emission := m.split(x)
	a, likelihood := transition.Exp(), emission.Exp()
	row := autograd.Shape{1, m.k}
	p, sum := likelihood.Index(0, 0).Reshape(row), halfSquare(x)
	for t := range m.y {
		if t > 0 {
			p = p.MatMul(a).Mul(likelihood.Index(0, t).Reshape(row))
		}
		total := p.Sum()
		sum, p = sum.Add(total.Log()), p.Div(total)
	}
	return sum
}

// handwritten is the forward-backward algorithm on scaled probabilities.
func (m *chain) handwritten() Gradient {
	k, n := m.k, len(m.y)
	a, rows := make([]float64, k*k), make([]float64, k)
	likelihood, forward, scale := make([]float64, n*k), make([]float64, n*k), make([]float64, n)
	behind, next := make([]float64, k), make([]float64, k)
	return func(grad, x []float64) float64 {
		clear(grad)
		sum := standardNormals(grad, x, 1)
		mu, gMu, logSD := x[k*k:k*k+k], grad[k*k:k*k+k], x[k*k+k]
		inverse := math.Exp(-logSD)
		copy(a, x[:k*k])
		for i := range k {
			logSumExp(a[i*k : (i+1)*k])
		}
		for t, y := range m.y {
			total, density, p := 0.0, likelihood[t*k:(t+1)*k], forward[t*k:(t+1)*k]
			for j := range k {
				z := (y - mu[j]) * inverse
				density[j] = math.Exp(-0.5*z*z) * inverse
				prior := 1.0
				if t > 0 {
					prior = 0
					for i, q := range forward[(t-1)*k : t*k] {
						prior += q * a[i*k+j]
					}
				}
				p[j] = prior * density[j]
				total += p[j]
			}
			scale[t] = total
			for j := range p {
				p[j] /= total
			}
			sum += math.Log(total)
		}
		clear(rows)
		for j := range behind {
			behind[j] = 1
		}
		for t := n - 1; t >= 0; t-- {
			for j, p := range forward[t*k : (t+1)*k] {
				z, posterior := (m.y[t]-mu[j])*inverse, p*behind[j]
				gMu[j] += posterior * z * inverse
				grad[k*k+k] += posterior * (z*z - 1)
				behind[j] *= likelihood[t*k+j] / scale[t]
			}
			if t == 0 {
				break
			}
			clear(next)
			for i, p := range forward[(t-1)*k : t*k] {
				for j, w := range behind {
					next[i] += a[i*k+j] * w
					both := p * a[i*k+j] * w
					grad[i*k+j] += both
					rows[i] += both
				}
			}
			copy(behind, next)
		}
		for i, total := range rows {
			for j := range k {
				grad[i*k+j] -= total * a[i*k+j]
			}
		}
		return sum
	}
}
