package bench_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/arviz"
	"tobac/autograd"
	"tobac/chain"
	"tobac/density"
	"tobac/diagnostics"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
)

// A shape is a density with a difficulty of its own.
type shape struct {
	name  string
	model func(t *density.Trace)
	data  map[string][]float64
}

// autoregressive are d values, each correlated with the one before.
func autoregressive(d int, rho float64) func(t *density.Trace) {
	return func(t *density.Trace) {
		x := t.Parameter("x", density.Real(), d)
		t.Add(density.Normal(0, 1).LogProb(x.Index(0, 0)))
		now, before := x.Slice(0, 1, d), x.Slice(0, 0, d-1)
		t.Add(density.Normal(before.Scale(rho), math.Sqrt(1-rho*rho)).LogProb(now))
	}
}

// scales are n numbers from a to b, each the same multiple of the one before.
func scales(n int, a, b float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = a * math.Pow(b/a, float64(i)/float64(max(n-1, 1)))
	}
	return out
}

var shapes = []shape{
	{name: "normal, 1", model: func(t *density.Trace) { t.Sample("x", density.Normal(3, 2)) }},
	{name: "normal, 500", model: func(t *density.Trace) {
		t.Sample("x", density.Normal(0, scales(500, 0.1, 10)), 500)
	}},
	{name: "scales 1e-4 to 1e4, 9", model: func(t *density.Trace) {
		t.Sample("x", density.Normal(0, scales(9, 1e-4, 1e4)), 9)
	}},
	{name: "correlation 0.999, 2", model: autoregressive(2, 0.999)},
	{name: "series of correlation 0.99, 100", model: autoregressive(100, 0.99)},
	{name: "Student's t of 3, 5", model: func(t *density.Trace) {
		t.Sample("x", density.StudentsT(0, 1, 3), 5)
	}},
	{name: "Cauchy, 1", model: func(t *density.Trace) { t.Sample("x", density.Cauchy(0, 1)) }},
	{name: "uniform, 3", model: func(t *density.Trace) { t.Sample("x", density.Uniform(0, 1), 3) }},
	{name: "half normal and exponential, 2", model: func(t *density.Trace) {
		t.Sample("x", density.HalfNormal(1))
		t.Sample("y", density.Exponential(1e-3))
	}},
	{name: "two modes", model: func(t *density.Trace) {
		left, right := density.Normal(-10, 1), density.Normal(10, 1)
		t.Sample("x", density.Mixture([]float64{0.5, 0.5}, left, right))
	}},
	{name: "funnel, 10", model: func(t *density.Trace) {
		v := t.Sample("v", density.Normal(0, 3))
		t.Sample("x", density.Normal(0, v.Scale(0.5).Exp()), 9)
	}},
	{name: "banana, 2", model: func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 1))
		t.Sample("y", density.Normal(x.Square().Scale(3), 0.3))
	}},
	{name: "edge without a constraint", model: func(t *density.Trace) {
		x := t.Parameter("x", density.Real())
		t.Add(density.Gamma(3, 1).LogProb(x)) // NaN below 0
	}},
	{name: "step", model: func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 1))
		t.Add(x.Positive())
	}},
	{name: "eight schools, centred", model: func(t *density.Trace) {
		mu, tau := t.Sample("mu", density.Normal(0, 5)), t.Sample("tau", density.HalfCauchy(5))
		theta := t.Sample("theta", density.Normal(mu, tau), 8)
		t.Observe(density.Normal(theta, t.Data("sigma", 8)), t.Data("y", 8))
	}, data: schoolsData},
	{name: "regression on years, 2", model: func(t *density.Trace) {
		a, b := t.Sample("a", density.Normal(0, 1e4)), t.Sample("b", density.Normal(0, 10))
		mean := a.Add(b.Mul(t.Constant(years, len(years))))
		sigma := t.Sample("sigma", density.HalfNormal(1))
		t.Observe(density.Normal(mean, sigma), t.Data("y", len(years)))
	}, data: map[string][]float64{"y": wiggle(len(years))}},
	{name: "groups, 302", model: func(t *density.Trace) {
		mu, tau := t.Sample("mu", density.Normal(0, 5)), t.Sample("tau", density.HalfNormal(2))
		a := mu.Add(tau.Mul(t.Sample("z", density.Normal(0, 1), 300)))
		t.Observe(density.Normal(a.Reshape(autograd.Shape{300, 1}), 1), t.Data("y", 300, 4))
	}, data: map[string][]float64{"y": wiggle(1200)}},
}

