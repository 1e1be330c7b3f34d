package sample_test

import (
	"context"
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/density"
	"tobac/sample"

	"gonum.org/v1/gonum/stat"
)

// means samples a model in four short chains, and prints the posterior means of some numbers.
func means(model func(t *density.Trace), data map[string][]float64, names ...string) {
	short := sample.Settings{Seed: 1, WarmUp: 200, Draws: 200}
	fit, err := sample.Run(context.Background(), model, data, short)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fit.Close()
	for _, name := range names {
		fmt.Printf("%s %.0f\n", name, stat.Mean(fit.Of(name), nil))
	}
}

// wave are n numbers that look random.
func wave(n int, f func(u float64) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		_, u := math.Modf(float64(i+1) * math.Phi)
		out[i] = f(u)
	}
	return out
}

// Regression whose response is cut at 0 and 10 (Tobit): data at a bound count with the
// probability of what lies beyond.
func Example_censored() {
	x := wave(80, func(u float64) float64 { return 4 * u })
	y := wave(
		80,
		func(u float64) float64 { return math.Min(math.Max(20*u-5+math.Sin(99*u), 0), 10) },
	)
	means(func(t *density.Trace) {
		b := t.Sample("b", density.Normal(0, 10), 2)
		mu := t.Data("x", 80).Mul(b.Index(0, 1)).Add(b.Index(0, 0))
		t.Observe(
			density.Censored(density.Normal(mu, t.Sample("sigma", density.HalfNormal(2))), 0, 10),
			t.Data("y", 80),
		)
	}, map[string][]float64{"x": x, "y": y}, "b[0]", "b[1]")
	// Output:
	// b[0] -5
	// b[1] 5
}

// Counts with more zeros than a Poisson distribution has.
func Example_zeroInflated() {
	y := wave(100, func(u float64) float64 { return math.Max(0, math.Floor(12*u-3)) })
	means(func(t *density.Trace) {
		zero, rate := t.Sample("zero", density.Beta(1, 1)), t.Sample("rate", density.Gamma(2, 0.5))
		t.Record("percent", zero.Scale(100))
		t.Observe(density.ZeroInflated(zero, density.Poisson(rate)), t.Data("y", 100))
	}, map[string][]float64{"y": y}, "zero", "rate")
	// Output:
	// zero 0
	// rate 4
}

// Answers on an ordered scale of four, by ordered cutpoints.
func Example_orderedLogistic() {
	x := wave(120, func(u float64) float64 { return 6*u - 3 })
	y := wave(120, func(u float64) float64 { return math.Floor(math.Min(4*u, 3.9)) })
	means(func(t *density.Trace) {
		slope := t.Sample("slope", density.Normal(0, 2))
		cut := t.Sample("cut", density.Normal(0, 10).Ordered(), 3)
		t.Observe(density.OrderedLogistic(t.Data("x", 120).Mul(slope), cut), t.Data("y", 120))
	}, map[string][]float64{"x": x, "y": y}, "slope")
	// Output:
	// slope 7
}

// A mixture of two normal distributions with ordered means.
func Example_mixture() {
	y := wave(
		120,
		func(u float64) float64 { return map[bool]float64{true: 1.2 + u, false: u - 1.3}[u > 0.7] },
	)
	means(func(t *density.Trace) {
		w, mu := t.Sample("w", density.Dirichlet([]float64{2, 2}), 2), t.Sample(
			"mu",
			density.Normal(0, 3).Ordered(),
			2,
		)
		sigma := t.Sample("sigma", density.HalfNormal(1))
		t.Observe(
			density.Mixture(
				w,
				density.Normal(mu.Index(0, 0), sigma),
				density.Normal(mu.Index(0, 1), sigma),
			),
			t.Data("y", 120),
		)
	}, map[string][]float64{"y": y}, "w[0]", "w[1]", "mu[0]", "mu[1]")
	// Output:
	// w[0] 1
	// w[1] 0
	// mu[0] -1
	// mu[1] 2
}

// A correlation matrix and scales, by the Cholesky factor of the matrix.
func Example_correlation() {
	a, b := wave(
		60,
		func(u float64) float64 { return math.Sin(50 * u) },
	), wave(
		60,
		func(u float64) float64 { return math.Sin(50*u) + math.Cos(31*u) },
	)
	rows := make([]float64, 120)
	for i := range 60 {
		rows[2*i], rows[2*i+1] = 100*a[i], 100*b[i]
	}
	means(func(t *density.Trace) {
		l := t.Sample("l", density.LKJCholesky(2, 1), 2, 2)
		scale := t.Sample("scale", density.HalfNormal(200), 2)
		t.Observe(
			density.MultivariateNormalCholesky(0, l.Mul(scale.Reshape(autograd.Shape{2, 1}))),
			t.Data("y", 60, 2),
		)
	}, map[string][]float64{"y": rows}, "l[0,0]", "l[0,1]")
	// Output:
	// l[0,0] 1
	// l[0,1] 0
}

