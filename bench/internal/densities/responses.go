package densities

import (
	"math"

	"tobac/autograd"
)

// studentRegression has errors of Student's t distribution, whose scale σ and
// degrees of freedom ν are parameters by their logarithms. 200 rows.
func studentRegression() *Density {
	rng := stream(10)
	r := newRegression(rng, 200, 5)
	y := r.predictors(normals(rng, 6, 1))
	for i := range y {
		y[i] += 0.5 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64())
	}
	r.data = [][]float64{y}
	r.term = func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		logScale, logNu := at(x, 6), at(x, 7)
		nu := logNu.Exp()
		half := nu.AddScalar(1).Scale(0.5)
		z := data[0].Sub(predictor).Div(logScale.Exp())
		scale := half.LogGamma().Sub(nu.Scale(0.5).LogGamma()).Sub(logNu.Scale(0.5)).Sub(logScale)
		return scale.Sub(half.Mul(z.Square().Div(nu).Log1p()))
	}
	r.byHand = func(r *regression, grad, x []float64) float64 {
		y, n := r.data[0], float64(r.n)
		inverse, nu := math.Exp(-x[6]), math.Exp(x[7])
		half := 0.5 * (nu + 1)
		above, _ := math.Lgamma(half)
		below, _ := math.Lgamma(0.5 * nu)
		var byScale, byNu float64
		sum := r.sweep(grad, x, func(i int, predictor float64) (value, slope float64) {
			z := (y[i] - predictor) * inverse
			q := z * z / nu
			l := math.Log1p(q)
			w := half / (1 + q) // −∂value/∂q
			byScale += 2 * w * q
			byNu += w*q - 0.5*nu*l
			return -half * l, 2 * w * z / nu * inverse
		})
		grad[6] += byScale - n
		grad[7] += byNu + n*(0.5*nu*(digamma(half)-digamma(0.5*nu))-0.5)
		return sum + n*(above-below-0.5*x[7]-x[6])
	}
	return r.density("Student-t regression", 2)
}

// negativeBinomial is a regression of counts with the mean exp(β_0 + x·β) and the
// dispersion φ, a parameter by its logarithm. 200 rows.
func negativeBinomial() *Density {
	rng := stream(11)
	r := newRegression(rng, 200, 4)
	y := r.predictors([]float64{1, 0.5, -0.5, 0.3, 0})
	for i, eta := range y {
		y[i] = math.Floor(math.Exp(eta) * (0.3 + rng.ExpFloat64()))
	}
	r.data = [][]float64{y}
	r.term = func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		logPhi, y := at(x, 5), data[0]
		phi := logPhi.Exp()
		logOdds := predictor.Sub(logPhi)
		coefficient := y.Add(phi).LogGamma().Sub(phi.LogGamma())
		return coefficient.Add(y.Mul(logOdds)).Sub(y.Add(phi).Mul(logOdds.Softplus()))
	}
	r.byHand = func(r *regression, grad, x []float64) float64 {
		y, n, phi := r.data[0], float64(r.n), math.Exp(x[5])
		first, _ := math.Lgamma(phi)
		byPhi, byLogPhi := 0.0, 0.0
		sum := r.sweep(grad, x, func(i int, predictor float64) (value, slope float64) {
			logOdds, total := predictor-x[5], y[i]+phi
			s, p := softplus(logOdds)
			coefficient, _ := math.Lgamma(total)
			slope = y[i] - total*p
			byPhi += digamma(total) - s
			byLogPhi -= slope
			return coefficient + y[i]*logOdds - total*s, slope
		})
		grad[5] += phi*(byPhi-n*digamma(phi)) + byLogPhi
		return sum - n*first
	}
	return r.density("negative binomial regression", 1)
}

// betaRegression is of proportions with the mean σ(β_0 + x·β) and the precision φ, a
// parameter by its logarithm. 100 rows.
func betaRegression() *Density {
	rng := stream(12)
	r := newRegression(rng, 100, 3)
	logY, logRest := r.predictors([]float64{0.2, 0.5, -0.5, 0.3}), make([]float64, r.n)
	for i, eta := range logY {
		positive, _ := softplus(eta + 0.5*rng.NormFloat64())
		logY[i], logRest[i] = math.Log(-math.Expm1(-positive)), -positive
	}
	r.data = [][]float64{logY, logRest}
	r.term = func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		phi := at(x, 4).Exp()
		a, b := predictor.Sigmoid().Mul(phi), predictor.Neg().Sigmoid().Mul(phi)
		constant := phi.LogGamma().Sub(a.LogGamma()).Sub(b.LogGamma())
		return constant.Add(a.AddScalar(-1).Mul(data[0])).Add(b.AddScalar(-1).Mul(data[1]))
	}
	r.byHand = func(r *regression, grad, x []float64) float64 {
		logY, logRest, n, phi := r.data[0], r.data[1], float64(r.n), math.Exp(x[4])
		whole, _ := math.Lgamma(phi)
		byPhi := 0.0
		sum := r.sweep(grad, x, func(i int, predictor float64) (value, slope float64) {
			_, mean := softplus(predictor)
			_, rest := softplus(-predictor)
			a, b := mean*phi, rest*phi
			first, _ := math.Lgamma(a)
			second, _ := math.Lgamma(b)
			byA, byB := logY[i]-digamma(a), logRest[i]-digamma(b)
			byPhi += byA*mean + byB*rest
			return (a-1)*logY[i] + (b-1)*logRest[i] - first - second, (byA - byB) * phi * mean * rest
		})
		grad[4] += phi * (byPhi + n*digamma(phi))
		return sum + n*whole
	}
	return r.density("beta regression", 1)
}

// weibullSurvival is a regression of log times with the shape k, a parameter by its
// logarithm; a third of 100 times are censored.
func weibullSurvival() *Density {
	rng := stream(13)
	r := newRegression(rng, 100, 3)
	logTime, event := r.predictors([]float64{0.5, 0.5, -0.5, 0.3}), make([]float64, r.n)
	for i := range logTime {
		logTime[i] += math.Log(rng.ExpFloat64()) / 1.5
		if rng.IntN(3) > 0 {
			event[i] = 1
		} else {
			logTime[i] -= 0.3
		}
	}
	r.data = [][]float64{logTime, event}
	r.term = func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		logShape := at(x, 4)
		z := data[0].Sub(predictor).Mul(logShape.Exp())
		return data[1].Mul(z.Add(logShape)).Sub(z.Exp())
	}
	r.byHand = func(r *regression, grad, x []float64) float64 {
		logTime, event, shape := r.data[0], r.data[1], math.Exp(x[4])
		byLogShape := 0.0
		sum := r.sweep(grad, x, func(i int, predictor float64) (value, slope float64) {
			z := (logTime[i] - predictor) * shape
			hazard := math.Exp(z)
			excess := event[i] - hazard
			byLogShape += event[i] + excess*z
			return event[i]*(z+x[4]) - hazard, -excess * shape
		})
		grad[4] += byLogShape
		return sum
	}
	return r.density("Weibull survival", 1)
}
