package densities

import (
	"tobac/autograd"
)

// schools is Rubin's meta-analysis of coaching in eight schools,
//
//	y_j ~ N(θ_j, σ_j),  θ_j ~ N(μ, τ),  μ ~ N(0, 5),  τ ~ half-Cauchy(5),
//
// with the parameters μ, ln τ (here with its Jacobian) and θ_j if centred, else
// z_j = (θ_j − μ)/τ.
type schools struct {
	effect, sd []float64
	centred    bool
}

// eightSchools has the data of D. B. Rubin, Estimation in parallel randomized
// experiments, Journal of Educational Statistics 6 (1981).
func eightSchools(centred bool) *Density {
	s := &schools{[]float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18},
		centred}
	name := "eight schools, non-centred"
	if centred {
		name = "eight schools, centred"
	}
	return &Density{
		Name: name, Params: 2 + len(s.sd), SD: 1, Expression: s.expression,
		Spellings: []Spelling{withMean()},
	}
}

// split is μ, τ, one number for each school, and the log prior of μ and τ.
func (s *schools) split(x *autograd.Node) (mu, tau, each, prior *autograd.Node) {
	mu, tau, each = at(x, 0), at(x, 1).Exp(), x.Slice(0, 2, 2+len(s.sd))
	prior = at(x, 1).Sub(tau.Scale(0.2).Square().Log1p()).Sub(mu.Square().Scale(0.02))
	return mu, tau, each, prior
}

func (s *schools) expression(x *autograd.Node) *autograd.Node {
	mu, tau, each, logp := s.split(x)
	theta := each
	if s.centred {
		logp = logp.Add(halfSquare(each.Sub(mu).Div(tau))).Sub(at(x, 1).Scale(float64(len(s.sd))))
	} else {
		theta = mu.Add(tau.Mul(each))
		logp = logp.Add(halfSquare(each))
	}
	return logp.Add(halfSquare(vector(x, s.effect).Sub(theta).Div(vector(x, s.sd))))
}
