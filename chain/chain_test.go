package chain_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/chain"
	"tobac/internal/must"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// bell is a standard normal density in one coordinate, for four chains.
type bell struct{}

func (bell) Dims() (points, coordinates int) { return 4, 1 }

func (bell) LogDensity(logp []float64, grad, x *mat.Dense) error {
	for k := range logp {
		v := x.At(k, 0)
		logp[k] = -v * v / 2
		grad.Set(k, 0, -v)
	}
	return nil
}

// hole has no density anywhere, or a target that fails.
type hole struct {
	bell
	err error
}

func (h hole) LogDensity(logp []float64, _, _ *mat.Dense) error {
	for k := range logp {
		logp[k] = math.Inf(-1)
	}
	return h.err
}

// A kink has a density and no slope.
type kink struct{ bell }

func (kink) LogDensity(logp []float64, grad, _ *mat.Dense) error {
	clear(logp)
	grad.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, grad)
	return nil
}

// Errors of starts, kernels and targets say what is wrong.
func TestMistakes(t *testing.T) {
	broken := errors.New("no power")
	for _, c := range []struct {
		s    chain.Sampler
		want string
	}{
		{chain.Sampler{Kernel: nuts.Kernel{}}, "no target"},
		{chain.Sampler{Target: bell{}}, "no kernel"},
		{chain.Sampler{Target: hole{}, Kernel: nuts.Kernel{}},
			"not finite at any of 100 starts of 4 of 4 chains"},
		{chain.Sampler{Target: kink{}, Kernel: nuts.Kernel{}},
			"not finite at any of 100 starts of 4 of 4 chains, although"},
		{chain.Sampler{Target: hole{err: broken}, Kernel: nuts.Kernel{}}, "no power"},
		{chain.Sampler{Target: hole{}, Kernel: nuts.Kernel{}, Start: mat.NewDense(4, 1, nil)},
			"start of chain 0"},
		{chain.Sampler{Target: bell{}, Kernel: nuts.Kernel{}, Start: mat.NewDense(3, 1, nil)},
			"3×1 starts, want 4×1"},
		{chain.Sampler{Target: bell{}, Kernel: nuts.Kernel{Depth: 31}}, "depth 31"},
		{chain.Sampler{Target: bell{}, Kernel: nuts.Kernel{Metric: 3}}, "metric 3"},
		{chain.Sampler{Target: pair{}, Kernel: nuts.Kernel{Metric: chain.Dense}, WarmUp: 4},
			"want at least 54"},
	} {
		if _, err := c.s.Begin(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Chains start at the rows that are given.
func TestStart(t *testing.T) {
	s := chain.Sampler{
		Target: bell{},
		Kernel: nuts.Kernel{},
		Start:  mat.NewDense(4, 1, []float64{1, 2, 3, 4}),
	}
	state := must.Get(s.Begin())(t)
	for k, c := range state.Chains {
		if c.X[0] != float64(k+1) {
			t.Errorf("chain %d starts at %v", k, c.X)
		}
	}
}

// pair is a normal density of two coordinates of standard deviations 0.01 and 100 and some
// correlation, for four chains.
type pair struct{ correlation float64 }

func (pair) Dims() (points, coordinates int) { return 4, 2 }

func (p pair) LogDensity(logp []float64, grad, x *mat.Dense) error {
	r := p.correlation
	for k := range logp {
		a, b := x.At(k, 0)/0.01, x.At(k, 1)/100
		logp[k] = -(a*a - 2*r*a*b + b*b) / (2 * (1 - r*r))
		grad.Set(k, 0, (r*b-a)/(1-r*r)/0.01)
		grad.Set(k, 1, (r*a-b)/(1-r*r)/100)
	}
	return nil
}

// The metric of a normal density is its covariance, to the rounding of a short warm-up, where it is
// dense or coordinates are independent. A diagonal metric of correlated coordinates is between the
// variances and those given the other coordinate, as exact as a standard deviation of 58 draws. An
// automatic one is dense where that shortens trajectories.
func TestMetric(t *testing.T) {
	for _, c := range []struct {
		correlation float64
		metric      chain.Metric
		want        []float64
		tolerance   float64
	}{
		{0, chain.Automatic, []float64{1e-4, 1e4}, 1e-3},
		{0.5, chain.Automatic, []float64{1e-4 * math.Sqrt(0.75), 1e4 * math.Sqrt(0.75)}, 0.3},
		{0.99, chain.Automatic, []float64{1e-4, 0.99, 0.99, 1e4}, 1e-3},
		{0.5, chain.Dense, []float64{1e-4, 0.5, 0.5, 1e4}, 1e-3},
		{0.5, chain.Diagonal, []float64{1e-4 * math.Sqrt(0.75), 1e4 * math.Sqrt(0.75)}, 0.3},
	} {
		target, kernel := pair{c.correlation}, nuts.Kernel{Metric: c.metric}
		s := chain.Sampler{Target: target, Kernel: kernel, WarmUp: 100}
		state := must.Get(s.Begin())(t)
		must.Do(t, s.Advance(t.Context(), state, 100, nil))
		for _, got := range state.Chains {
			if len(got.Metric) != len(c.want) {
				t.Fatalf("correlation %v, metric %d: %v", c.correlation, c.metric, got.Metric)
			}
			for i, want := range c.want {
				if math.Abs(got.Metric[i]/want-1) > c.tolerance {
					t.Errorf("correlation %v, metric %d: %v, want %v",
						c.correlation, c.metric, got.Metric, c.want)
				}
			}
		}
	}
}

// A run is cut in two by a checkpoint.
func Example() {
	s := chain.Sampler{Target: bell{}, Kernel: nuts.Kernel{}, WarmUp: 200}
	state, err := s.Begin()
	if err != nil {
		fmt.Println(err)
		return
	}
	var draws []float64
	observe := func(_ int, c *chain.Chain) {
		if c.Iteration > s.WarmUp {
			draws = append(draws, c.X[0])
		}
	}
	for _, to := range []int{500, 1200} { // iterations in all
		if err := s.Advance(context.Background(), state, to, observe); err != nil {
			fmt.Println(err)
			return
		}
		var file bytes.Buffer // and back, as from a file
		if err := gob.NewEncoder(&file).Encode(state); err != nil {
			fmt.Println(err)
			return
		}
		state = &chain.State{}
		if err := gob.NewDecoder(&file).Decode(state); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%d draws, standard deviation %.1f\n", len(draws), stat.StdDev(draws, nil))
	// Output: 4000 draws, standard deviation 1.0
}

// script is a kernel that draws from a normal density of standard deviation 100, and from one of
// 0.01 whose log density is greater by 50 from iteration 200 on.
type script struct{}

func (script) Check() error { return nil }

func (script) Mass() chain.Metric { return chain.Automatic }

func (script) Moves(w *chain.Walk) func() bool {
	p := chain.NewPoint(1)
	return func() bool {
		sd, top := 100.0, 0.0
		if w.Chain.Iteration >= 200 {
			sd, top = 0.01, 50
		}
		z := w.Rand.NormFloat64()
		p.X[0], p.Grad[0], p.LogDensity = sd*z, -z/sd, top-z*z/2
		w.Move(&p)
		w.Learn()
		return true
	}
}

// After a jump to a more probable place the metric is that of the new place, ten iterations later
// and at the end.
func TestJump(t *testing.T) {
	s := chain.Sampler{Target: bell{}, Kernel: script{}, WarmUp: 300}
	state := must.Get(s.Begin())(t)
	for _, at := range []struct {
		iteration int
		want      float64
	}{{200, 1e4}, {210, 1e-4}, {300, 1e-4}} {
		to, want := at.iteration, at.want
		must.Do(t, s.Advance(t.Context(), state, to, nil))
		for k, c := range state.Chains {
			if math.Abs(c.Metric[0]/want-1) > 1e-6 {
				t.Errorf("chain %d, iteration %d: metric %v, want %v", k, to, c.Metric, want)
			}
		}
	}
}

// Of ten points each chain starts at the most probable one: within 0.7 of the mode but for one time
// in seventy. Of single points two in three are farther.
func TestStarts(t *testing.T) {
	far := 0
	for seed := range uint64(25) {
		state :=
			must.Get(chain.Sampler{Target: bell{}, Kernel: nuts.Kernel{}, Seed: seed}.Begin())(t)
		for _, c := range state.Chains {
			if math.Abs(c.X[0]) > 0.7 {
				far++
			}
		}
		if c := state.Chains; c[1].X[0] != -c[0].X[0] || c[3].X[0] != -c[2].X[0] ||
			c[2].X[0] == c[0].X[0] {
			t.Errorf("starts %v, want mirror images of a symmetric density", c)
		}
	}
	if far > 6 {
		t.Errorf("%d of 100 chains start far from the mode", far)
	}
}
