package densities

import (
	"math"

	"tobac/autograd"
)

// An ordinal regression has outcomes 0 … k−1 with
//
//	P(y ≤ c) = σ(κ_c − x·β),
//
// the parameters β, κ_0 and the logarithms of κ_c − κ_{c−1}, all N(0, 2).
type ordinal struct {
	n, p, k int
	x       []float64
	y       []int
}

// orderedLogit has 200 rows of three regressors and five outcomes.
func orderedLogit() *Density {
	rng := stream(24)
	m := &ordinal{n: 200, p: 3, k: 5, y: make([]int, 200)}
	m.x = normals(rng, m.n*m.p, 0.7)
	for i := range m.y {
		u := rng.Float64()
		v := math.Log(u/(1-u)) + m.x[i*m.p] - m.x[i*m.p+1]
		m.y[i] = int(max(0, min(4, math.Floor(v/1.2+2.5))))
	}
	return &Density{
		Name: "ordered logit", Params: m.p + m.k - 1, SD: 0.5, Expression: m.expression,
	}
}

func (m *ordinal) expression(x *autograd.Node) *autograd.Node {
	cuts := []*autograd.Node{at(x, m.p)}
	for c := 1; c < m.k-1; c++ {
		cuts = append(cuts, cuts[c-1].Add(at(x, m.p+c).Exp()))
	}
	eta := constant(x, m.x, m.n, m.p).MatVec(x.Slice(0, 0, m.p)).Reshape(autograd.Shape{m.n, 1})
	column := make([]float64, 2*m.n)
	for i := range m.n {
		column[m.n+i] = 1
	}
	cumulative := autograd.Concat(1, constant(x, column[:m.n], m.n, 1),
		autograd.Vector(cuts[0], cuts[1:]...).Sub(eta).Sigmoid(), constant(x, column[m.n:], m.n, 1))
	p := cumulative.Slice(1, 1, m.k+1).Sub(cumulative.Slice(1, 0, m.k))
	observed := make([]int, m.n)
	for i, c := range m.y {
		observed[i] = i*m.k + c
	}
	return p.Gather(observed, autograd.Shape{m.n}).Log().Sum().Add(halfSquare(x).Scale(0.25))
}
