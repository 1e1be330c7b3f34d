package sample_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"tobac/density"
	"tobac/gaussian"
	"tobac/hmc"
	"tobac/internal/must"
	"tobac/sample"
	"tobac/smc"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func coins(t *density.Trace) {
	p := t.Sample("p", density.Beta(1, 1))
	t.Observe(density.Binomial(10, p), t.Data("heads"))
}

// Warnings follow the table, by other kernels too, and draws are written for ArviZ.
func TestFit(t *testing.T) {
	f := must.Get(sample.Run(t.Context(), coins, map[string][]float64{"heads": {3}},
		sample.Settings{Kernel: hmc.Kernel{}, Chains: 2, WarmUp: 50, Draws: 30, Seed: 4}))(t)
	defer f.Close()
	text := f.String()
	if !strings.HasPrefix(text, "parameter") || !strings.Contains(text, "\np ") ||
		!strings.Contains(text, "\nwarning: few effective draws of p") {
		t.Error(text)
	}
	var file bytes.Buffer
	must.Do(t, f.Write(&file))
	var got struct {
		Posterior struct{ P [][]float64 }
	}
	must.Do(t, json.Unmarshal(file.Bytes(), &got))
	p := f.Of("p")
	if len(got.Posterior.P) != 2 || got.Posterior.P[1][29] != p[59] || len(p) != 60 {
		t.Errorf("%d chains in the file, %d draws", len(got.Posterior.P), len(p))
	}
	defer func() {
		if r := recover(); r == nil {
			t.Error("draws of q: no panic")
		}
	}()
	f.Of("q")
}

// An uncentred regression, whose coefficients have a correlation of −0.9999: the metric is dense,
// trajectories have some steps, and chains find y = x − 2000 from y = x − 2000 + 0.1 sin(7x).
func TestCorrelated(t *testing.T) {
	x, y := make([]float64, 40), make([]float64, 40)
	for i := range x {
		x[i] = 1990 + float64(i)/2
		y[i] = x[i] - 2000 + 0.1*math.Sin(7*x[i])
	}
	f := must.Get(sample.Run(t.Context(), func(t *density.Trace) {
		a, b := t.Parameter("a", density.Real()), t.Parameter("b", density.Real())
		t.Observe(density.Normal(a.Add(b.Mul(t.Data("x", 40))), 0.1), t.Data("y", 40))
	}, map[string][]float64{"x": x, "y": y}, sample.Settings{WarmUp: 100, Draws: 200}))(t)
	defer f.Close()
	steps := stat.Mean(mat.Col(nil, 4, f.Stats.Group().Chains[0]), nil)
	a, b := stat.Mean(f.Of("a"), nil), stat.Mean(f.Of("b"), nil)
	if steps > 10 || math.Abs(b-1) > 0.01 || math.Abs(a/b+2000) > 1 {
		t.Errorf("%v steps, a %v, b %v", steps, a, b)
	}
}

// Of a mixture with weights 0.999 and 0.001 chains stay in the mode where they start: by paths
// of Pathfinder, in the one that counts.
func TestPaths(t *testing.T) {
	f := must.Get(sample.Run(t.Context(), func(t *density.Trace) {
		far := density.Mixture([]float64{0.999, 0.001}, density.Normal(5, 0.3),
			density.Normal(-5, 0.3))
		t.Observe(far, t.Parameter("x", density.Real()))
	}, nil, sample.Settings{Paths: 8, WarmUp: 100, Draws: 200}))(t)
	defer f.Close()
	if x := f.Summary[0]; math.Abs(x.Mean-5) > 0.1 || math.Abs(x.SD-0.3) > 0.1 {
		t.Errorf("%v ± %v, want 5 ± 0.3", x.Mean, x.SD)
	}
}

