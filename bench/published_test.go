package bench_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/density"
	"tobac/sample"
)

// published are models of the first volume of examples of BUGS, which posteriordb has no references
// of, with the means and standard deviations printed there.
var published = []struct {
	name  string
	model func(t *density.Trace)
	data  map[string][]float64
	want  map[string][2]float64
}{
	{"surgical", func(t *density.Trace) {
		mu, sigma := t.Sample("mu", density.Normal(0, 1000)), vague(t, "sigma2").Sqrt()
		b := mu.Add(sigma.Mul(t.Sample("z", density.Normal(0, 1), 12)))
		t.Record("p", b.Sigmoid())
		t.Observe(density.BinomialLogit(t.Data("n", 12), b), t.Data("r", 12))
	}, map[string][]float64{
		"n": {47, 148, 119, 810, 211, 196, 148, 215, 207, 97, 256, 360},
		"r": {0, 18, 8, 46, 8, 13, 9, 31, 14, 8, 29, 24},
	}, map[string][2]float64{"mu": {-2.56, 0.15}, "p[0]": {0.053, 0.020}}},
	{"pumps", func(t *density.Trace) {
		alpha, beta := t.Sample("alpha", density.Exponential(1)),
			t.Sample("beta", density.Gamma(0.1, 1))
		theta := t.Sample("theta", density.Gamma(alpha, beta), 10)
		t.Observe(density.Poisson(theta.Mul(t.Data("t", 10))), t.Data("x", 10))
	}, map[string][]float64{
		"t": {94.3, 15.7, 62.9, 126, 5.24, 31.4, 1.05, 1.05, 2.1, 10.5},
		"x": {5, 1, 5, 14, 3, 19, 1, 1, 4, 22},
	}, map[string][2]float64{"alpha": {0.70, 0.27}, "beta": {0.93, 0.54},
		"theta[0]": {0.0598, 0.025}, "theta[8]": {1.58, 0.76}}},
	{"seeds", func(t *density.Trace) {
		a, sigma := t.Sample("a", density.Normal(0, 1000), 4), vague(t, "sigma2").Sqrt()
		x1, x2, z := t.Data("x1", 21), t.Data("x2", 21), t.Sample("z", density.Normal(0, 1), 21)
		logit := a.Index(0, 0).Add(a.Index(0, 1).Mul(x1)).Add(a.Index(0, 2).Mul(x2)).
			Add(a.Index(0, 3).Mul(x1).Mul(x2)).Add(sigma.Mul(z))
		t.Record("sigma", sigma)
		t.Observe(density.BinomialLogit(t.Data("n", 21), logit), t.Data("r", 21))
	}, map[string][]float64{
		"r":  {10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3},
		"n":  {39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7},
		"x1": {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
		"x2": {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
	}, map[string][2]float64{"a[0]": {-0.55, 0.20}, "a[1]": {0.087, 0.31}, "a[2]": {1.35, 0.27},
		"a[3]": {-0.84, 0.44}, "sigma": {0.27, 0.15}}},
	{"dugongs", func(t *density.Trace) {
		alpha, beta := t.Sample("alpha", density.Normal(0, 1000)),
			t.Sample("beta", density.Normal(0, 1000))
		gamma, sigma := t.Sample("gamma", density.Uniform(0.5, 1)), vague(t, "sigma2").Sqrt()
		t.Record("sigma", sigma)
		mu := alpha.Sub(beta.Mul(t.Data("x", 27).Mul(gamma.Log()).Exp()))
		t.Observe(density.Normal(mu, sigma), t.Data("y", 27))
	}, map[string][]float64{
		"x": {
			1, 1.5, 1.5, 1.5, 2.5, 4, 5, 5, 7, 8, 8.5, 9, 9.5, 9.5, 10, 12, 12, 13, 13, 14.5, 15.5,
			15.5, 16.5, 17,
			22.5, 29, 31.5,
		},
		"y": {
			1.8, 1.85, 1.87, 1.77, 2.02, 2.27, 2.15, 2.26, 2.47, 2.19, 2.26, 2.4, 2.39, 2.41, 2.5,
			2.32, 2.32,
			2.43, 2.47, 2.56, 2.65, 2.47, 2.64, 2.56, 2.7, 2.72, 2.57,
		},
	}, map[string][2]float64{"alpha": {2.65, 0.07}, "beta": {0.97, 0.07}, "gamma": {0.86, 0.03},
		"sigma": {0.099, 0.015}}},
	{"rats", func(t *density.Trace) {
		intercept, slope := t.Sample("intercept", density.Normal(0, 100)),
			t.Sample("slope", density.Normal(0, 100))
		a := t.Sample("a", density.Normal(intercept, vague(t, "a2").Sqrt()), 30, 1)
		b := t.Sample("b", density.Normal(slope, vague(t, "b2").Sqrt()), 30, 1)
		sigma := vague(t, "sigma2").Sqrt()
		t.Record("sigma", sigma)
		t.Record("at birth", intercept.Sub(slope.Scale(22)))
		t.Observe(density.Normal(a.Add(b.Mul(t.Data("day", 5).AddScalar(-22))), sigma),
			t.Data("y", 30, 5))
	}, map[string][]float64{"day": {8, 15, 22, 29, 36}, "y": {
		151, 199, 246, 283, 320, 145, 199, 249, 293, 354, 147, 214, 263, 312, 328, 155, 200, 237,
		272, 297,
		135, 188, 230, 280, 323, 159, 210, 252, 298, 331, 141, 189, 231, 275, 305, 159, 201, 248,
		297, 338,
		177, 236, 285, 350, 376, 134, 182, 220, 260, 296, 160, 208, 261, 313, 352, 143, 188, 220,
		273, 314,
		154, 200, 244, 289, 325, 171, 221, 270, 326, 358, 163, 216, 242, 281, 312, 160, 207, 248,
		288, 324,
		142, 187, 234, 280, 316, 156, 203, 243, 283, 317, 157, 212, 259, 307, 336, 152, 203, 246,
		286, 321,
		154, 205, 253, 298, 334, 139, 190, 225, 267, 302, 146, 191, 229, 272, 302, 157, 211, 250,
		285, 323,
		132, 185, 237, 286, 331, 160, 207, 257, 303, 345, 169, 216, 261, 295, 333, 157, 205, 248,
		289, 316,
		137, 180, 219, 258, 291, 153, 200, 244, 286, 324,
	}}, map[string][2]float64{"at birth": {106.6, 3.66}, "slope": {6.186, 0.108},
		"sigma": {6.09, 0.47}}},
}

// vague declares a variance as the examples have it.
func vague(t *density.Trace, name string) *autograd.Node {
	return t.Sample(name, density.InverseGamma(0.001, 0.001))
}

// Five posteriors with published moments, with the defaults: means within a fifth of the standard
// deviation, and standard deviations within 10 %, which are printed with two digits.
//
//	go test ./bench -run TestPublished -long -v
func TestPublished(t *testing.T) {
	measured(t)
	for _, c := range published {
		fit, err := sample.Run(t.Context(), c.model, c.data, sample.Settings{Seed: 1})
		if err != nil {
			t.Fatal(c.name, err)
		}
		t.Logf("%s\n%s", c.name, fit)
		found := 0
		for _, p := range fit.Summary {
			want, ok := c.want[p.Name]
			if !ok {
				continue
			}
			found++
			if math.Abs(p.Mean-want[0]) > want[1]/5 || math.Abs(p.SD/want[1]-1) > 0.1 {
				t.Errorf("%s, %s: %v ± %v, want %v", c.name, p.Name, p.Mean, p.SD, want)
			}
		}
		if found != len(c.want) {
			t.Errorf("%s: %d of %d numbers", c.name, found, len(c.want))
		}
		fit.Close()
	}
}
