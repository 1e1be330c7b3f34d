package posteriordb

import (
	"math"

	"tobac/autograd"
	"tobac/density"
)

// grid are the times h, 2h, …, nh.
func grid(h float64, n int) []float64 {
	times := make([]float64, n)
	for i := range times {
		times[i] = h * float64(i+1)
	}
	return times
}

// process are the values of an approximate Gaussian process, a sum of the columns of x.
func process(x, frequencies, sd, length, z node) node {
	wave := length.Mul(frequencies).Square().Scale(-0.25).Exp()
	return x.MatVec(wave.Mul(z).Mul(sd).Mul(length.Scale(math.Sqrt(2 * math.Pi)).Sqrt()))
}

var curves = []Posterior{
	{Name: "eight_schools-eight_schools_noncentered", Model: func(t *density.Trace) {
		y, sigma := t.Data("y", 8), t.Data("sigma", 8)
		z := t.Sample("t", density.Normal(0, 1), 8)
		mu, tau := t.Sample("mu", density.Normal(0, 5)), t.Sample("tau", density.HalfCauchy(5))
		theta := mu.Add(tau.Mul(z))
		t.Record("theta", theta)
		t.Observe(density.Normal(theta, sigma), y)
	}},
	{Name: "low_dim_gauss_mix-low_dim_gauss_mix", Model: func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 2).Ordered(), 2)
		sigma := t.Sample("sigma", density.HalfNormal(2), 2)
		theta := t.Sample("theta", density.Beta(5, 5))
		t.Observe(density.Mixture(
			autograd.Vector(theta, theta.SubFrom(1)),
			density.Normal(mu.Index(0, 0), sigma.Index(0, 0)),
			density.Normal(mu.Index(0, 1), sigma.Index(0, 1)),
		), t.Data("y", 1000))
	}},
	{Name: "gp_pois_regr-gp_pois_regr", Model: func(t *density.Trace) {
		rho := t.Sample("rho", density.Gamma(25, 4))
		alpha := t.Sample("alpha", density.HalfNormal(2))
		z := t.Sample("f_tilde", density.Normal(0, 1), 11)
		k := density.SquaredExponential(t.Data("x", 11), alpha, rho, 1e-10)
		f := k.Cholesky().MatVec(z)
		t.Record("f", f)
		t.Observe(density.PoissonLog(f), t.Data("k", 11))
	}},
	{Name: "gp_pois_regr-gp_regr", Model: func(t *density.Trace) {
		rho := t.Sample("rho", density.Gamma(25, 4))
		alpha := t.Sample("alpha", density.HalfNormal(2))
		sigma := t.Sample("sigma", density.HalfNormal(1))
		k := density.SquaredExponential(t.Data("x", 11), alpha, rho, sigma)
		t.Observe(density.MultivariateNormal(0, k), t.Data("y", 11))
	}},
	{Name: "mcycle_gp-accel_gp", Model: func(t *density.Trace) {
		intercept := t.Sample("Intercept", density.StudentsT(-13, 36, 3))
		sd := t.Sample("sdgp_1", density.HalfStudentsT(36, 3))
		length := t.Sample("lscale_1", density.InverseGamma(1.124909, 0.0177))
		z := t.Sample("zgp_1", density.Normal(0, 1), 40)
		noise := t.Sample("Intercept_sigma", density.StudentsT(0, 10, 3))
		noiseSD := t.Sample("sdgp_sigma_1", density.HalfStudentsT(36, 3))
		noiseLength := t.Sample("lscale_sigma_1", density.InverseGamma(1.124909, 0.0177))
		noiseZ := t.Sample("zgp_sigma_1", density.Normal(0, 1), 20)
		mu := process(t.Data("Xgp_1", 133, 40), t.Data("slambda_1", 40), sd, length, z)
		logs := process(t.Data("Xgp_sigma_1", 133, 20), t.Data("slambda_sigma_1", 20), noiseSD,
			noiseLength, noiseZ)
		t.Observe(density.Normal(intercept.Add(mu), noise.Add(logs).Exp()), t.Data("Y", 133))
	}},
	{Name: "hudson_lynx_hare-lotka_volterra", Modes: true, Model: func(t *density.Trace) {
		rates := density.Normal([]float64{1, .05, 1, .05}, []float64{.5, .05, .5, .05})
		theta := t.Sample("theta", density.Truncated(rates, 0, math.Inf(1)), 4)
		start := t.Sample("z_init", density.LogNormal(math.Log(10), 1), 2)
		sigma := t.Sample("sigma", density.LogNormal(-1, 1), 2)
		rate := func(_ float64, z node) node {
			u, v := z.Index(0, 0), z.Index(0, 1)
			return autograd.Vector(theta.Index(0, 0).Sub(theta.Index(0, 1).Mul(v)).Mul(u),
				theta.Index(0, 3).Mul(u).Sub(theta.Index(0, 2)).Mul(v))
		}
		z := density.RungeKutta(start, 0, grid(1, 20), 8, rate)
		t.Observe(density.LogNormal(start.Log(), sigma), t.Data("y_init", 2))
		t.Observe(density.LogNormal(z.Log(), sigma), t.Data("y", 20, 2))
	}},
	{
		Name:       "one_comp_mm_elim_abs-one_comp_mm_elim_abs",
		LongTailed: []string{"K_m", "V_m"}, // the standard deviation is 3 times the mean
		Model: func(t *density.Trace) {
			ka, km := t.Sample("k_a", density.HalfCauchy(1)), t.Sample("K_m", density.HalfCauchy(1))
			vm := t.Sample("V_m", density.HalfCauchy(1))
			sigma := t.Sample("sigma", density.HalfCauchy(1))
			dose, volume := t.Data("D"), t.Data("V")
			rate := func(at float64, c node) node {
				in := dose.Mul(ka).Div(volume).Mul(ka.Scale(-at).Exp())
				return in.Sub(vm.Div(volume).Mul(c).Div(km.Add(c)))
			}
			c := density.RungeKutta(t.Constant([]float64{0}), 0, grid(0.5, 20), 10, rate)
			t.Observe(density.LogNormal(c.Log(), sigma), t.Data("C_hat", 20))
		},
	},
}
