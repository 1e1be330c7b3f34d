package densities

import (
	"tobac/autograd"
)

// A hierarchy is a logistic regression with an intercept for every group,
//
//	y_gr ~ Bernoulli(σ(α_g + x_gr·β)),  α_g ~ N(μ, τ),
//	μ ~ N(0, 2),  ln τ ~ N(0, 1),  β ~ N(0, 1).
//
// The parameters are μ, ln τ, β, α.
type hierarchy struct {
	groups, rows, p int // rows of each group
	x, y            []float64
}

// hierarchicalLogit has 50 groups of 8 rows and 3 regressors.
func hierarchicalLogit() *Density {
	h := &hierarchy{groups: 50, rows: 8, p: 3}
	rng := stream(1)
	h.x = normals(rng, h.groups*h.rows*h.p, 1)
	h.y = make([]float64, h.groups*h.rows)
	truth, intercepts := normals(rng, h.p, 1), normals(rng, h.groups, 0.7)
	for i := range h.y {
		eta := intercepts[i/h.rows]
		for k, v := range truth {
			eta += v * h.x[i*h.p+k]
		}
		if rng.Float64() < sigmoid(eta) {
			h.y[i] = 1
		}
	}
	return &Density{
		Name: "hierarchical logit", Params: 2 + h.p + h.groups, SD: 0.5,
		Expression: h.expression,
	}
}

func (h *hierarchy) expression(x *autograd.Node) *autograd.Node {
	mu, logTau := at(x, 0), at(x, 1)
	beta, alpha := x.Slice(0, 2, 2+h.p), x.Slice(0, 2+h.p, 2+h.p+h.groups)
	prior := halfSquare(alpha.Sub(mu).Div(logTau.Exp())).Sub(logTau.Scale(float64(h.groups)))
	prior = prior.Sub(mu.Square().Scale(0.125)).Sub(logTau.Square().Scale(0.5)).Add(
		halfSquare(beta))
	n := h.groups * h.rows
	group := make([]int, n)
	for i := range group {
		group[i] = i / h.rows
	}
	eta := constant(x, h.x, n, h.p).MatVec(beta).Add(alpha.Gather(group, autograd.Shape{n}))
	return prior.Add(vector(x, h.y).Mul(eta).Sub(eta.Softplus()).Sum())
}