// Groups with intercepts of their own, around a common mean.
func Example_hierarchical() {
	y := wave(60, func(u float64) float64 { return 20*u - 10 })
	group := make([]float64, 60)
	for i := range group {
		group[i] = float64(i % 6)
		y[i] += 100 + 4*group[i]
	}
	means(func(t *density.Trace) {
		mu, tau := t.Sample("mu", density.Normal(100, 100)), t.Sample("tau", density.HalfCauchy(10))
		alpha := t.Sample("alpha", density.Normal(mu, tau), 6)
		t.Observe(
			density.Normal(
				alpha.Take(t.Data("group", 60), 0),
				t.Sample("sigma", density.HalfNormal(10)),
			),
			t.Data("y", 60),
		)
	}, map[string][]float64{"group": group, "y": y}, "mu")
	// Output:
	// mu 110
}

// A curve as a Gaussian process, integrated out.
func Example_gaussianProcess() {
	x := wave(15, func(u float64) float64 { return 10 * u })
	y := wave(15, func(u float64) float64 { return 3 * math.Sin(10*u) })
	means(func(t *density.Trace) {
		length, amplitude := t.Sample("length", density.InverseGamma(5, 10)), t.Sample(
			"amplitude",
			density.HalfNormal(5),
		)
		noise := t.Sample("noise", density.HalfNormal(1))
		t.Observe(
			density.MultivariateNormal(
				0,
				density.Matern52(t.Data("x", 15), amplitude, length, noise.Square()),
			),
			t.Data("y", 15),
		)
	}, map[string][]float64{"x": x, "y": y}, "length")
	// Output:
	// length 3
}

// Directions with a common mean.
func Example_directions() {
	y := wave(80, func(u float64) float64 { return 2 + 0.8*(u-0.5) })
	means(func(t *density.Trace) {
		t.Observe(
			density.VonMises(
				t.Sample("mu", density.VonMises(0, 0.1)),
				t.Sample("kappa", density.Gamma(2, 0.2)),
			),
			t.Data("y", 80),
		)
	}, map[string][]float64{"y": y}, "mu")
	// Output:
	// mu 2
}

// A hidden Markov model of two states that stay for a while.
func Example_hiddenMarkov() {
	y := wave(60, func(u float64) float64 { return u + 0.5 })
	for i := range y {
		y[i] += float64(8 * (i / 10 % 2))
	}
	means(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 10).Ordered(), 2)
		stay := t.Sample("stay", density.Beta(2, 2))
		leave := stay.SubFrom(1)
		next := autograd.Vector(stay, leave, leave, stay).Reshape(autograd.Shape{2, 2})
		first := t.Constant([]float64{0.5, 0.5}, 2)
		y := t.Data("y", 60).Reshape(autograd.Shape{60, 1})
		t.Add(density.HiddenMarkov(first.Log(), next.Log(), density.Normal(mu, 1).LogProb(y)))
	}, map[string][]float64{"y": y}, "mu[0]", "mu[1]")
	// Output:
	// mu[0] 1
	// mu[1] 9
}

// Survival times, of which the long ones are known only to be longer than 4.
func Example_survival() {
	x := wave(80, func(u float64) float64 { return 2*u - 1 })
	times, died := make([]float64, 80), make([]float64, 80)
	for i, u := range wave(80, func(u float64) float64 { return math.Mod(17*u+0.3, 1) }) {
		times[i] = math.Exp(1+x[i]) * math.Sqrt(-math.Log(u))
		died[i] = 1
		if times[i] > 4 {
			times[i], died[i] = 4, 0
		}
	}
	means(func(t *density.Trace) {
		b := t.Sample("b", density.Normal(0, 5), 2)
		scale := t.Data("x", 80).Mul(b.Index(0, 1)).Add(b.Index(0, 0)).Exp()
		d := density.Weibull(t.Sample("shape", density.Gamma(2, 1)), scale)
		y, event := t.Data("time", 80), t.Data("died", 80)
		t.Add(event.Where(d.LogProb(y), d.LogSurvival(y)))
	}, map[string][]float64{"x": x, "time": times, "died": died}, "b[0]", "b[1]", "shape")
	// Output:
	// b[0] 1
	// b[1] 1
	// shape 2
}

// Animals that may be there without being caught, on each of four days: whether one is, is summed
// out.
func Example_captureRecapture() {
	caught := wave(50*4, func(u float64) float64 { return math.Floor(u + 0.4) })
	for i := 30 * 4; i < len(caught); i++ {
		caught[i] = 0
	}
	means(func(t *density.Trace) {
		there, p := t.Sample("there", density.Beta(1, 1)), t.Sample("p", density.Uniform(0, 1), 4)
		t.Record("percent", there.Scale(100))
		y := t.Data("caught", 50, 4)
		present := density.Bernoulli(p).LogProb(y).Sum(1).Add(there.Log())
		absent := there.SubFrom(1).Log()
		t.Add(y.Max(1).Positive().Where(present, present.LogAddExp(absent)))
	}, map[string][]float64{"caught": caught}, "there")
	// Output:
	// there 1
}
