package sample_test

import (
	"math"

	"tobac/autograd"
	"tobac/density"
)

// Successes in groups of unlike sizes, whose probabilities have a distribution.
func Example_groupRates() {
	n := wave(20, func(u float64) float64 { return math.Floor(10 + 40*u) })
	y := make([]float64, 20)
	for i := range y {
		y[i] = math.Round(n[i] * (0.2 + 0.1*math.Sin(float64(i))))
	}
	means(func(t *density.Trace) {
		mu, tau := t.Sample("mu", density.Normal(0, 2)), t.Sample("tau", density.HalfNormal(1))
		logit := mu.Add(tau.Mul(t.Sample("z", density.Normal(0, 1), 20)))
		t.Observe(density.BinomialLogit(t.Data("n", 20), logit), t.Data("y", 20))
	}, map[string][]float64{"n": n, "y": y}, "mu")
	// Output:
	// mu -1
}

// Intercepts and slopes of groups, which are correlated.
func Example_varyingSlopes() {
	x, y := line(60, 1)
	group := make([]float64, 60)
	for i := range y {
		group[i] = float64(i % 6)
		y[i] += math.Sin(group[i]) * (1 + x[i])
	}
	means(func(t *density.Trace) {
		b, tau := t.Sample("b", density.Normal(0, 5), 2), t.Sample("tau", density.HalfNormal(2), 2)
		l := t.Sample("l", density.LKJCholesky(2, 2), 2, 2)
		of := b.Add(t.Sample("z", density.Normal(0, 1), 6, 2).MatMul(l.T()).Mul(tau)).
			Take(t.Data("group", 60), 0)
		mu := of.Index(1, 0).Add(of.Index(1, 1).Mul(t.Data("x", 60)))
		t.Observe(density.Normal(mu, t.Sample("sigma", density.HalfNormal(1))), t.Data("y", 60))
	}, map[string][]float64{"x": x, "y": y, "group": group}, "b[0]", "b[1]")
	// Output:
	// b[0] 1
	// b[1] 3
}

// Whether students answer questions: ability, difficulty and discrimination.
func Example_itemResponse() {
	y := make([]float64, 30*6)
	for i := range y {
		student, question := i/6, i%6
		if float64(student)+5*math.Sin(float64(7*i)) > float64(5*question) {
			y[i] = 1
		}
	}
	means(func(t *density.Trace) {
		hard := t.Sample("difficulty", density.Normal(0, 2), 6)
		slope := t.Sample("discrimination", density.LogNormal(0, 0.5), 6)
		ability := t.Sample("ability", density.Normal(0, 1), 30, 1)
		t.Observe(density.BernoulliLogit(slope.Mul(ability.Sub(hard))), t.Data("y", 30, 6))
	}, map[string][]float64{"y": y}, "difficulty[0]", "difficulty[5]")
	// Output:
	// difficulty[0] -2
	// difficulty[5] 2
}

// Strengths of four players by who won (Bradley and Terry).
func Example_pairs() {
	var a, b, won []float64
	for i := range 60 {
		p, q := i%4, (i+1+i/4%3)%4
		a, b = append(a, float64(p)), append(b, float64(q))
		won = append(won,
			map[bool]float64{true: 1}[float64(p)+1.5*math.Sin(float64(5*i)) > float64(q)])
	}
	means(func(t *density.Trace) {
		strength := t.Sample("strength", density.Normal(0, 2), 4)
		d := strength.Take(t.Data("a", 60), 0).Sub(strength.Take(t.Data("b", 60), 0))
		t.Observe(density.BernoulliLogit(d), t.Data("won", 60))
	}, map[string][]float64{"a": a, "b": b, "won": won}, "strength[1]", "strength[3]")
	// Output:
	// strength[1] -1
	// strength[3] 2
}

// A series whose next value depends on the last two.
func Example_autoregressive() {
	y := wave(100, func(u float64) float64 { return u - 0.5 })
	for i := 2; i < len(y); i++ {
		y[i] += y[i-1] - 0.5*y[i-2]
	}
	means(func(t *density.Trace) {
		phi, y := t.Sample("phi", density.Normal(0, 1), 2), t.Data("y", 100)
		mu := phi.Index(0, 0).Mul(y.Slice(0, 1, 99)).Add(phi.Index(0, 1).Mul(y.Slice(0, 0, 98)))
		t.Observe(density.Normal(mu, t.Sample("sigma", density.HalfNormal(1))), y.Slice(0, 2, 100))
		t.Record("tenths", phi.Scale(10))
	}, map[string][]float64{"y": y}, "tenths[0]")
	// Output:
	// tenths[0] 5
}

