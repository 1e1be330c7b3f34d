package nuts_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"tobac/chain"
	"tobac/density"
	"tobac/internal/must"
	"tobac/internal/posteriordb"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// gauss is a normal distribution of two correlated coordinates, of standard deviations 1 and 100.
func gauss(t testing.TB, workers int) *density.Model {
	t.Helper()
	m := must.Get(density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(3, 1))
		t.Sample("y", density.Normal(x.Scale(80), 60))
	}, density.Options{Workers: workers}))(t)
	t.Cleanup(m.Close)
	return m
}

// Moments of a normal distribution with either metric; 4000 draws, of which half count at least, so
// that 6 standard errors of a mean are 0.14 standard deviations.
func TestNormal(t *testing.T) {
	for _, metric := range []chain.Metric{chain.Automatic, chain.Diagonal, chain.Dense} {
		s := chain.Sampler{Target: gauss(t, 1), Kernel: nuts.Kernel{Metric: metric}, Seed: 1}
		diverged := 0
		draws, err := s.Run(t.Context(), 1000, func(_ int, c *chain.Chain) {
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
				t.Errorf("metric %d, coordinate %d: %.3g ± %.3g, want %v", metric, i, m, sd, want)
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

// A run that is cut, cancelled, saved and restored has the draws of one that is not, for any number
// of workers.
func TestResume(t *testing.T) {
	for _, metric := range []chain.Metric{chain.Automatic, chain.Diagonal, chain.Dense} {
		whole := chain.Sampler{Target: gauss(t, 1), Kernel: nuts.Kernel{Metric: metric}, Seed: 7,
			WarmUp: 120}
		want, err := whole.Begin()
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, whole.Advance(t.Context(), want, 160, nil))
		cut := whole
		cut.Target = gauss(t, 3)
		got := must.Get(cut.Begin())(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		err = cut.Advance(ctx, got, 160, func(chain int, c *chain.Chain) {
			if chain == 2 && c.Iteration == 57 {
				cancel(enough)
			}
		})
		if !errors.Is(err, enough) {
			t.Fatalf("cancelled: %v", err)
		}
		var file bytes.Buffer
		must.Do(t, gob.NewEncoder(&file).Encode(got))
		got = &chain.State{}
		must.Do(t, gob.NewDecoder(&file).Decode(got))
		must.Do(t, cut.Advance(t.Context(), got, 160, nil))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("metric %d: a run that was cut went on to other chains", metric)
		}
	}
}

// The funnel's neck is told of.
func TestDivergences(t *testing.T) {
	m := must.Get(density.New(func(t *density.Trace) {
		v := t.Sample("v", density.Normal(0, 3))
		t.Sample("x", density.Normal(0, v.Scale(0.5).Exp()), 9)
	}, density.Options{}))(t)
	defer m.Close()
	diverged := 0
	if _, err := (chain.Sampler{Target: m, Kernel: nuts.Kernel{}, WarmUp: 300, Seed: 2}).Run(
		t.Context(),
		600,
		func(_ int, c *chain.Chain) {
			if c.Divergent {
				diverged++
			}
		},
	); err != nil ||
		diverged == 0 {
		t.Errorf("%v, %d divergences, want some", err, diverged)
	}
}

// A normal mean with a normal prior: the exact posterior is 1.5 ± 0.5.
func ExampleKernel() {
	m, err := density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Constant([]float64{1, 2, 3}, 3))
	}, density.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	draws, err := chain.Sampler{Target: m, Kernel: nuts.Kernel{}}.Run(context.Background(), 1000,
		nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, sd := stat.MeanStdDev(column(draws, 0), nil)
	fmt.Printf("%.1f ± %.1f\n", mean, sd)
	// Output: 1.5 ± 0.5
}

// Three posteriors of posteriordb, whose reference draws are 10⁴ nearly independent ones: means
// differ by less than 4.5 standard errors of the difference (estimated from few draws), standard
// deviations by less than 30 %. All 46, with long runs and closer bounds, are compared by
//
//	go test ./bench -run TestSamplers/nuts -long -v
func TestPosteriors(t *testing.T) {
	for _, name := range []string{
		"eight_schools-eight_schools_noncentered", "gp_pois_regr-gp_regr",
		"mesquite-logmesquite_logvolume",
	} {
		t.Run(name, func(t *testing.T) {
			p := posteriordb.Named(name)
			m := must.Get(p.Compile(4))(t)
			defer m.Close()
			s := chain.Sampler{Target: m, Kernel: nuts.Kernel{Acceptance: 0.9}, Seed: 3}
			x := must.Get(s.Run(t.Context(), 500, nil))(t)
			values := must.Get(m.Draws(x))(t)
			all := must.Get(p.Compare(m.Names(), values, false))(t)
			for _, d := range all {
				if !(d.Errors < 4.5) || !(math.Abs(d.Ratio) < 0.3) {
					t.Error(d)
				}
			}
		})
	}
}
