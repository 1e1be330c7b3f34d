package sample_test

import (
	"math"

	"tobac/autograd"
	"tobac/density"
)

// line are y = 1 + 3x with noise of mean 0, and x from −1 to 1.
func line(n int, scale float64) (x, y []float64) {
	x = wave(n, func(u float64) float64 { return 2*u - 1 })
	y = wave(n, func(u float64) float64 { return math.Mod(7*u, 1) - 0.5 })
	for i := range y {
		y[i] = 1 + 3*x[i] + scale*y[i]
	}
	return x, y
}

// A straight line, with errors of Student's t distribution against outliers.
func Example_robust() {
	x, y := line(40, 1)
	y[7], y[20] = 40, -50
	means(func(t *density.Trace) {
		a, b := t.Sample("a", density.Normal(0, 10)), t.Sample("b", density.Normal(0, 10))
		sigma := t.Sample("sigma", density.HalfNormal(2))
		t.Observe(density.StudentsT(a.Add(b.Mul(t.Data("x", 40))), sigma, 3), t.Data("y", 40))
	}, map[string][]float64{"x": x, "y": y}, "a", "b")
	// Output:
	// a 1
	// b 3
}

// Yes or no, by a design matrix of an intercept and two columns.
func Example_logistic() {
	design, y := make([]float64, 300), make([]float64, 100)
	for i, u := range wave(100, func(u float64) float64 { return u }) {
		design[3*i], design[3*i+1], design[3*i+2] = 1, 4*u-2, math.Sin(40*u)
		if 2*(4*u-2)+math.Sin(99*u) > 0 {
			y[i] = 1
		}
	}
	means(func(t *density.Trace) {
		b := t.Sample("b", density.Normal(0, 2), 3)
		t.Observe(density.BernoulliLogit(t.Data("X", 100, 3).MatVec(b)), t.Data("y", 100))
	}, map[string][]float64{"X": design, "y": y}, "b[1]")
	// Output:
	// b[1] 4
}

// Counts in proportion to an exposure.
func Example_poisson() {
	exposure := wave(50, func(u float64) float64 { return 10 + 90*u })
	y := make([]float64, 50)
	for i, e := range exposure {
		y[i] = math.Round(0.05*e) + float64(i%3-1)*math.Floor(e/40)
	}
	means(func(t *density.Trace) {
		rate := t.Sample("rate", density.Gamma(1, 1))
		t.Record("for 1000", rate.Scale(1000))
		t.Observe(density.Poisson(rate.Mul(t.Data("exposure", 50))), t.Data("y", 50))
	}, map[string][]float64{"exposure": exposure, "y": y}, "for 1000")
	// Output:
	// for 1000 52
}

// Counts that spread more than a Poisson distribution.
func Example_negativeBinomial() {
	y := wave(100, func(u float64) float64 { return math.Floor(-10 * math.Log(1-u)) })
	means(func(t *density.Trace) {
		mu, size := t.Sample("mu", density.Gamma(1, 0.1)), t.Sample("size", density.Gamma(2, 0.5))
		t.Observe(density.NegativeBinomial(mu, size), t.Data("y", 100))
	}, map[string][]float64{"y": y}, "mu", "size")
	// Output:
	// mu 9
	// size 1
}

// Parts of a whole, whose mean depends on x (beta regression).
func Example_parts() {
	x, _ := line(60, 0)
	y := wave(60, func(u float64) float64 { return math.Mod(11*u, 1) - 0.5 })
	for i := range y {
		y[i] = 1 / (1 + math.Exp(-2*x[i]-y[i]))
	}
	means(func(t *density.Trace) {
		b := t.Sample("b", density.Normal(0, 5), 2)
		mu := b.Index(0, 0).Add(b.Index(0, 1).Mul(t.Data("x", 60))).Sigmoid()
		precision := t.Sample("precision", density.Gamma(1, 0.01))
		t.Observe(density.Beta(mu.Mul(precision), mu.SubFrom(1).Mul(precision)), t.Data("y", 60))
	}, map[string][]float64{"x": x, "y": y}, "b[1]")
	// Output:
	// b[1] 2
}

