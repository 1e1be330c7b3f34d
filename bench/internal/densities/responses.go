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
	return r.density("Student-t regression", 2)
}

// betaRegression is of proportions with the mean σ(β_0 + x·β) and the precision φ, a
// parameter by its logarithm. 100 rows.
func betaRegression() *Density {
	rng := stream(12)
	r := newRegression(rng, 100, 3)
	logY, logRest := r.predictors([]float64{0.2, 0.5, -0.5, 0.3}), make([]float64, r.n)
	for i, eta := range logY {
		p := sigmoid(eta + 0.5*rng.NormFloat64())
		logY[i], logRest[i] = math.Log(p), math.Log1p(-p)
	}
	r.data = [][]float64{logY, logRest}
	r.term = func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node {
		phi := at(x, 4).Exp()
		a, b := predictor.Sigmoid().Mul(phi), predictor.Neg().Sigmoid().Mul(phi)
		constant := phi.LogGamma().Sub(a.LogGamma()).Sub(b.LogGamma())
		return constant.Add(a.AddScalar(-1).Mul(data[0])).Add(b.AddScalar(-1).Mul(data[1]))
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
	return r.density("Weibull survival", 1)
}
