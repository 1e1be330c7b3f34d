package densities

import (
	"math"

	"tobac/autograd"
)

// chebyshev are the coefficients c of erfc z = t exp(−z² + Σ c_k t^k), t = 1/(1 + z/2),
// for z ≥ 0 with a relative error of 1.2e-7: W. H. Press et al., Numerical Recipes in
// C, 2nd ed., Cambridge 1992, section 6.2.
var chebyshev = [...]float64{
	-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
	1.48851587, -0.82215223, 0.17087277,
}

// probitRegression is of 200 outcomes y = ±1 with the log density ln Φ(y(β_0 + x·β)),
// in which ln Φ is chebyshev's approximation.
func probitRegression() *Density {
	rng := stream(14)
	r := newRegression(rng, 200, 5)
	y := r.predictors(normals(rng, 6, 1))
	for i, eta := range y {
		y[i] = math.Copysign(1, eta+rng.NormFloat64())
	}
	r.data = [][]float64{y}
	r.term = func(_, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		return logNormalCDF(data[0].Mul(predictor))
	}
	return r.density("probit regression", 0)
}

// logNormalCDF is ln Φ(u): below 0 the logarithm of the approximation, above 0 that
// of one minus it.
func logNormalCDF(u *autograd.Node) *autograd.Node {
	z := u.Abs().Scale(math.Sqrt2 / 2)
	t := z.Scale(0.5).AddScalar(1).Inverse()
	last := len(chebyshev) - 1
	polynomial := t.Scale(chebyshev[last])
	for k := last - 1; k > 0; k-- {
		polynomial = polynomial.AddScalar(chebyshev[k]).Mul(t)
	}
	lower := t.Log().Sub(z.Square()).Add(polynomial).AddScalar(chebyshev[0] - math.Ln2)
	return u.Positive().Where(lower.Exp().Neg().Log1p(), lower)
}
