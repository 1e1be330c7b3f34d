package densities

import (
	"math"

	"tobac/autograd"
)

// A count model is a structural equation model of counts in causal order,
//
//	y_j ~ Poisson(exp(b_j + Σ_{i<j} ln(1 + y_i) W_ij)),
//
// or, if inflated, with the probability σ(a_j) an additional zero. The parameters
// are W_ij (i < j, row-major), b_j and, if inflated, a_j, all N(0, 1).
type counts struct {
	n, d       int
	inflated   bool
	y, s, zero []float64 // counts, ln(1+y), 1 where y = 0
}

// poissonSEM has 200 rows of five variables.
func poissonSEM(inflated bool) *Density {
	m := &counts{n: 200, d: 5, inflated: inflated}
	m.y, m.s, m.zero = make([]float64, m.n*m.d), make([]float64, m.n*m.d), make([]float64, m.n*m.d)
	rng := stream(16)
	for i := range m.y {
		from, logRate := i-i%m.d, 0.5
		for k := from; k < i; k++ {
			logRate += 0.3 * m.s[k] * float64(1-2*(k%2))
		}
		for at := rng.ExpFloat64(); at < math.Exp(logRate); at += rng.ExpFloat64() {
			m.y[i]++
		}
		if inflated && rng.IntN(4) == 0 {
			m.y[i] = 0
		}
		m.s[i] = math.Log1p(m.y[i])
		if m.y[i] == 0 {
			m.zero[i] = 1
		}
	}
	d := &Density{
		Name: "Poisson SEM", Params: m.d*(m.d-1)/2 + m.d, SD: 0.3, Expression: m.expression,
	}
	if inflated {
		d.Name, d.Params = "zero-inflated Poisson SEM", d.Params+m.d
	}
	return d
}

// parameters are W with its zeros, b and, if inflated, a.
func (m *counts) parameters(x *autograd.Node) (w, b, a *autograd.Node) {
	edges := m.d * (m.d - 1) / 2
	w = x.Slice(0, 0, edges).ScatterAdd(autograd.StrictUpper(m.d), autograd.Shape{m.d, m.d})
	b = x.Slice(0, edges, edges+m.d)
	if m.inflated {
		a = x.Slice(0, edges+m.d, edges+2*m.d)
	}
	return w, b, a
}

// term is the log density of counts y, element by element, from their log rates; zero
// says which are 0, a are the logits of an additional zero.
func (m *counts) term(logRate, y, zero, a *autograd.Node) *autograd.Node {
	poisson := y.Mul(logRate).Sub(logRate.Exp())
	if !m.inflated {
		return poisson
	}
	shape := poisson.Shape()
	last := append(append(autograd.Shape{}, shape...), 1)
	both := autograd.Concat(len(shape), a.Expand(shape).Reshape(last), poisson.Reshape(last))
	return zero.Where(both.LogSumExp(len(shape)), poisson).Sub(a.Softplus())
}

func (m *counts) expression(x *autograd.Node) *autograd.Node {
	w, b, a := m.parameters(x)
	logRate := constant(x, m.s, m.n, m.d).MatMul(w).Add(b)
	return m.term(logRate, constant(x, m.y, m.n, m.d), constant(x, m.zero, m.n, m.d),
		a).Sum().Add(halfSquare(x))
}

// A composition is the Dirichlet-multinomial density of counts in groups, with the
// parameters ln α, all N(0, 1).
type composition struct {
	groups, k int
	y, total  []float64
}

// dirichletMultinomial has 50 groups of six counts.
func dirichletMultinomial() *Density {
	m := &composition{groups: 50, k: 6}
	m.y, m.total = make([]float64, m.groups*m.k), make([]float64, m.groups)
	rng := stream(17)
	for i := range m.y {
		m.y[i] = math.Floor(4 * rng.ExpFloat64())
		m.total[i/m.k] += m.y[i]
	}
	return &Density{
		Name: "Dirichlet-multinomial", Params: m.k, SD: 0.7, Expression: m.expression,
	}
}

func (m *composition) expression(x *autograd.Node) *autograd.Node {
	alpha := x.Exp()
	sum, groups := alpha.Sum(), float64(m.groups)
	once := sum.LogGamma().Sub(alpha.LogGamma().Sum()).Scale(groups)
	counts := constant(x, m.y, m.groups, m.k).Add(alpha).LogGamma().Sum()
	return once.Add(counts).Sub(vector(x, m.total).Add(sum).LogGamma().Sum()).Add(halfSquare(x))
}
