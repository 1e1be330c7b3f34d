package langevin_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/density"
	"tobac/internal/must"
	"tobac/langevin"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// mean is the posterior of the mean of 200 data, seen 20 at a time.
func mean(t testing.TB, workers int) (m *density.Model, want float64) {
	t.Helper()
	y := make([]float64, 200)
	for i := range y {
		y[i] = 2 + math.Sin(float64(7*i))
		want += y[i] / 201
	}
	m = must.Get(density.New(func(t *density.Trace) {
		t.Observe(density.Normal(t.Sample("mu", density.Normal(0, 1)), 1), t.Batch("y", 20))
	}, density.Options{Points: 8, Workers: workers, Data: map[string][]float64{"y": y}}))(t)
	t.Cleanup(m.Close)
	return m, want
}

// Draws of a normal posterior, 8 chains of small steps: its mean and standard deviation, 0.0705.
// Steps of 0.001 hold 0.2 of the posterior variance, and mix within 20 of them.
func TestMoments(t *testing.T) {
	m, want := mean(t, 1)
	for _, s := range []langevin.Sampler{{Target: m, Scale: 1e-3, Decay: -1},
		{Target: m, Scale: 0.02, Decay: -1, Precondition: true}} {
		state := must.Get(s.Begin(mat.NewDense(8, 1, []float64{2, 2, 2, 2, 2, 2, 2, 2})))(t)
		var all []float64
		must.Do(t, s.Advance(t.Context(), state, 3000, func(state *langevin.State) {
			if state.Step > 200 {
				all = append(all, state.X.RawMatrix().Data...)
			}
		}))
		mu, sd := stat.MeanStdDev(all, nil)
		if math.Abs(mu-want) > 0.02 || sd < 0.06 || sd > 0.1 {
			t.Errorf("precondition %v: %v ± %v, want %v ± 0.0705", s.Precondition, mu, sd, want)
		}
	}
}

// With steps of a constant size ε in a standard normal distribution the states are an
// autoregression, x ← (1 − ε/2) x + √ε z, of the variance 1/(1 − ε/4) and the correlation 1 − ε/2
// from step to step.
func TestConstantStep(t *testing.T) {
	m := must.Get(density.New(func(t *density.Trace) { t.Sample("x", density.Normal(0, 1)) },
		density.Options{Points: 8}))(t)
	defer m.Close()
	const size = 0.5
	s := langevin.Sampler{Target: m, Scale: size, Decay: -1}
	state := must.Get(s.Begin(mat.NewDense(8, 1, nil)))(t)
	var before, after []float64
	last := make([]float64, 8)
	must.Do(t, s.Advance(t.Context(), state, 5000, func(state *langevin.State) {
		if state.Step > 50 {
			before, after = append(before, last...), append(after, state.X.RawMatrix().Data...)
		}
		copy(last, state.X.RawMatrix().Data)
	}))
	if v, want := stat.Variance(after, nil), 1/(1-size/4); math.Abs(v-want) > 0.05 {
		t.Errorf("variance %v, want %v", v, want)
	}
	if r, want := stat.Correlation(before, after, nil), 1-size/2; math.Abs(r-want) > 0.01 {
		t.Errorf("correlation %v, want %v", r, want)
	}
}

// A run in two parts has the same bits as one, for any number of workers.
func TestResume(t *testing.T) {
	m, _ := mean(t, 1)
	other, _ := mean(t, 3)
	run := func(m *density.Model, cuts ...int) *mat.Dense {
		s := langevin.Sampler{Target: m, Scale: 1e-3, Precondition: true, Seed: 4}
		state := must.Get(s.Begin(mat.NewDense(8, 1, nil)))(t)
		for _, to := range cuts {
			must.Do(t, s.Advance(context.Background(), state, to, nil))
		}
		return state.X
	}
	if a, b := run(m, 50), run(other, 17, 50); !mat.Equal(a, b) {
		t.Errorf("%v, %v", a.RawMatrix().Data, b.RawMatrix().Data)
	}
}

func TestMistakes(t *testing.T) {
	m, _ := mean(t, 1)
	for want, s := range map[string]langevin.Sampler{"no target": {}, "scale 0": {Target: m},
		"decay 2":   {Target: m, Scale: 1, Decay: 2},
		"offset -1": {Target: m, Scale: 1, Offset: -1}} {
		if _, err := s.Begin(mat.NewDense(8, 1, nil)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Step sizes fall from step to step.
func ExampleSampler_StepSize() {
	s := langevin.Sampler{Target: &density.Model{}, Scale: 0.1, Offset: 10}
	fmt.Printf("%.4f %.4f\n", s.StepSize(0), s.StepSize(1000))
	// Output: 0.0282 0.0022
}
