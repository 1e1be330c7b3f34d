package nuts_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tobac/autograd"
	"tobac/density"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// gauss is a normal distribution of two correlated coordinates, of standard deviations 1 and 100.
func gauss(t testing.TB, workers int) *density.Model {
	t.Helper()
	m, err := density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(3, 1))
		t.Sample("y", density.Normal(x.Scale(80), 60))
	}, density.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// Moments of a normal distribution with either metric; 4000 draws, of which half count at least, so that 6 standard
// errors of a mean are 0.14 standard deviations.
func TestNormal(t *testing.T) {
	for _, s := range []nuts.Sampler{{Seed: 1}, {Seed: 2, Dense: true}} {
		s.Target = gauss(t, 1)
		diverged := 0
		draws, err := s.Run(t.Context(), 1000, func(_ int, c *nuts.Chain) {
			if c.Divergent {
				diverged++
			}
		})
		if err != nil || diverged > 0 {
			t.Fatalf("%v, %d divergences", err, diverged)
		}
		for i, want := range [2][2]float64{{3, 1}, {240, 100}} {
			m, sd := stat.MeanStdDev(column(draws, i), nil)
			if math.Abs(m-want[0]) > 0.14*want[1] || math.Abs(sd/want[1]-1) > 0.1 {
				t.Errorf("dense %v, coordinate %d: %.3g ± %.3g, want %v", s.Dense, i, m, sd, want)
			}
		}
	}
}

func column(draws []*mat.Dense, i int) []float64 {
	var all []float64
	for _, d := range draws {
		all = append(all, mat.Col(nil, i, d)...)
	}
	return all
}

// A run that is cut, cancelled, saved and restored has the draws of one that is not, for any number of workers.
func TestResume(t *testing.T) {
	for _, dense := range []bool{false, true} {
		whole := nuts.Sampler{Target: gauss(t, 1), Seed: 7, WarmUp: 120, Dense: dense}
		want, err := whole.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := whole.Advance(t.Context(), want, 160, nil); err != nil {
			t.Fatal(err)
		}
		cut := whole
		cut.Target = gauss(t, 3)
		got, err := cut.Begin()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		err = cut.Advance(ctx, got, 160, func(chain int, c *nuts.Chain) {
			if chain == 2 && c.Iteration == 57 {
				cancel(enough)
			}
		})
		if !errors.Is(err, enough) {
			t.Fatalf("cancelled: %v", err)
		}
		var file bytes.Buffer
		if err := gob.NewEncoder(&file).Encode(got); err != nil {
			t.Fatal(err)
		}
		got = &nuts.State{}
		if err := gob.NewDecoder(&file).Decode(got); err != nil {
			t.Fatal(err)
		}
		if err := cut.Advance(t.Context(), got, 160, nil); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("dense %v: a run that was cut went on to other chains", dense)
		}
	}
}

