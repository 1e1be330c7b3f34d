package smc_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tobac/density"
	"tobac/gaussian"
	"tobac/smc"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// normalMean has the evidence N(y; 0, I + 11ᵀ) of three data with a common mean, and a posterior
// 1.5 ± 0.5.
func normalMean(t testing.TB, points, workers int) *density.Model {
	t.Helper()
	m, err := density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Data("y", 3))
	}, density.Options{Points: points, Workers: workers, Data: map[string][]float64{"y": {1, 2, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func normal(mean, sd float64) *gaussian.Normal {
	return &gaussian.Normal{
		Mean: []float64{mean},
		Root: mat.NewTriDense(1, mat.Lower, []float64{sd}),
	}
}

// evidence of it: |I + 11ᵀ| = 4, its inverse I − 11ᵀ/4.
var evidence = -1.5*math.Log(2*math.Pi) - math.Log(4)/2 - (14-36./4)/2

// Evidence and moments of a normal model, from its prior and from another normal distribution;
// 800 points with an effective size of half of them at least: four standard errors.
func TestNormal(t *testing.T) {
	m := normalMean(t, 64, 1)
	wide := smc.Between{To: m, From: normal(4, 3)}
	for _, target := range []smc.Target{m, wide} {
		state, err := smc.Sampler{Target: target, Particles: 800, Seed: 1}.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := stat.MeanStdDev(mat.Col(nil, 0, state.X), nil)
		if math.Abs(state.LogEvidence-evidence) > 4*math.Sqrt(state.Variance)+1e-3 ||
			state.Variance > 0.01 {
			t.Errorf(
				"log evidence %v ± %v, want %v",
				state.LogEvidence,
				math.Sqrt(state.Variance),
				evidence,
			)
		}
		if math.Abs(mean-1.5) > 0.1 || math.Abs(sd-0.5) > 0.07 {
			t.Errorf("%v ± %v, want 1.5 ± 0.5", mean, sd)
		}
	}
}

// Two modes at distance 12 keep their weights, which a Markov chain does not find.
func TestModes(t *testing.T) {
	m, err := density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 5), 2)
		modes := density.Normal(-4, 0.3).LogProb(x.Index(0, 0)).AddScalar(math.Log(0.3))
		t.Add(
			modes.LogAddExp(density.Normal(4, 0.3).LogProb(x.Index(0, 0)).AddScalar(math.Log(0.7))),
		)
	}, density.Options{Points: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	state, err := smc.Sampler{Target: m, Particles: 1500, Seed: 2}.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	right := 0.0
	for _, v := range mat.Col(nil, 0, state.X) {
		if v > 0 {
			right += 1. / 1500
		}
	}
	if math.Abs(right-0.7) > 0.06 { // with resampling five times or so, four standard errors
		t.Errorf("%v of the points are at the right mode, want 0.7", right)
	}
	if want := math.Log(math.Exp(-16./50) / 5 / math.Sqrt(2*math.Pi)); math.Abs(
		state.LogEvidence-want,
	) > 0.15 {
		t.Errorf("log evidence %v, want %v", state.LogEvidence, want)
	}
}

// A run that is cancelled, saved and restored has the same bits, for any number of workers.
func TestResume(t *testing.T) {
	want, err := smc.Sampler{
		Target:    normalMean(t, 16, 1),
		Particles: 70,
		Seed:      5,
	}.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := smc.Sampler{Target: normalMean(t, 16, 3), Particles: 70, Seed: 5}
	state, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Step(ctx, state); !errors.Is(err, context.Canceled) || state.Steps != 0 {
		t.Fatalf("%v after %d steps", err, state.Steps)
	}
	for !state.Done() {
		var file bytes.Buffer
		if err := gob.NewEncoder(&file).Encode(state); err != nil {
			t.Fatal(err)
		}
		state = &smc.State{}
		if err := gob.NewDecoder(&file).Decode(state); err != nil {
			t.Fatal(err)
		}
		if err := s.Step(t.Context(), state); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(state.X, want.X) || !floats.Equal(state.Likelihood, want.Likelihood) ||
		state.LogEvidence != want.LogEvidence ||
		!reflect.DeepEqual(state.StepSize, want.StepSize) {
		t.Errorf("a run that was cut differs: %v, %v", state.LogEvidence, want.LogEvidence)
	}
}

// The gradient of the path to any density is that of differences.
func TestBetween(t *testing.T) {
	m := normalMean(t, 2, 1)
	b := smc.Between{To: m, From: normal(1, 2)}
	at := func(x float64) (float64, float64) {
		prior, rest, grad := make([]float64, 2), make([]float64, 2), mat.NewDense(2, 1, nil)
		if err := b.Tempered(
			0.3,
			prior,
			rest,
			grad,
			mat.NewDense(2, 1, []float64{0, x}),
		); err != nil {
			t.Fatal(err)
		}
		return prior[1] + 0.3*rest[1], grad.At(1, 0)
	}
	high, _ := at(0.7 + 1e-5)
	low, _ := at(0.7 - 1e-5)
	if _, g := at(0.7); math.Abs(g-(high-low)/2e-5) > 1e-8 {
		t.Errorf("gradient %v, differences %v", g, (high-low)/2e-5)
	}
}

// Settings out of range, and priors without draws, are errors.
func TestMistakes(t *testing.T) {
	flat, err := density.New(
		func(t *density.Trace) { t.Parameter("free", density.Real()) },
		density.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer flat.Close()
	for _, c := range []struct {
		s    smc.Sampler
		want string
	}{
		{smc.Sampler{}, "no target"}, {smc.Sampler{Target: flat}, "parameter free"}, {smc.Sampler{Target: flat, Particles: 1}, "1 particles"},
		{smc.Sampler{Target: flat, Moves: -1}, "-1 moves"}, {smc.Sampler{Target: smc.Between{To: flat}}, "no distribution"},
	} {
		if _, err := c.s.Run(t.Context(), nil); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The evidence of three data with a common mean, −5.950 exactly.
func Example() {
	m, err := density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Data("y", 3))
	}, density.Options{Points: 64, Data: map[string][]float64{"y": {1, 2, 3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	state, err := smc.Sampler{Target: m}.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("log evidence %.0f\n", state.LogEvidence)
	// Output: log evidence -6
}
