package gaussian_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tobac/chain"
	"tobac/density"
	"tobac/gaussian"
	"tobac/internal/must"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// pair is a normal density of two coordinates, means 3 and 24, standard deviations 1 and 10 and
// covariance 8, times e⁵.
func pair(t testing.TB, points int) *density.Model {
	t.Helper()
	m := must.Get(density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(3, 1))
		t.Sample("y", density.Normal(x.Scale(8), 6))
		t.Add(t.Constant([]float64{5}))
	}, density.Options{Points: points}))(t)
	t.Cleanup(m.Close)
	return m
}

// plain hides the Hessian products of a model.
type plain struct{ chain.Target }

// Normal densities are found exactly: by Laplace's approximation with both kinds of Hessians,
// by Pathfinder, and by a variational fit of full rank. The best one with independent
// coordinates has the variances 1/Λᵢᵢ = 0.36 and 36.
func TestNormal(t *testing.T) {
	m := pair(t, 16)
	for _, c := range []struct {
		name        string
		fit         func() (*gaussian.Normal, error)
		tolerance   float64 // of everything, in standard deviations
		independent bool
	}{
		{"laplace", func() (*gaussian.Normal, error) {
			return gaussian.Laplace{Target: m}.Fit(t.Context())
		}, 1e-5, false},
		{"laplace, differences", func() (*gaussian.Normal, error) {
			return gaussian.Laplace{Target: plain{m}}.Fit(t.Context())
		}, 1e-4, false},
		{"pathfinder", func() (*gaussian.Normal, error) {
			p, err := gaussian.Pathfinder{Target: m, Paths: 1}.Run(t.Context())
			if err != nil {
				return nil, err
			}
			return p.Best[0], nil
		}, 0.1, false},
		{"full rank", func() (*gaussian.Normal, error) {
			return gaussian.Variational{Target: m, FullRank: true, Steps: 6000}.Fit(t.Context())
		}, 0.1, false},
		{"mean field", func() (*gaussian.Normal, error) {
			return gaussian.Variational{Target: m, Steps: 6000}.Fit(t.Context())
		}, 0.1, true},
	} {
		n, err := c.fit()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := n.Covariance()
		got := []float64{
			n.Mean[0] - 3,
			(n.Mean[1] - 24) / 10,
			s.At(0, 0) - 1,
			s.At(1, 1)/100 - 1,
			(s.At(0, 1) - 8) / 10,
			n.LogEvidence - 5,
		}
		if c.independent { // KL = −½ ln(1 − 0.8²)
			got = []float64{
				n.Mean[0] - 3,
				(n.Mean[1] - 24) / 10,
				s.At(0, 0)/.36 - 1,
				s.At(1, 1)/36 - 1,
				s.At(0, 1),
				n.LogEvidence - 5 - math.Log(0.6),
			}
		}
		for i, v := range got {
			if math.Abs(v) > c.tolerance {
				t.Errorf(
					"%s: error %v of number %d: %v, %v, %v",
					c.name,
					v,
					i,
					n.Mean,
					s.RawSymmetric().Data,
					n.LogEvidence,
				)
			}
		}
	}
}

// Draws have the moments of the distribution; log densities and scores are those of a formula
// and of differences.
func TestDistribution(t *testing.T) {
	n := &gaussian.Normal{
		Mean: []float64{1, -2},
		Root: mat.NewTriDense(2, mat.Lower, []float64{2, 0, -1, 0.5}),
	}
	draws := n.Draws(4000, 1)
	a, b := mat.Col(nil, 0, draws), mat.Col(nil, 1, draws)
	// four standard errors
	if math.Abs(stat.Mean(a, nil)-1) > 0.13 || math.Abs(stat.Variance(a, nil)-4) > 0.36 ||
		math.Abs(stat.Covariance(a, b, nil)+2) > 0.2 {
		t.Errorf("%v, %v, %v", stat.Mean(a, nil), stat.Variance(a, nil), stat.Covariance(a, b, nil))
	}
	x := []float64{0.3, 0.2}
	z := []float64{-0.35, (2.2 + -0.35) / 0.5}
	if want := -math.Log(2*math.Pi) - floats.Dot(z, z)/2; math.Abs(n.LogProb(x)-want) > 1e-13 {
		t.Errorf("log density %v, want %v", n.LogProb(x), want)
	}
	grad := make([]float64, 2)
	n.Score(grad, x)
	for i, g := range grad {
		up, down := []float64{0.3, 0.2}, []float64{0.3, 0.2}
		up[i] += 1e-5
		down[i] -= 1e-5
		if d := (n.LogProb(up) - n.LogProb(down)) / 2e-5; math.Abs(d-g) > 1e-8 {
			t.Errorf("score %v, differences %v", g, d)
		}
	}
}

