package bench_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/calibration"
	"tobac/chain"
	"tobac/density"
	"tobac/gaussian"
	"tobac/nuts"
	"tobac/smc"

	"gonum.org/v1/gonum/mat"
)

// rankModels are models with proper priors, and data of the right shapes. Columns of predictors
// stay as they are.
var rankModels = []struct {
	name  string
	model func(t *density.Trace)
	data  map[string][]float64
}{
	{"linear regression", func(t *density.Trace) {
		beta := t.Sample("beta", density.Normal(0, 2), 3)
		mu := t.Data("x", 20, 3).MatVec(beta)
		t.Observe(density.Normal(mu, t.Sample("sigma", density.HalfNormal(1))), t.Data("y", 20))
	}, map[string][]float64{"x": waves(60), "y": make([]float64, 20)}},
	{"logistic regression", func(t *density.Trace) {
		beta := t.Sample("beta", density.Normal(0, 2), 3)
		t.Observe(density.BernoulliLogit(t.Data("x", 40, 3).MatVec(beta)), t.Data("y", 40))
	}, map[string][]float64{"x": waves(120), "y": make([]float64, 40)}},
	{"exponential rate", func(t *density.Trace) {
		t.Observe(density.Exponential(t.Sample("rate", density.Gamma(2, 0.5))), t.Data("y", 3))
	}, map[string][]float64{"y": {1, 1, 1}}},
	{"counts", func(t *density.Trace) {
		p := t.Sample("p", density.Dirichlet([]float64{1, 2, 1}), 3)
		t.Observe(density.Multinomial(9, p), t.Data("k", 3))
		over := t.Sample("over", density.LogNormal(0, 1))
		t.Observe(density.NegativeBinomial(p.Index(0, 0).Scale(10), over), t.Data("n", 2))
	}, map[string][]float64{"k": {3, 3, 3}, "n": {1, 1}}},
	{"groups", func(t *density.Trace) {
		mu, tau := t.Sample("mu", density.Normal(0, 2)), t.Sample("tau", density.HalfNormal(2))
		theta := mu.Add(tau.Mul(t.Sample("z", density.Normal(0, 1), 5)))
		t.Observe(density.Normal(theta, 1), t.Data("y", 4, 5))
	}, map[string][]float64{"y": make([]float64, 20)}},
	{"correlation", func(t *density.Trace) {
		l := t.Sample("l", density.LKJCholesky(2, 1), 2, 2)
		scale := t.Sample("scale", density.LogNormal(0, 0.5), 2)
		root := l.Mul(scale.Reshape(autograd.Shape{2, 1}))
		t.Observe(density.MultivariateNormalCholesky(0, root), t.Data("y", 15, 2))
	}, map[string][]float64{"y": make([]float64, 30)}},
}

// waves are numbers from −1 to 1.
func waves(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(7*i*i + i))
	}
	return x
}

// every is each of a number of rows.
func every(x *mat.Dense, step int) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n/step, d, nil)
	for i := range n / step {
		out.SetRow(i, x.RawRowView(i*step))
	}
	return out
}

var rankSamplers = []struct {
	name   string
	sample func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error)
}{
	{"nuts", func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
		s := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: seed, WarmUp: 300}
		x, err := s.Run(ctx, 250, nil)
		for k := range x {
			x[k] = every(x[k], 10)
		}
		return x, err
	}},
	{"smc", func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
		state, err := smc.Sampler{Target: m, Seed: seed, Particles: 200}.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		return []*mat.Dense{every(state.X, 2)}, nil
	}},
	{"laplace", func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
		n, err := gaussian.Laplace{Target: m, Seed: seed}.Fit(ctx)
		if err != nil {
			return nil, err
		}
		return []*mat.Dense{n.Draws(100, seed)}, nil
	}},
}

// Simulation-based calibration of samplers, with the table of bench/notes/samplers.md:
//
//	go test ./bench -run TestSimulated -long -v -update
//
// The least p-value of a model, times the number of its numbers, is above 0.001 for the two
// samplers that are exact.
func TestSimulated(t *testing.T) {
	measured(t)
	var text strings.Builder
	fmt.Fprintln(&text,
		"| model | numbers | nuts | smc | laplace |\n| --- | ---: | ---: | ---: | ---: |")
	for _, c := range rankModels {
		var cells []string
		numbers := 0
		for _, by := range rankSamplers {
			begin := processor()
			ranks, err := calibration.Study{
				Model:   c.model,
				Options: density.Options{Data: c.data},
				Sample:  by.sample,
				Seed:    1,
			}.Run(t.Context())
			if err != nil {
				t.Logf("%s, %s: %v", c.name, by.name, err)
				cells = append(cells, "no mode")
				continue
			}
			least, count := 1.0, 0
			for _, p := range ranks.PValues(10) {
				if !math.IsNaN(p) {
					least, count = math.Min(least, p), count+1
				}
			}
			numbers, least = count, math.Min(1, least*float64(count))
			cells = append(cells, fmt.Sprintf("%.2g", least))
			t.Logf("%s, %s: p = %.2g, %.0f s", c.name, by.name, least, processor()-begin)
			if by.name != "laplace" && least < 1e-3 {
				t.Errorf("%s by %s: ranks have the p-value %.2g", c.name, by.name, least)
			}
		}
		fmt.Fprintf(&text, "| %s | %d | %s |\n", c.name, numbers, strings.Join(cells, " | "))
	}
	if *update {
		replaceTable(t, "samplers.md", "simulated", text.String())
	}
}
