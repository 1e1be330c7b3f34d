package models_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"
	"tobac/models/modeltest"

	"gonum.org/v1/gonum/mat"
)

// integratedCases cover no, one and two hidden layers, every activation, biases or not, noise that
// is given, integrated out and a parameter, and interventions that leave one variable without rows.
func integratedCases(t *testing.T) (x, mask *mat.Dense, all map[string]models.FeedForwardOptions) {
	t.Helper()
	x, mask = noisyTable(11, 9, 4), mat.NewDense(9, 4, nil)
	for i := range 9 {
		mask.Set(i, 2, 1)
	}
	mask.Set(3, 1, 1)
	return x, mask, map[string]models.FeedForwardOptions{
		"published":       {},
		"two layers":      {Hidden: []int{3, 2}, Activation: models.LeakyRelu},
		"no hidden layer": {Hidden: []int{}, ParamVariance: 1.7},
		"no bias": {Hidden: []int{3}, NoBias: true, Activation: models.Tanh,
			ParamVariance: 0.4},
		"neither": {Hidden: []int{}, NoBias: true},
		"own variances": {NoiseVariances: models.OwnVariances, Activation: models.Sigmoid,
			Hidden: []int{2}},
		"variances given": {NoiseVariance: 0.6, Hidden: []int{9}},
		"variances beside": {NoiseVariances: models.VarianceParameters, Hidden: []int{2},
			Activation: models.Tanh},
	}
}

func TestIntegratedNetworkContract(t *testing.T) {
	x, mask, all := integratedCases(t)
	for name, opt := range all {
		t.Run(name, func(t *testing.T) {
			lik := must.Get(models.NewIntegrated(x, mask, opt))(t)
			if err := modeltest.Likelihood(lik, 3); err != nil {
				t.Error(err)
			}
		})
	}
}

// The evidence is the density of an n-dimensional normal distribution with the covariance σ²I +
// σ_p²(ΦΦᵀ + 1), and its gradient by the activations (r μᵀ − ΦΣ)/σ² in closed form: through the
// first layer's weights for a hidden layer that is linear, as tanh is not, so that the chain rule
// is written out.
func TestIntegratedNetworkClosedForm(t *testing.T) {
	const n, d, h, sp, s2 = 7, 3, 4, 0.8, 0.3
	rng := newRand(5)
	x := mat.NewDense(n, d, normals(rng, n*d))
	lik := must.Get(models.NewIntegrated(x, nil, models.FeedForwardOptions{Hidden: []int{h},
		Activation: models.Tanh, NoiseVariance: s2, ParamVariance: sp}))(t)
	theta, g := normals(rng, lik.ParamLen()), uniforms(rng, d*d)
	b := autograd.NewBuilder("evidence")
	gn, tn := b.Input("g", autograd.Shape{d, d}), b.Input("theta", autograd.Shape{len(theta)})
	_, data := lik.Terms(gn, tn)
	got := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{g, theta}, data,
		b.Grad(data.Sum(), tn)[0])
	gradient := make([]float64, len(theta))
	for j := range d {
		w1 := func(i, a int) *float64 { return &theta[(j*d+i)*h+a] }
		bias := func(a int) int { return d*d*h + j*h + a }
		phi := mat.NewDense(n, h+1, nil)
		for r := range n {
			phi.Set(r, h, 1)
			for a := range h {
				pre := theta[bias(a)]
				for i := range d {
					pre += g[i*d+j] * x.At(r, i) * *w1(i, a)
				}
				phi.Set(r, a, math.Tanh(pre))
			}
		}
		var cov mat.SymDense
		cov.SymOuterK(sp, phi)
		for r := range n {
			cov.SetSym(r, r, cov.At(r, r)+s2)
		}
		var chol mat.Cholesky
		if !chol.Factorize(&cov) {
			t.Fatal("no covariance")
		}
		y := mat.NewVecDense(n, mat.Col(nil, j, x))
		var solved mat.VecDense
		must.Do(t, chol.SolveVecTo(&solved, y))
		want := -0.5 * (n*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(y, &solved))
		if !(math.Abs(got[0][j]-want) <= 1e-11*math.Abs(want)) {
			t.Errorf("variable %d: evidence %v, want %v", j, got[0][j], want)
		}
		// ∂/∂Φ = (r μᵀ − ΦΣ)/σ² with the posterior N(μ, Σ) of the weights.
		var precision mat.SymDense
		precision.SymOuterK(1/s2, phi.T())
		for a := range h + 1 {
			precision.SetSym(a, a, precision.At(a, a)+1/sp)
		}
		var sigma mat.Dense
		must.Do(t, sigma.Inverse(&precision))
		var mu, residual mat.VecDense
		mu.MulVec(phi.T(), y)
		mu.MulVec(&sigma, &mu)
		mu.ScaleVec(1/s2, &mu)
		residual.MulVec(phi, &mu)
		residual.SubVec(y, &residual)
		var dphi, second mat.Dense
		dphi.Outer(1/s2, &residual, &mu)
		second.Mul(phi, &sigma)
		second.Scale(1/s2, &second)
		dphi.Sub(&dphi, &second)
		for a := range h {
			for r := range n {
				v := dphi.At(r, a) * (1 - phi.At(r, a)*phi.At(r, a))
				gradient[bias(a)] += v
				for i := range d {
					gradient[(j*d+i)*h+a] += v * g[i*d+j] * x.At(r, i)
				}
			}
		}
	}
	check(t, "gradient", got[1], gradient, 1e-11)
}

// The sum over noise variances is the integral of the evidence, that of variances as parameters,
// under their prior, to 2 per cent of a factor.
func TestIntegratedNetworkVariances(t *testing.T) {
	const n, d = 40, 3
	x := noisyTable(7, n, d)
	opt := models.FeedForwardOptions{NoiseVariances: models.OwnVariances, NoiseVariance: 0.2,
		Hidden: []int{2}}
	own := must.Get(models.NewIntegrated(x, nil, opt))(t)
	opt.NoiseVariances = models.VarianceParameters
	explicit := must.Get(models.NewIntegrated(x, nil, opt))(t)
	rng := newRand(8)
	g, theta := []float64{0, 1, 1, 0, 0, 1, 0, 0, 0}, normals(rng, own.ParamLen())
	const points, low, high = 2000, -9.0, 3.0
	b := autograd.NewBuilder("integral")
	axis := b.Axis("variance", points)
	gn, tn := b.Input("g", autograd.Shape{d, d}), b.Input("theta", autograd.Shape{len(theta)})
	logs := b.Input("logs", autograd.Shape{1}, axis)
	_, want := own.Terms(gn, tn)
	prior, data := explicit.Terms(gn, autograd.Concat(0, tn, logs.Expand(autograd.Shape{d})))
	grid := make([]float64, points)
	for k := range grid {
		grid[k] = low + (high-low)*(float64(k)+0.5)/points
	}
	hidden, _ := own.Terms(gn, tn) // the prior of the parameters that both have
	integral := prior.Sub(hidden).Add(data).LogSumExpOver(axis).AddScalar(
		math.Log((high - low) / points))
	out := evaluate(t, []*autograd.Node{gn, tn, logs}, [][]float64{g, theta, grid}, integral, want)
	for j := range d {
		if !(math.Abs(out[0][j]-out[1][j]) <= 0.02) {
			t.Errorf("variable %d: got %v, want %v", j, out[1][j], out[0][j])
		}
	}
}
