package smc_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tobac/density"
	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/internal/must"
	"tobac/smc"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// normalMean has the evidence N(y; 0, I + 11ᵀ) of three data with a common mean, and a posterior
// 1.5 ± 0.5.
func normalMean(t testing.TB, points, workers int) *density.Model {
	t.Helper()
	m := must.Get(density.New(func(t *density.Trace) {
		mu := t.Sample("mu", density.Normal(0, 1))
		t.Observe(density.Normal(mu, 1), t.Data("y", 3))
	}, density.Options{Points: points, Workers: workers,
		Data: map[string][]float64{"y": {1, 2, 3}}}))(t)
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
		state :=
			must.Get(smc.Sampler{Target: target, Particles: 800, Seed: 1}.Run(t.Context(), nil))(t)
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

// A normal distribution of 6 coordinates whose standard deviations span four orders of magnitude
// along directions that are no coordinates keeps its variances, from a start that is far from it,
// and with too few moves the state says so.
func TestCorrelated(t *testing.T) {
	const d = 6
	rng := rand.New(rand.NewPCG(1, 2))
	a := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	var q, scaled, covariance mat.Dense
	qr.Factorize(a)
	qr.QTo(&q)
	scaled.Apply(func(_, j int, v float64) float64 { return v * math.Pow(10, -4*float64(j)/(d-1)) },
		&q)
	covariance.Mul(&scaled, scaled.T())
	spread := mat.NewSymDense(d, covariance.RawMatrix().Data)
	var c mat.Cholesky
	if !c.Factorize(spread) {
		t.Fatal("not positive definite")
	}
	var lower mat.TriDense
	c.LTo(&lower)
	to := target{&gaussian.Normal{Mean: make([]float64, d), Root: &lower}}
	from := &gaussian.Normal{Mean: make([]float64, d), Root: mat.NewTriDense(d, mat.Lower, nil)}
	for i := range d {
		from.Mean[i] = 1
		from.Root.SetTri(i, i, 2)
	}
	for _, most := range []int{0, 1} {
		state := must.Get(smc.Sampler{
			Target: smc.Between{To: to, From: from}, Particles: 400, Moves: 5 - 4*most,
			MostMoves: most,
		}.Run(t.Context(), nil))(t)
		worst := 0.0
		for i := range d {
			mean, v := stat.MeanVariance(mat.Col(nil, i, state.X), nil)
			worst = math.Max(worst, math.Abs(v/spread.At(i, i)-1))
			worst = math.Max(worst, math.Abs(mean)/math.Sqrt(spread.At(i, i)))
		}
		warns := diagnostics.Worst(diagnostics.Population(state.StaysMost)) != diagnostics.OK
		if most == 0 && (warns || worst > 0.3) || most == 1 && !warns {
			t.Errorf("at most %d moves: off by %.2f, stays %.2f, warns %v",
				most, worst, state.StaysMost, warns)
		}
	}
}

// A target is a normal distribution, at 50 points at once.
type target struct{ *gaussian.Normal }

func (target) Dims() (points, coordinates int) { return 50, 6 }

func (n target) LogDensity(logp []float64, grad, x *mat.Dense) error {
	for k := range logp {
		logp[k] = n.Score(grad.RawRowView(k), x.RawRowView(k))
	}
	return nil
}

// Two modes at distance 12 keep their weights, which a Markov chain does not find.
func TestModes(t *testing.T) {
	m := must.Get(density.New(func(t *density.Trace) {
		x := t.Sample("x", density.Normal(0, 5), 2)
		modes := density.Normal(-4, 0.3).LogProb(x.Index(0, 0)).AddScalar(math.Log(0.3))
		t.Add(
			modes.LogAddExp(density.Normal(4, 0.3).LogProb(x.Index(0, 0)).AddScalar(math.Log(0.7))),
		)
	}, density.Options{Points: 64}))(t)
	defer m.Close()
	state := must.Get(smc.Sampler{Target: m, Particles: 1500, Seed: 2}.Run(t.Context(), nil))(t)
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
	want := must.Get(smc.Sampler{
		Target:    normalMean(t, 16, 1),
		Particles: 70,
		Seed:      5,
	}.Run(t.Context(), nil))(t)
	s := smc.Sampler{Target: normalMean(t, 16, 3), Particles: 70, Seed: 5}
	state := must.Get(s.Begin())(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Step(ctx, state); !errors.Is(err, context.Canceled) || state.Steps != 0 {
		t.Fatalf("%v after %d steps", err, state.Steps)
	}
	for !state.Done() {
		var file bytes.Buffer
		must.Do(t, gob.NewEncoder(&file).Encode(state))
		state = &smc.State{}
		must.Do(t, gob.NewDecoder(&file).Decode(state))
		must.Do(t, s.Step(t.Context(), state))
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
		must.Do(t, b.Tempered(
			0.3,
			prior,
			rest,
			grad,
			mat.NewDense(2, 1, []float64{0, x}),
		))
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
	flat := must.Get(density.New(
		func(t *density.Trace) { t.Parameter("free", density.Real()) },
		density.Options{},
	))(t)
	defer flat.Close()
	for _, c := range []struct {
		s    smc.Sampler
		want string
	}{
		{smc.Sampler{}, "no target"}, {smc.Sampler{Target: flat}, "parameter free"},
		{smc.Sampler{Target: flat, Particles: 1}, "1 particles"},
		{smc.Sampler{Target: flat, Moves: -1}, "-1 moves"},
		{smc.Sampler{Target: smc.Between{To: flat}}, "no distribution"},
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