// One of three choices, the first as reference (multinomial logit).
func Example_choices() {
	x := wave(90, func(u float64) float64 { return 6*u - 3 })
	y := make([]float64, 90)
	for i := range y {
		y[i] = float64(map[bool]int{true: 2}[x[i] > 1])
		if i%4 == 0 {
			y[i] = 1
		}
	}
	means(func(t *density.Trace) {
		a, b := t.Sample("a", density.Normal(0, 2), 2), t.Sample("b", density.Normal(0, 2), 2)
		logit := a.Add(t.Data("x", 90, 1).Mul(b)).Pad([]int{0, 1}, []int{0, 0})
		t.Observe(density.CategoricalLogit(logit), t.Data("y", 90))
	}, map[string][]float64{"x": x, "y": y}, "b[1]")
	// Output:
	// b[1] 2
}

// Many coefficients, of which few differ from 0.
func Example_horseshoe() {
	design := wave(30*5, func(u float64) float64 { return 4*u - 2 })
	y := wave(30, func(u float64) float64 { return math.Sin(77 * u) })
	for i := range y {
		y[i] += 4*design[5*i+1] - 3*design[5*i+4]
	}
	means(func(t *density.Trace) {
		b := t.Horseshoe("b", t.Sample("tau", density.HalfCauchy(1)), 5)
		t.Record("second and last", b.Take(t.Constant([]float64{1, 4}, 2), 0))
		sigma := t.Sample("sigma", density.HalfNormal(1))
		t.Observe(density.Normal(t.Data("X", 30, 5).MatVec(b), sigma), t.Data("y", 30))
	}, map[string][]float64{"X": design, "y": y}, "second and last[0]", "second and last[1]")
	// Output:
	// second and last[0] 4
	// second and last[1] -3
}

// A covariate that was measured with an error of known size.
func Example_measurementError() {
	x, y := line(50, 1)
	seen := wave(50, func(u float64) float64 { return math.Mod(13*u, 1) - 0.5 })
	for i := range seen {
		seen[i] += x[i]
	}
	means(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 1), 50)
		t.Observe(density.Normal(x, 0.3), t.Data("seen", 50))
		b := t.Sample("b", density.Normal(0, 10), 2)
		mu := b.Index(0, 0).Add(b.Index(0, 1).Mul(x))
		t.Observe(density.Normal(mu, t.Sample("sigma", density.HalfNormal(1))), t.Data("y", 50))
	}, map[string][]float64{"seen": seen, "y": y}, "b[0]", "b[1]")
	// Output:
	// b[0] 1
	// b[1] 3
}

// Values that are missing are parameters.
func Example_missing() {
	seen := wave(30, func(u float64) float64 { return 5 + 2*u })
	means(func(t *density.Trace) {
		mu, sigma := t.Sample("mu", density.Normal(0, 10)), t.Sample("sigma", density.HalfNormal(5))
		all := autograd.Concat(0, t.Data("seen", 30), t.Parameter("missing", density.Real(), 5))
		t.Observe(density.Normal(mu, sigma), all)
	}, map[string][]float64{"seen": seen}, "mu", "sigma", "missing[0]")
	// Output:
	// mu 6
	// sigma 1
	// missing[0] 6
}

// Counts of which zeros were not recorded.
func Example_truncated() {
	y := wave(80, func(u float64) float64 { return 1 + math.Floor(5*u*u) })
	means(func(t *density.Trace) {
		rate := t.Sample("rate", density.Gamma(1, 0.5))
		t.Observe(density.Truncated(density.Poisson(rate), 1, math.Inf(1)), t.Data("y", 80))
	}, map[string][]float64{"y": y}, "rate")
	// Output:
	// rate 2
}
