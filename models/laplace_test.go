package models_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// kinkedCases are networks with one hidden layer of every activation; data and parameters are small
// whole numbers, so that the argument of a rectifier is often exactly 0. Variable 2 has no rows.
func kinkedCases() (x, mask *mat.Dense, all map[string]models.FeedForwardOptions) {
	x, mask = mat.NewDense(6, 4, nil), mat.NewDense(6, 4, nil)
	rng := newRand(4)
	x.Apply(func(int, int, float64) float64 { return float64(rng.IntN(5) - 2) }, x)
	for i := range 6 {
		mask.Set(i, 2, 1)
	}
	mask.Set(3, 1, 1)
	return x, mask, map[string]models.FeedForwardOptions{
		"relu": {Hidden: []int{2}, NoiseVariance: 0.4},
		"leaky relu": {Hidden: []int{2}, NoiseVariance: 0.7, Activation: models.LeakyRelu,
			ParamVariance: 1.8},
		"tanh": {Hidden: []int{1}, NoiseVariances: models.VarianceParameters,
			Activation: models.Tanh, ParamVariance: 0.3},
		"sigmoid": {Hidden: []int{2}, NoiseVariances: models.OwnVariances,
			Activation: models.Sigmoid, ParamVariance: 0.6},
		"no bias": {Hidden: []int{2}, NoiseVariances: models.OwnVariances,
			Activation: models.LeakyRelu, NoBias: true},
	}
}

// hiddenParameters are whole numbers, but for variances.
func hiddenParameters(lik models.IntegratedNetwork, opt models.FeedForwardOptions,
	d int) []float64 {
	rng, theta := newRand(9), make([]float64, lik.ParamLen())
	for k := range theta {
		theta[k] = float64(rng.IntN(3) - 1)
	}
	if opt.NoiseVariances == models.VarianceParameters {
		for k := range d {
			theta[len(theta)-1-k] *= 0.3
		}
	}
	return theta
}

// Terms and gradients of a flipper are those of the expression, at kinks of the activation too.
func TestFlippersAtKinks(t *testing.T) {
	x, mask, all := kinkedCases()
	const d = 4
	for name, opt := range all {
		t.Run(name, func(t *testing.T) {
			lik := must.Get(models.NewIntegrated(x, mask, opt))(t)
			theta := hiddenParameters(lik, opt, d)
			b := autograd.NewBuilder("terms")
			gn, tn := b.Input("g", autograd.Shape{d, d}),
				b.Input("theta", autograd.Shape{len(theta)})
			prior, data := lik.Terms(gn, tn)
			const beta, weight = 0.3, 0.7
			g := []float64{0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}
			want := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{g, theta}, prior, data,
				b.Grad(prior.Add(data.Scale(beta)).Sum().Scale(weight), tn)[0])
			f := lik.Flipper()
			f.Set(theta)
			gradient := make([]float64, len(theta))
			for j := range d {
				in := make([]bool, d)
				for i := range d {
					in[i] = g[i*d+j] == 1
				}
				terms := make([]models.Term, 1)
				f.Terms(terms, j, in, nil)
				check(t, "terms", []float64{terms[0].Prior, terms[0].Data},
					[]float64{want[0][j], want[1][j]}, 1e-10)
				f.AddGradient(gradient, j, in, weight, beta)
			}
			check(t, "gradient", gradient, want[2], 1e-10)
		})
	}
}

// The volume of an edge is ½ ln |2πH⁻¹| of its weights, for the Hessian H of −ln p of these weights
// and the output layer, the latter integrated out: at data that the network fits exactly Gauss and
// Newton's curvature is the Hessian. Adding the edge adds its volume.
func TestLaplaceVolumes(t *testing.T) {
	x, mask, all := kinkedCases()
	for name, opt := range all {
		t.Run(name, func(t *testing.T) {
			lik := must.Get(models.NewIntegrated(x, mask, opt))(t)
			if opt.ParamVariance == 0 {
				opt.ParamVariance = 1
			}
			e := edges{lik, opt, x, mask, hiddenParameters(lik, opt, 4)}
			f := lik.Flipper()
			f.Set(e.theta)
			for j, parents := range map[int][]int{1: {0}, 2: {0, 1}, 3: {0, 1}} {
				in, sum := make([]bool, 4), 0.0
				for _, i := range parents {
					in[i] = true
					sum += e.volume(t, i, j, parents)
				}
				with, without := make([]models.Term, 2), make([]models.Term, 2)
				f.Terms(with, j, in, []int{0})
				in[0] = false
				f.Terms(without, j, in, []int{0})
				first := e.volume(t, 0, j, parents)
				check(t, "volumes", []float64{with[0].Volume, with[0].Volume - with[1].Volume,
					without[1].Volume - without[0].Volume}, []float64{sum, first, first}, 1e-8)
			}
		})
	}
}

// edges are those of a network with one hidden layer.
type edges struct {
	lik     models.IntegratedNetwork
	opt     models.FeedForwardOptions
	x, mask *mat.Dense
	theta   []float64
}