// The funnel's neck is told of.
func TestDivergences(t *testing.T) {
	m, err := density.New(func(t *density.Trace) {
		v := t.Sample("v", density.Normal(0, 3))
		t.Sample("x", density.Normal(0, v.Scale(0.5).Exp()), 9)
	}, density.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	diverged := 0
	if _, err := (nuts.Sampler{Target: m, WarmUp: 300}).Run(t.Context(), 300, func(_ int, c *nuts.Chain) {
		if c.Divergent {
			diverged++
		}
	}); err != nil || diverged == 0 {
		t.Errorf("%v, %d divergences, want some", err, diverged)
	}
}

// Simulation-based calibration: a parameter drawn from its prior has any rank among the draws given data that it made.
// With 120 data sets and ranks in 6 groups χ² of 5 degrees of freedom is below 25.7 but once in 10⁴ times.
func TestCalibration(t *testing.T) {
	const sets, groups = 120, 6
	m, err := density.New(func(t *density.Trace) {
		rate := t.Sample("rate", density.Gamma(2, 0.5))
		t.Observe(density.Exponential(rate), t.Data("y", 3))
	}, density.Options{Points: 8, Data: map[string][]float64{"y": {1, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	rng, counts := seeded(5), [groups]float64{}
	for k := range sets {
		rate := (rng.ExpFloat64() + rng.ExpFloat64()) / 0.5
		y := []float64{rng.ExpFloat64() / rate, rng.ExpFloat64() / rate, rng.ExpFloat64() / rate}
		if err := m.SetData("y", y); err != nil {
			t.Fatal(err)
		}
		draws, err := nuts.Sampler{Target: m, Seed: uint64(k), WarmUp: 150}.Run(t.Context(), 60, nil)
		if err != nil {
			t.Fatal(err)
		}
		below, all := 0.0, 0.0
		for _, d := range draws {
			for i := 0; i < 60; i += 10 {
				if all++; math.Exp(d.At(i, 0)) < rate {
					below++
				}
			}
		}
		counts[int(below/(all+1)*groups)]++
	}
	x2 := 0.0
	for _, c := range counts {
		x2 += (c - sets/groups) * (c - sets/groups) / (sets / groups)
	}
	if x2 > 25.7 {
		t.Errorf("ranks %v: χ² %.1f", counts, x2)
	}
}

type reference struct {
	Parameters []string
	Mean, SD   []float64
}

func load(t *testing.T, name, file string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "posteriordb", name, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// Posteriors of posteriordb, whose reference draws are 10⁴ nearly independent ones. Of 4000 draws a quarter counts at
// least, so that three standard errors of a mean are 0.1 standard deviations.
func TestPosteriors(t *testing.T) {
	for _, c := range []struct {
		name  string
		model func(t *density.Trace)
		data  []string
	}{
		{"eight_schools-eight_schools_noncentered", func(t *density.Trace) {
			y, sigma := t.Data("y", 8), t.Data("sigma", 8)
			z := t.Sample("t", density.Normal(0, 1), 8)
			mu, tau := t.Sample("mu", density.Normal(0, 5)), t.Sample("tau", density.HalfCauchy(5))
			theta := mu.Add(tau.Mul(z))
			t.Record("theta", theta)
			t.Observe(density.Normal(theta, sigma), y)
		}, []string{"y", "sigma"}},
		{"gp_pois_regr-gp_regr", func(t *density.Trace) {
			x, y := t.Data("x", 11), t.Data("y", 11)
			rho, alpha, sigma := t.Sample("rho", density.Gamma(25, 4)), t.Sample("alpha", density.HalfNormal(2)), t.Sample("sigma", density.HalfNormal(1))
			distance := x.Reshape(autograd.Shape{11, 1}).Sub(x).Div(rho)
			k := distance.Square().Scale(-0.5).Exp().Mul(alpha.Square()).Add(sigma.Expand(autograd.Shape{11}).Diag())
			l := k.Cholesky()
			z := l.SolveLower(y.Reshape(autograd.Shape{11, 1}))
			t.Add(z.Square().Sum().Scale(-0.5).Sub(l.Diagonal().Log().Sum()))
		}, []string{"x", "y"}},
		{"low_dim_gauss_mix-low_dim_gauss_mix", func(t *density.Trace) {
			y := t.Data("y", 1000)
			mu, sigma := t.Parameter("mu", density.Ordered(), 2), t.Sample("sigma", density.HalfNormal(2), 2)
			theta := t.Sample("theta", density.Beta(5, 5))
			t.Observe(density.Normal(0, 2), mu)
			first := density.Normal(mu.Index(0, 0), sigma.Index(0, 0)).LogProb(y).Add(theta.Log())
			second := density.Normal(mu.Index(0, 1), sigma.Index(0, 1)).LogProb(y).Add(theta.Neg().Log1p())
			t.Add(first.LogAddExp(second))
		}, []string{"y"}},
		{"garch-garch11", func(t *density.Trace) {
			y := t.Data("y", 200)
			mu, alpha0, alpha1 := t.Parameter("mu", density.Real()), t.Parameter("alpha0", density.Positive()), t.Parameter("alpha1", density.Bounded(0, 1))
			beta1 := t.Parameter("beta1", density.Bounded(0, alpha1.Neg().AddScalar(1)))
			e := y.Sub(mu).Square()
			v := t.Constant([]float64{0.25})
			for i := range 200 {
				if i > 0 {
					v = alpha0.Add(alpha1.Mul(e.Index(0, i-1))).Add(beta1.Mul(v))
				}
				t.Add(v.Log().Add(e.Index(0, i).Div(v)).Scale(-0.5))
			}
		}, []string{"y"}},
	} {
		var data map[string]any
		var want reference
		load(t, c.name, "data.json", &data)
		load(t, c.name, "reference.json", &want)
		given := map[string][]float64{}
		for _, name := range c.data {
			for _, v := range data[name].([]any) {
				given[name] = append(given[name], v.(float64))
			}
		}
		m, err := density.New(c.model, density.Options{Data: given})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		draws, err := nuts.Sampler{Target: m, Seed: 3, Acceptance: 0.9}.Run(t.Context(), 1000, nil)
		if err != nil {
			t.Fatal(err)
		}
		values, err := m.Draws(draws)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for i, name := range m.Names() {
			for j, p := range want.Parameters {
				if p == oneBased(name) {
					compared++
					mean, sd := stat.MeanStdDev(column(values, i), nil)
					if math.Abs(mean-want.Mean[j]) > 0.1*want.SD[j] || math.Abs(sd/want.SD[j]-1) > 0.05 {
						t.Errorf("%s: %s %.4g ± %.4g, want %.4g ± %.4g", c.name, p, mean, sd, want.Mean[j], want.SD[j])
					}
				}
			}
		}
		if compared != len(want.Parameters) {
			t.Errorf("%s: compared %d of %d parameters", c.name, compared, len(want.Parameters))
		}
	}
}

// oneBased is the name of posteriordb for theta[0].
func oneBased(name string) string {
	var base string
	var i int
	for k := range name {
		if name[k] == '[' {
			base = name[:k]
			if _, err := fmt.Sscanf(name[k:], "[%d]", &i); err == nil {
				return fmt.Sprintf("%s[%d]", base, i+1)
			}
		}
	}
	return name
}

// A normal mean with a normal prior: the exact posterior is 1.5 ± 0.5.
func ExampleSampler_Run() {
	m, err := density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Constant([]float64{1, 2, 3}, 3))
	}, density.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	draws, err := nuts.Sampler{Target: m}.Run(context.Background(), 1000, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, sd := stat.MeanStdDev(column(draws, 0), nil)
	fmt.Printf("%.1f ± %.1f\n", mean, sd)
	// Output: 1.5 ± 0.5
}