var schoolsData = map[string][]float64{
	"y":     {28, 8, -3, 7, -1, 1, 18, 12},
	"sigma": {15, 10, 16, 11, 9, 11, 10, 18},
}

var years = func() []float64 {
	out := make([]float64, 60)
	for i := range out {
		out[i] = 1950 + float64(i)
	}
	return out
}()

// wiggle are n numbers that look random, of mean 0 and standard deviation near 1.
func wiggle(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1.4 * math.Sin(float64(i)*float64(i)*1.1+float64(i/7))
	}
	return out
}

// The no-U-turn sampler with its defaults on shapes that are hard for it, with the table of
// bench/notes/samplers.md: four chains of 1000 draws after 1000 of warm-up, three times.
//
//	go test ./bench -run TestShapes -long -v -update
//
// Chains agree and have 400 effective draws, or a check warns.
func TestShapes(t *testing.T) {
	measured(t)
	var text strings.Builder
	fmt.Fprintln(&text, "| density | effective draws for 1000 gradients | gradients per draw | "+
		"in warm-up | R̂ | runs with a warning |")
	fmt.Fprintln(&text, "| --- | ---: | ---: | ---: | ---: | ---: |")
	const runs, draws = 3, 4000
	for _, s := range shapes {
		var effective, gradients, warm, ratio float64
		warned := 0
		for seed := range uint64(runs) {
			r, err := shaped(t.Context(), s, seed)
			if err != nil {
				t.Fatal(s.name, err)
			}
			effective += r.effective
			gradients, warm = gradients+r.gradients, warm+r.warm
			ratio = math.Max(ratio, r.ratio)
			if len(r.warnings) > 0 {
				warned++
			} else if !(r.effective > 400) || !(r.ratio < 1.01) {
				t.Errorf("%s: %.0f effective draws, R̂ %.3f and no warning", s.name, r.effective,
					r.ratio)
			}
			t.Log(s.name, r)
		}
		fmt.Fprintf(&text, "| %s | %.1f | %.0f | %.0f | %.2f | %d |\n", s.name,
			1000*effective/(gradients+warm),
			gradients/(runs*draws), warm/(runs*draws), ratio, warned)
	}
	if *update {
		replaceTable(t, "samplers.md", "shapes", text.String())
	}
}

// A shapedRun is how a run went.
type shapedRun struct {
	effective, ratio float64 // of the worst number
	warm, gradients  float64
	warnings         []string
}

func shaped(ctx context.Context, s shape, seed uint64) (out shapedRun, err error) {
	m, err := density.New(s.model, density.Options{Data: s.data})
	if err != nil {
		return out, err
	}
	defer m.Close()
	sampler := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: seed}
	state, err := sampler.Begin()
	if err != nil {
		return out, err
	}
	chains, d := m.Dims()
	stats, x := arviz.NewStats(chains), make([]*mat.Dense, chains)
	for k := range x {
		x[k] = mat.NewDense(1000, d, nil)
	}
	err = sampler.Advance(ctx, state, 2000, func(k int, c *chain.Chain) {
		if c.Iteration <= 1000 {
			out.warm += float64(c.Leaps)
			return
		}
		out.gradients += float64(c.Leaps)
		x[k].SetRow(c.Iteration-1001, c.X)
		stats.Observe(k, c)
	})
	if err != nil {
		return out, err
	}
	values, err := m.Draws(x)
	if err != nil {
		return out, err
	}
	summary, err := diagnostics.Summarise(m.Names(), values)
	if err != nil {
		return out, err
	}
	out.effective = math.Inf(1)
	for _, q := range summary {
		out.effective, out.ratio = math.Min(out.effective, q.Bulk),
			math.Max(out.ratio, q.ScaleRatio)
	}
	out.warnings = diagnostics.Warnings(
		diagnostics.Sampling(summary, stats.Energies(), stats.Divergent()))
	return out, nil
}
