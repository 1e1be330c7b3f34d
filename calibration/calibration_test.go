package calibration_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"tobac/calibration"
	"tobac/chain"
	"tobac/density"
	"tobac/gaussian"
	"tobac/internal/must"
	"tobac/nuts"
	"tobac/smc"

	"gonum.org/v1/gonum/mat"
)

func thinned(x *mat.Dense, by int) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n/by, d, nil)
	for i := range n / by {
		out.SetRow(i, x.RawRowView(i*by))
	}
	return out
}

func byNUTS(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
	x, err := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: seed, WarmUp: 100}.Run(ctx, 40,
		nil)
	for k := range x {
		x[k] = thinned(x[k], 4)
	}
	return x, err
}

func bySMC(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
	state, err := smc.Sampler{Target: m, Seed: seed, Particles: 80}.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	return []*mat.Dense{thinned(state.X, 2)}, nil
}

func byLaplace(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
	n, err := gaussian.Laplace{Target: m, Seed: seed, Starts: 1}.Fit(ctx)
	if err != nil {
		return nil, err
	}
	return []*mat.Dense{n.Draws(39, seed)}, nil
}

var models = map[string]struct {
	model  func(t *density.Trace)
	data   map[string][]float64
	normal bool // posteriors are normal, so that Laplace's approximation is exact
}{
	"normal": {func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(1, 2))
		t.Observe(
			density.Normal(mu.Add(t.Sample("b", density.Normal(0, 1), 2).Index(0, 1)), 1.5),
			t.Data("y", 4),
		)
	}, map[string][]float64{"y": make([]float64, 4)}, true},
	"rate": {func(t *density.Trace) {
		t.Observe(density.Exponential(t.Sample("rate", density.Gamma(2, 0.5))), t.Data("y", 3))
	}, map[string][]float64{"y": {1, 1, 1}}, false},
	"counts": {func(t *density.Trace) {
		p := t.Sample("p", density.Dirichlet([]float64{1, 2, 1}), 3)
		t.Observe(density.Multinomial(9, p), t.Data("k", 3))
		t.Observe(
			density.NegativeBinomial(
				p.Index(0, 0).Scale(10),
				t.Sample("c", density.LogNormal(0, 1)),
			),
			t.Data("n", 2),
		)
	}, map[string][]float64{"k": {3, 3, 3}, "n": {1, 1}}, false},
}

// Ranks are uniform for samplers that are right: 22 numbers have p-values above 10⁻⁴ each. Those of
// a sampler that draws from the prior's scale twice as wide are not.
func TestCalibrated(t *testing.T) {
	for name, c := range models {
		samplers := map[string]func(context.Context, *density.Model, uint64) ([]*mat.Dense, error){
			"nuts": byNUTS,
			"smc":  bySMC,
		}
		if c.normal {
			samplers["laplace"] = byLaplace
		}
		for by, sample := range samplers {
			r := must.Get(calibration.Study{
				Model:   c.model,
				Options: density.Options{Data: c.data, Points: 4},
				Sample:  sample,
				Sets:    40,
				Seed:    2,
			}.Run(t.Context()))(t)
			for j, p := range r.PValues(5) {
				if p < 1e-4 {
					t.Errorf("%s by %s: ranks of %s have the p-value %v", name, by, r.Names[j], p)
				}
			}
		}
	}
	wrong := func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
		x, err := byLaplace(ctx, m, seed)
		if err == nil {
			x[0].Scale(2, x[0])
		}
		return x, err
	}
	c := models["normal"]
	r := must.Get(calibration.Study{
		Model:   c.model,
		Options: density.Options{Data: c.data},
		Sample:  wrong,
		Sets:    120,
	}.Run(t.Context()))(t)
	if p := r.PValues(6); !(p[0] < 1e-3) {
		t.Errorf("a wrong sampler has the p-values %v", p)
	}
}

// The exact posterior of a normal mean is calibrated.
func Example() {
	study := calibration.Study{
		Model: func(t *density.Trace) {
			t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Data("y"))
		},
		Options: density.Options{Data: map[string][]float64{"y": {0}}},
		Sample: func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error) {
			n, err := gaussian.Laplace{Target: m, Seed: seed}.Fit(ctx)
			if err != nil {
				return nil, err
			}
			return []*mat.Dense{n.Draws(19, seed)}, nil
		},
	}
	ranks, err := study.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	p := ranks.PValues(10)[0]
	fmt.Println(len(ranks.Ranks[0]), "sets, uniform:", p > 0.01 && !math.IsNaN(p))
	// Output: 200 sets, uniform: true
}