// Each method finds a probability of 0.5 ± 0.05 given 50 of 100, and none warns. Laplace's
// approximation of a variance warns and says of what, and has no statistics of chains to write.
func TestMethods(t *testing.T) {
	data := map[string][]float64{"heads": {50}}
	for name, by := range map[string]*sample.Method{
		"laplace": sample.Laplace(gaussian.Laplace{}), "tempered": sample.Tempered(smc.Sampler{}),
		"variational": sample.Variational(gaussian.Variational{Steps: 500}),
		"pathfinder":  sample.Pathfinder(gaussian.Pathfinder{}),
		"stein":       sample.Stein(gaussian.Stein{Steps: 100}, 100),
	} {
		f, err := sample.Run(t.Context(), func(t *density.Trace) {
			p := t.Sample("p", density.Beta(1, 1))
			t.Observe(density.Binomial(100, p), t.Data("heads"))
		}, data, sample.Settings{Method: by, Seed: 2})
		if err != nil {
			t.Fatal(name, err)
		}
		p := f.Summary[0]
		if math.Abs(p.Mean-0.5) > 0.01 || math.Abs(p.SD-0.05) > 0.005 ||
			strings.Contains(f.String(), "warning") {
			t.Errorf("%s: %v", name, f)
		}
		if e := f.LogEvidence; !math.IsNaN(e) && math.Abs(e+math.Log(101)) > 0.1 {
			t.Errorf("%s: evidence %v, want %v", name, e, -math.Log(101))
		}
		f.Close()
	}
	f := must.Get(sample.Run(t.Context(), func(t *density.Trace) {
		t.Observe(density.Normal(0, t.Sample("sigma", density.HalfCauchy(5))), t.Data("y", 3))
	}, map[string][]float64{"y": {1, -2, 1}},
		sample.Settings{Method: sample.Laplace(gaussian.Laplace{})}))(t)
	defer f.Close()
	if text := f.String(); !strings.Contains(text,
		"warning: the approximation has the mean of sigma off by -") {
		t.Error(text)
	}
	if err := f.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestMistakes(t *testing.T) {
	data := map[string][]float64{"heads": {3}}
	for _, c := range []struct {
		data map[string][]float64
		s    sample.Settings
		want string
	}{
		{data, sample.Settings{Draws: -1}, "-1 draws"},
		{data, sample.Settings{Paths: -1}, "-1 paths"},
		{data, sample.Settings{Paths: 4, Start: mat.NewDense(4, 1, nil)}, "none with Start"},
		{data, sample.Settings{Paths: 4, Method: sample.Laplace(gaussian.Laplace{})}, "takes no"},
		{nil, sample.Settings{}, "data heads is missing"},
		{data, sample.Settings{Kernel: hmc.Kernel{Leaps: -1}}, "-1 leaps"},
		{data, sample.Settings{Start: mat.NewDense(3, 1, nil)}, "3×1 starts, want 4×1"},
	} {
		_, err := sample.Run(t.Context(), coins, c.data, c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A probability given 3 successes of 10, with a uniform prior: 1/3 ± 0.13.
func Example() {
	fit, err := sample.Run(context.Background(), func(t *density.Trace) {
		p := t.Sample("p", density.Beta(1, 1))
		t.Observe(density.Binomial(10, p), t.Data("heads"))
	}, map[string][]float64{"heads": {3}}, sample.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fit.Close()
	fmt.Printf("%.1f ± %.1f\n", stat.Mean(fit.Of("p"), nil), stat.StdDev(fit.Of("p"), nil))
	// Output: 0.3 ± 0.1
}

// What has no density anywhere is named: an index beyond its array, with data alone and with
// parameters, a term, and a distribution.
func TestUndefined(t *testing.T) {
	data := map[string][]float64{"group": {0, 1, 2}, "y": {1, 2, 3}}
	for want, model := range map[string]func(t *density.Trace){
		"of the data alone: ": func(t *density.Trace) {
			b, g := t.Sample("b", density.Normal(0, 1), 2), t.Data("group", 3)
			t.Observe(density.Normal(b.Index(0, 0), 1), t.Constant([]float64{4, 5}, 2).Take(g, 0))
		},
		"data y (normal) has no log density": func(t *density.Trace) {
			b, g := t.Sample("b", density.Normal(0, 1), 2), t.Data("group", 3)
			t.Observe(density.Normal(b.Take(g, 0), 1), t.Data("y", 3))
		},
		"the log density of term 1 of Add is NaN": func(t *density.Trace) {
			s := t.Sample("s", density.HalfNormal(1))
			t.Add(s)
			t.Add(s.Neg().Log())
		},
		"the log density of parameter b (normal) is NaN": func(t *density.Trace) {
			t.Sample("b", density.Normal(0, t.Sample("s", density.HalfNormal(1)).Neg()))
		},
	} {
		for _, by := range []*sample.Method{nil, sample.Laplace(gaussian.Laplace{})} {
			_, err := sample.Run(t.Context(), model, data, sample.Settings{Method: by})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}