// Eight schools with the variance among the parameters: the importance weights tell that no
// normal distribution is the density, and Pathfinder's weighted draws are near it.
func TestJudge(t *testing.T) {
	m := pair(t, 8)
	n := must.Get(gaussian.Laplace{Target: m}.Fit(t.Context()))(t)
	if w, err := n.Judge(m, 400, 1); err != nil || !(w.K < 0.5) ||
		math.Abs(floats.LogSumExp(w.LogWeights)) > 1e-12 {
		t.Errorf("exact: %v, %v", w, err)
	}
	narrow := &gaussian.Normal{
		Mean: n.Mean,
		Root: mat.NewTriDense(2, mat.Lower, []float64{0.4, 0, 0, 3}),
	}
	if w, err := narrow.Judge(m, 400, 1); err != nil || !(w.K > 0.5) {
		t.Errorf("narrow: %v, %v", w, err)
	}
	paths := must.Get(gaussian.Pathfinder{Target: m, Seed: 3}.Run(t.Context()))(t)
	draws := paths.Draws(500, 2)
	if mean := stat.Mean(mat.Col(nil, 1, draws), nil); math.Abs(mean-24) > 2 || paths.K > 0.7 {
		t.Errorf("pathfinder: mean %v, shape %v", mean, paths.K)
	}
}

// A climb in two parts has the same bits; a cancelled one stops with its state intact.
func TestResume(t *testing.T) {
	v := gaussian.Variational{Target: pair(t, 4), FullRank: true, Steps: 100, Seed: 8}
	want := must.Get(v.Begin())(t)
	must.Do(t, v.Advance(t.Context(), want, 100))
	got := must.Get(v.Begin())(t)
	ctx, cancel := context.WithCancel(t.Context())
	must.Do(t, v.Advance(ctx, got, 43))
	cancel()
	if err := v.Advance(ctx, got, 100); !errors.Is(err, context.Canceled) || got.Step != 43 {
		t.Fatalf("%v at step %d", err, got.Step)
	}
	if err := v.Advance(t.Context(), got, 100); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
}

// What has no mode or wrong settings is an error that says so.
func TestMistakes(t *testing.T) {
	ridge := must.Get(density.New(
		func(t *density.Trace) { t.Add(t.Parameter("free", density.Real()).Square()) },
		density.Options{},
	))(t)
	defer ridge.Close()
	fit := func(l gaussian.Laplace) error { _, err := l.Fit(t.Context()); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fit(gaussian.Laplace{}), "no target"},
		{fit(gaussian.Laplace{Target: ridge, From: []float64{1, 2}}), "2 coordinates"},
		{fit(gaussian.Laplace{Target: ridge, From: []float64{1e-3}}), ""},
		{fit(gaussian.Laplace{Target: ridge, Starts: -1}), "-1 starts"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

// Laplace's approximation of a posterior that is normal: 1.5 ± 0.5, with the evidence −5.950.
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
	n, err := gaussian.Laplace{Target: m}.Fit(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f ± %.3f, log evidence %.3f\n", n.Mean[0], n.Root.At(0, 0), n.LogEvidence)
	// Output: 1.500 ± 0.500, log evidence -5.950
}
