package densities

import (
	"math/rand/v2"

	"tobac/autograd"
)

// clusters draws n numbers from k round clusters.
func clusters(rng *rand.Rand, n, k int) []float64 {
	y := normals(rng, n, 0.8)
	for i := range y {
		y[i] += 3 * (float64(rng.IntN(k)) - float64(k-1)/2)
	}
	return y
}

// A pair of normals is the mixture w N(μ₁, σ₁) + (1−w) N(μ₂, σ₂) with the
// parameters μ, ln σ, logit w, all N(0, 2).
type pair struct{ y []float64 }

// twoNormals has 200 points.
func twoNormals() *Density {
	p := &pair{clusters(stream(5), 200, 2)}
	return &Density{
		Name: "mixture of 2", Params: 5, SD: 1, Expression: p.expression,
	}
}

// component is the log density of component c, weight included, at every point.
func (p *pair) component(x, y *autograd.Node, c int) *autograd.Node {
	logit := at(x, 4)
	if c == 1 {
		logit = logit.Neg()
	}
	z := y.Sub(at(x, c)).Div(at(x, 2+c).Exp())
	return z.Square().Scale(-0.5).Sub(at(x, 2+c)).Add(logit.LogSigmoid())
}

func (p *pair) expression(x *autograd.Node) *autograd.Node {
	y := constant(x, p.y, 1, len(p.y))
	both := autograd.Concat(0, p.component(x, y, 0), p.component(x, y, 1))
	return both.LogSumExp(0).Sum().Add(halfSquare(x).Scale(0.25))
}

// A blend is a mixture of k normals with the parameters μ_c, ln σ_c and logits of
// the weights, all N(0, 2).
type blend struct {
	k int
	y []float64
}

// normalMixture has five components and 200 points.
func normalMixture() *Density {
	m := &blend{5, clusters(stream(6), 200, 5)}
	return &Density{
		Name: "mixture of 5", Params: 3 * m.k, SD: 1, Expression: m.expression,
	}
}

// terms are the log densities of all components at y, of shape (…, 1).
func (m *blend) terms(x, y *autograd.Node) *autograd.Node {
	mu, logSD, logits := x.Slice(0, 0, m.k), x.Slice(0, m.k, 2*m.k), x.Slice(0, 2*m.k, 3*m.k)
	logWeights := logits.Sub(logits.LogSumExp())
	return y.Sub(mu).Div(logSD.Exp()).Square().Scale(-0.5).Sub(logSD).Add(logWeights)
}

func (m *blend) expression(x *autograd.Node) *autograd.Node {
	return m.terms(x,
		constant(x, m.y, len(m.y), 1)).LogSumExp(1).Sum().Add(halfSquare(x).Scale(0.25))
}
