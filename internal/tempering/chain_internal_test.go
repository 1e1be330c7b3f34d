package tempering

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/must"
	"tobac/internal/vector"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// testNode is a variable with two candidates.
func testNode(t *testing.T, cfg Config) *node {
	t.Helper()
	cfg = must.Get(cfg.withDefaults())(t)
	kernels := must.Get(vector.Default())(t)
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(10, 3, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return newNode(x, nil, 2, []int{0, 1}, score.Fair(3), &cfg, kernels)
}

// Whatever moves have done to a state, what it holds are the sums that its parents, weights and
// biases give, up to rounding; after every 64th iteration to the bit.
func TestStatesAreFresh(t *testing.T) {
	for _, iterations := range []int{128, 150} {
		c := testNode(t, Config{Hidden: 2, Iterations: iterations, Temperatures: 4}).newChain(0)
		must.Do(t, c.run(context.Background()))
		for k, s := range c.states {
			fresh := c.newState()
			s.copyTo(fresh)
			for _, sums := range [][]float64{fresh.pre, fresh.phi[:c.units*c.n], fresh.gram} {
				floats.Scale(math.NaN(), sums)
			}
			c.refresh(fresh)
			same := func(a, b float64) bool {
				return a == b || iterations%64 != 0 && math.Abs(a-b) < 1e-10*max(1, math.Abs(b))
			}
			lower := func(gram []float64) (all []float64) {
				for a := range c.features + 1 {
					all = append(all, gram[a*(c.features+1):][:a+1]...)
				}
				return all
			}
			if !slices.EqualFunc(s.pre, fresh.pre, same) || !slices.EqualFunc(s.phi, fresh.phi,
				same) || !slices.EqualFunc(lower(s.gram), lower(fresh.gram), same) ||
				!same(s.prior, fresh.prior) || !same(s.evidence, fresh.evidence) {
				t.Errorf("temperature %d of %d iterations: prior %v, evidence %v, fresh %v, %v", k,
					iterations, s.prior, s.evidence, fresh.prior, fresh.evidence)
			}
		}
	}
}

// The second half of the iterations is kept, half of them in each half, with as many draws as are
// asked for; temperatures reach from the prior to the posterior, and the rates of refused swaps are
// those since they moved for the last time.
func TestChain(t *testing.T) {
	const iterations, draws = 40, 5
	c := testNode(t, Config{Hidden: 2, Iterations: iterations, Draws: chains * draws,
		Temperatures: 4}).newChain(0)
	must.Do(t, c.run(context.Background()))
	last := len(c.betas) - 1
	if c.kept != [2]int{iterations / 4, iterations / 4} || len(c.draws) != draws ||
		c.swaps != iterations/2 || c.evidences.n != iterations/2 {
		t.Errorf("kept %v iterations and %d draws, %d rounds of swaps", c.kept, len(c.draws),
			c.swaps)
	}
	if c.betas[0] != 0 || c.betas[last] != 1 || !slices.IsSorted(c.betas) {
		t.Errorf("inverse temperatures %v", c.betas)
	}
	// of equal temperatures, and of those that differ
	for beta, want := range map[float64]float64{0: 0, 1: 1} {
		clear(c.refused)
		c.swaps = 0
		for k := range c.betas {
			c.betas[k] = beta * float64(k)
		}
		for round := range 10 {
			for k, s := range c.states { // the better the colder: no swap
				s.evidence = 1e6 * float64(k)
			}
			c.exchange(round % 2)
		}
		for k, rate := range c.rejections() {
			if rate != want {
				t.Errorf("swaps %d, temperatures %v: rate of refusal %v, want %v", k, c.betas, rate,
					want)
			}
		}
	}
}

// Sums of numbers far from 1 keep them, R̂ of counts is that of the series of 0 and 1 which they
// count, and the prior of ln σ² has the integral 1.
func TestNumbers(t *testing.T) {
	for _, x := range [][]float64{{-1000, -1001}, {-1001, -1000, -1000}, {math.Inf(-1), -1000},
		{800}} {
		var l logSum
		for _, v := range x {
			l.add(v)
		}
		if want := floats.LogSumExp(x) -
			math.Log(float64(len(x))); !(math.Abs(l.logMean()-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("logarithm of the mean of exp %v: %v, want %v", x, l.logMean(), want)
		}
	}
	const n = 10
	for _, counts := range [][2][2]int{{{3, 5}, {4, 4}}, {{1, 9}, {8, 2}}} {
		var pair []*chain
		var means []float64
		within := 0.0
		for _, halves := range counts {
			c := &chain{kept: [2]int{n, n}}
			for half, count := range halves {
				c.counts[half] = []int{count}
				series := make([]float64, n)
				for k := range count {
					series[k] = 1
				}
				mean, variance := stat.MeanVariance(series, nil)
				means, within = append(means, mean), within+variance/4
			}
			pair = append(pair, c)
		}
		want := math.Sqrt(((n-1.)/n*within + stat.Variance(means, nil)) / within)
		if got := scaleReduction(pair, 0); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("counts %v of %d: R̂ is %v, want %v", counts, n, got, want)
		}
	}
	cfg, step, sum := Config{NoiseScale: 0.7}, 0.01, 0.0
	for logs := -10.0; logs < 60; logs += step {
		sum += step * math.Exp(cfg.logNoise(logs))
	}
	if !(math.Abs(sum-1) <= 1e-6) {
		t.Errorf("integral %v of the prior density of ln σ², want 1", sum)
	}
}

// Random walks of the noise variance are accepted neither nearly always nor hardly ever, at all
// temperatures.
func TestNoiseSteps(t *testing.T) {
	c := testNode(t, Config{Hidden: 2, Iterations: 40, Temperatures: 4}).newChain(0)
	s := c.states[3]
	for _, beta := range []float64{0, 0.1, 1} {
		const rounds = 1000
		moved := 0.0
		for range rounds {
			before := s.logs
			c.noise(s, beta, c.rng)
			if s.logs != before {
				moved++
			}
		}
		// A round is of two steps: a rate of 0.44, the best in one dimension, moves in 0.69 of the
		// rounds.
		if moved /= rounds; moved < 0.6 || moved > 0.85 {
			t.Errorf("inverse temperature %v: the noise variance moves in %v of the rounds, want "+
				"about 0.7", beta, moved)
		}
	}
}

// A draw from the prior may leave the data hardly any density; only at the inverse temperature 1
// that is an overflow.
func TestOverflow(t *testing.T) {
	for at, want := range []error{nil, ErrOverflow} {
		c := testNode(t,
			Config{Hidden: 2, NoiseVariance: 0.5, Iterations: 40, Temperatures: 2}).newChain(0)
		for _, s := range c.states[:at+1] {
			s.logs = math.Log(1e-200)
			c.refresh(s)
		}
		if err := c.run(context.Background()); err != want {
			t.Errorf("case %d: %v, want %v", at, err, want)
		}
	}
}
