package hmc_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/chain"
	"tobac/density"
	"tobac/hmc"
	"tobac/internal/must"
	"tobac/slice"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// pair is a normal density of two correlated coordinates with means 3 and 24 and standard
// deviations 1 and 10.
func pair(t testing.TB, workers int) *density.Model {
	t.Helper()
	m := must.Get(density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(3, 1))
		t.Sample("y", density.Normal(x.Scale(8), 6))
	}, density.Options{Workers: workers}))(t)
	t.Cleanup(m.Close)
	return m
}

func column(draws []*mat.Dense, i int) []float64 {
	var all []float64
	for _, d := range draws {
		all = append(all, mat.Col(nil, i, d)...)
	}
	return all
}

var kernels = map[string]chain.Kernel{
	"hmc":        hmc.Kernel{},
	"hmc, dense": hmc.Kernel{Metric: chain.Dense},
	"mala":       hmc.Kernel{Leaps: 1, Metric: chain.Dense},
	"slice":      slice.Kernel{},
}

// Moments of a normal distribution: at least 400 of the draws count, so that 0.2 standard
// deviations are four standard errors of a mean.
func TestNormal(t *testing.T) {
	m := pair(t, 1)
	for name, kernel := range kernels {
		draws := must.Get(chain.Sampler{Target: m, Kernel: kernel, Seed: 1}.Run(t.Context(), 1500,
			nil))(t)
		for i, want := range [2][2]float64{{3, 1}, {24, 10}} {
			mean, sd := stat.MeanStdDev(column(draws, i), nil)
			if math.Abs(mean-want[0]) > 0.2*want[1] || math.Abs(sd/want[1]-1) > 0.15 {
				t.Errorf("%s, coordinate %d: %.3g ± %.3g, want %v", name, i, mean, sd, want)
			}
		}
		if r := stat.Correlation(column(draws, 0), column(draws, 1), nil); math.Abs(r-0.8) > 0.1 {
			t.Errorf("%s: correlation %v, want 0.8", name, r)
		}
	}
}

// A run in two parts and with other workers has the same bits as one in a single part.
func TestResume(t *testing.T) {
	for name, kernel := range kernels {
		one := chain.Sampler{Target: pair(t, 1), Kernel: kernel, WarmUp: 60}
		want := must.Get(one.Begin())(t)
		must.Do(t, one.Advance(t.Context(), want, 90, nil))
		two := chain.Sampler{Target: pair(t, 3), Kernel: kernel, WarmUp: 60}
		got := must.Get(two.Begin())(t)
		for _, to := range []int{37, 90} {
			must.Do(t, two.Advance(t.Context(), got, to, nil))
		}
		for k := range want.Chains {
			if fmt.Sprint(got.Chains[k]) != fmt.Sprint(want.Chains[k]) {
				t.Errorf("%s: chain %d differs", name, k)
			}
		}
	}
}

// Settings out of range are errors that name them.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		k    hmc.Kernel
		want string
	}{
		{hmc.Kernel{Leaps: -1}, "-1 leaps"}, {hmc.Kernel{Acceptance: 1.5}, "acceptance 1.5"},
	} {
		if err := c.k.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A normal mean with a normal prior: the exact posterior is 1.5 ± 0.5.
func Example() {
	m, err := density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Constant([]float64{1, 2, 3}, 3))
	}, density.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	draws, err := chain.Sampler{Target: m, Kernel: hmc.Kernel{}}.Run(context.Background(), 1000,
		nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, sd := stat.MeanStdDev(column(draws, 0), nil)
	fmt.Printf("%.1f ± %.1f\n", mean, sd)
	// Output: 1.5 ± 0.5
}