// A level that wanders, seen with noise.
func Example_localLevel() {
	y := wave(40, func(u float64) float64 { return u })
	for i := range y {
		y[i] += 10 + math.Sin(float64(i)/8)
	}
	means(func(t *density.Trace) {
		steps := t.Sample("step",
			density.HalfNormal(1)).Mul(t.Sample("z", density.Normal(0, 1), 40))
		level := t.Sample("first", density.Normal(0, 20)).Add(steps.CumSum(0))
		t.Observe(density.Normal(level, t.Sample("noise", density.HalfNormal(1))), t.Data("y", 40))
	}, map[string][]float64{"y": y}, "first")
	// Output:
	// first 11
}

// A variance that follows the size of the last value and its own (GARCH).
func Example_garch() {
	y := wave(100, func(u float64) float64 { return 3 * (u - 0.5) })
	for i := 50; i < 70; i++ {
		y[i] *= 4
	}
	means(func(t *density.Trace) {
		y, mu := t.Data("y", 100), t.Sample("mu", density.Normal(0, 1))
		base, a := t.Sample("base", density.HalfNormal(1)), t.Sample("a", density.Uniform(0, 1))
		b := t.Sample("b", density.Uniform(0, a.SubFrom(1)))
		t.Record("persistence", a.Add(b))
		e := y.Sub(mu).Square()
		v := density.Recursion(base, e, func(v, e *autograd.Node) *autograd.Node {
			return base.Add(a.Mul(e)).Add(b.Mul(v))
		})
		t.Observe(density.Normal(mu, v.Slice(0, 0, 99).Sqrt()), y.Slice(0, 1, 100))
	}, map[string][]float64{"y": y}, "persistence")
	// Output:
	// persistence 1
}

// The year after which a rate of accidents changed: every year is possible, and summed over.
func Example_changePoint() {
	y := wave(40, func(u float64) float64 { return math.Floor(3 + 3*u) })
	for i := 25; i < 40; i++ {
		y[i] = math.Floor(y[i] / 4)
	}
	means(func(t *density.Trace) {
		early, late := t.Sample("early", density.Gamma(1, 0.3)),
			t.Sample("late", density.Gamma(1, 0.3))
		y := t.Data("y", 40)
		before := density.Poisson(early).LogProb(y).CumSum(0)
		after := density.Poisson(late).LogProb(y).CumSum(0)
		t.Add(before.Sub(after).LogSumExp(0).Add(after.Index(0, 39)))
	}, map[string][]float64{"y": y}, "early", "late")
	// Output:
	// early 4
	// late 1
}

// Growth towards a limit, by its differential equation.
func Example_growth() {
	times := make([]float64, 12)
	y := wave(12, func(u float64) float64 { return 0.2 * (u - 0.5) })
	for i := range times {
		times[i] = float64(i + 1)
		y[i] += 10 / (1 + 9*math.Exp(-times[i]))
	}
	means(func(t *density.Trace) {
		rate, limit := t.Sample("rate", density.LogNormal(0, 1)),
			t.Sample("limit", density.LogNormal(2, 1))
		x := density.RungeKutta(t.Sample("start", density.HalfNormal(2)), 0, times, 2,
			func(_ float64, x *autograd.Node) *autograd.Node {
				return rate.Mul(x).Mul(x.Div(limit).SubFrom(1))
			})
		t.Observe(density.Normal(x, t.Sample("sigma", density.HalfNormal(1))), t.Data("y", 12))
	}, map[string][]float64{"y": y}, "rate", "limit", "start")
	// Output:
	// rate 1
	// limit 10
	// start 1
}

// Log returns whose log variance wanders (stochastic volatility).
func Example_volatility() {
	y := wave(60, func(u float64) float64 { return u - 0.5 })
	for i := range y {
		y[i] *= math.Exp(math.Sin(float64(i) / 9))
	}
	means(func(t *density.Trace) {
		phi, sigma := t.Sample("phi", density.Beta(20, 2)),
			t.Sample("sigma", density.HalfNormal(0.5))
		z, mu := t.Sample("z", density.Normal(0, 1), 60), t.Sample("mu", density.Normal(0, 3))
		h := density.Recursion(t.Constant([]float64{0}).Reshape(nil), z,
			func(h, z *autograd.Node) *autograd.Node { return phi.Mul(h).Add(sigma.Mul(z)) })
		t.Observe(density.Normal(0, h.Add(mu).Scale(0.5).Exp()), t.Data("y", 60))
	}, map[string][]float64{"y": y}, "phi")
	// Output:
	// phi 1
}