// weight is that of the edge i → j and unit a.
func (e edges) weight(i, j, a int) float64 {
	_, d := e.x.Dims()
	return e.theta[(j*d+i)*e.opt.Hidden[0]+a]
}

// volume is that of the edge i → j given all parents, from its definition.
func (e edges) volume(t *testing.T, i, j int, parents []int) float64 {
	t.Helper()
	n, d := e.x.Dims()
	h, sp := e.opt.Hidden[0], e.opt.ParamVariance
	var rows []int
	for r := range n {
		if e.mask.At(r, j) == 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return 0.5 * float64(h) * math.Log(2*math.Pi*sp)
	}
	n = len(rows)
	features := h
	if !e.opt.NoBias {
		features++
	}
	// The mean of x_j as a function of the output layer v ~ N(0, I), times σ_p, and the weights w
	// of the edge.
	b := autograd.NewBuilder("mean")
	vw := b.Input("vw", autograd.Shape{features + h})
	column, others := make([]float64, n), make([]float64, n*h)
	for k, r := range rows {
		column[k] = e.x.At(r, i)
		for a := range h {
			if !e.opt.NoBias {
				others[k*h+a] = e.theta[d*d*h+j*h+a]
			}
			for _, p := range parents {
				if p != i {
					others[k*h+a] += e.weight(p, j, a) * e.x.At(r, p)
				}
			}
		}
	}
	pre := b.Constant(column, autograd.Shape{n, 1}).MatMul(vw.Slice(0, features,
		features+h).Reshape(autograd.Shape{1, h})).Add(b.Constant(others, autograd.Shape{n, h}))
	units := pre.Relu()
	switch e.opt.Activation {
	case models.Tanh:
		units = pre.Tanh()
	case models.Sigmoid:
		units = pre.Sigmoid()
	case models.LeakyRelu:
		units = pre.LeakyRelu(0.01)
	}
	phi := units.Scale(math.Sqrt(sp))
	if !e.opt.NoBias {
		ones := make([]float64, n)
		for k := range ones {
			ones[k] = math.Sqrt(sp)
		}
		phi = autograd.Concat(1, phi, b.Constant(ones, autograd.Shape{n, 1}))
	}
	mean := phi.MatMul(vw.Slice(0, 0, features).Reshape(autograd.Shape{features, 1})).Reshape(
		autograd.Shape{n})
	at := make([]float64, features+h)
	for a := range h {
		at[features+a] = e.weight(i, j, a)
	}
	design := mat.NewDense(n, features, evaluate(t, []*autograd.Node{vw}, [][]float64{at}, phi)[0])
	y := mat.NewVecDense(n, nil)
	for k, r := range rows {
		y.SetVec(k, e.x.At(r, j))
	}
	// The variance of the largest evidence, and the output layer's posterior mean.
	variances, logs := e.lik.NoisePoints(j)
	if e.opt.NoiseVariances == models.VarianceParameters {
		variances, logs = []float64{math.Exp(e.theta[len(e.theta)-d+j])}, []float64{0}
	}
	best, variance := math.Inf(-1), 0.0
	for q, v := range variances {
		var cov mat.SymDense
		cov.SymOuterK(1, design)
		for r := range n {
			cov.SetSym(r, r, cov.At(r, r)+v)
		}
		var chol mat.Cholesky
		var solved mat.VecDense
		if !chol.Factorize(&cov) || chol.SolveVecTo(&solved, y) != nil {
			t.Fatal("no covariance")
		}
		if l := logs[q] - 0.5*(float64(n)*math.Log(2*math.Pi)+chol.LogDet()+
			mat.Dot(y, &solved)); l > best {
			best, variance = l, v
		}
	}
	var precision mat.SymDense
	precision.SymOuterK(1/variance, design.T())
	for a := range features {
		precision.SetSym(a, a, precision.At(a, a)+1)
	}
	var mu mat.VecDense
	mu.MulVec(design.T(), y)
	must.Do(t, mu.SolveVec(&precision, &mu))
	for a := range features {
		at[a] = mu.AtVec(a) / variance
	}
	fitted := evaluate(t, []*autograd.Node{vw}, [][]float64{at}, mean)[0]
	inverse := make([]float64, features+h)
	for a := range inverse {
		if inverse[a] = 1; a >= features {
			inverse[a] = 1 / sp
		}
	}
	energy := mean.Sub(b.Constant(fitted, autograd.Shape{n})).Square().Sum().Scale(
		0.5 / variance).Add(
		vw.Square().Mul(b.Constant(inverse, autograd.Shape{features + h})).Sum().Scale(0.5))
	hessian := mat.NewDense(features+h, features+h,
		evaluate(t, []*autograd.Node{vw}, [][]float64{at}, b.Hessian(energy, vw))[0])
	whole, _ := mat.LogDet(hessian)
	output, _ := mat.LogDet(hessian.Slice(0, features, 0, features))
	return 0.5 * (float64(h)*math.Log(2*math.Pi) - (whole - output))
}
