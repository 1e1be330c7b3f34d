package mcmc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/diagnostics"
	"tobac/internal/must"
	"tobac/score"

	"gonum.org/v1/gonum/stat"
)

// Split R̂, effective sample size, standard error and range are what the words of [quantity] say,
// computed from the samples themselves; of an odd number of blocks the last is left out.
func TestQuantity(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, samples := range []int{4, 5, 9, 2 * 37} {
		var all []series
		var halves [][]float64
		var used, blocks, means, variances []float64
		low, high := math.Inf(1), math.Inf(-1)
		for k := range 3 {
			s, x := newSeries(2), make([]float64, samples)
			for i := range x {
				x[i] = rng.NormFloat64() + 0.3*float64(k)
				s.add([]float64{7, x[i]})
			}
			all = append(all, s)
			per := s.PerBlock
			half := len(s.Blocks) / 2 * per
			x = x[:2*half]
			halves = append(halves, x[:half], x[half:])
			for b := range slices.Chunk(x, per) {
				blocks = append(blocks, stat.Mean(b, nil))
			}
			used = append(used, x...)
			low, high = min(low, stat.Mean(x, nil)), max(high, stat.Mean(x, nil))
		}
		for _, h := range halves {
			means, variances = append(means, stat.Mean(h, nil)),
				append(variances, stat.Variance(h, nil))
		}
		n, w := float64(len(halves[0])), stat.Mean(variances, nil)
		total, v := float64(len(used)), stat.Variance(used, nil)
		ess := min(total, total*v/(total/float64(len(blocks))*stat.Variance(blocks, nil)))
		want := diagnostics.Quantity{Mean: 0.5, StandardError: math.Sqrt(v / ess),
			RHat: math.Sqrt(((n-1)/n*w + stat.Variance(means, nil)) / w), ESS: ess,
			Range: high - low}
		got := quantity(all, 1, 0.5)
		for k, pair := range [][2]float64{{got.Mean, want.Mean},
			{got.StandardError, want.StandardError}, {got.RHat, want.RHat}, {got.ESS, want.ESS},
			{got.Range, want.Range}} {
			if !(math.Abs(pair[0]-pair[1]) < 1e-9*max(1, pair[1])) {
				t.Errorf("%d samples: %+v, want %+v: number %d differs", samples, got, want, k+1)
			}
		}
		// A number that never changes.
		if q := quantity(all, 0, 7); q.RHat != 1 || q.StandardError > 1e-9 || q.ESS != total {
			t.Errorf("%d samples of a constant: %+v", samples, q)
		}
	}
	// Chains that stand still apart; and three blocks, which are too few.
	apart := []series{newSeries(1), newSeries(1)}
	for k := range apart {
		for i := range 8 {
			if apart[k].add([]float64{float64(k)}); i == 2 {
				if q := quantity(apart[k:k+1], 0, 1); !math.IsNaN(q.RHat) || !math.IsNaN(q.ESS) ||
					!math.IsNaN(q.StandardError) || !math.IsNaN(q.Range) {
					t.Errorf("three samples: %+v, want NaN", q)
				}
			}
		}
	}
	if q := quantity(apart, 0, 0.5); !math.IsInf(q.RHat, 1) || q.ESS != 1 || q.Range != 1 {
		t.Errorf("chains that stand still apart: %+v", q)
	}
	// Chains that stand still at the same number, but for rounding.
	for k := range apart {
		apart[k] = newSeries(1)
		for range 8 {
			apart[k].add([]float64{-4e4 * (1 + 1e-13*float64(k))})
		}
	}
	if q := quantity(apart, 0, -4e4); q.RHat != 1 {
		t.Errorf("chains that stand still: %+v", q)
	}
}

// Chains that stand still at probabilities of an edge which hardly differ agree.
func TestStandingStill(t *testing.T) {
	for difference, agree := range map[float64]bool{0.03: true, 0.06: false} {
		q := diagnostics.Quantity{Mean: 0.5, StandardError: 0.02, RHat: math.Inf(1), ESS: 1,
			Range: difference}
		d := diagnostics.GraphChains{Samples: 800, LogP: diagnostics.Quantity{RHat: 1},
			Uncertain: []diagnostics.EdgeQuantity{{Quantity: q}}}
		if got := d.MaxRHat() == 1 && d.MinESS() == 800 && len(d.Apart()) == 0; got != agree {
			t.Errorf("difference %v: R̂ %v, effective size %v, %v", difference, d.MaxRHat(),
				d.MinESS(), d.Apart())
		}
	}
}

// Standard errors are as large as the errors, over 200 seeds: the mean of the squares of their
// ratios is 1, within what so many can tell and the blocks are short of, for chains with a known
// correlation and for edges whose probabilities are known.
func TestStandardErrorsOverSeeds(t *testing.T) {
	const seeds = 200
	check := func(what string, z []float64) {
		t.Helper()
		sum := 0.0
		for _, v := range z {
			sum += v * v / float64(len(z))
		}
		t.Logf("%s: root of the mean square of error / standard error: %.2f", what, math.Sqrt(sum))
		if r := math.Sqrt(sum); r < 0.8 || r > 1.25 {
			t.Errorf("%s: errors are %.2f times their standard errors", what, r)
		}
	}
	for _, rho := range []float64{0, 0.5, 0.9} {
		var z []float64
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 5))
			all, mean := make([]series, 2), 0.0
			const n = 1500
			for k := range all {
				all[k] = newSeries(1)
				for x, i := rng.NormFloat64(), 0; i < n; i++ {
					x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
					all[k].add([]float64{x})
					mean += x / (n * float64(len(all)))
				}
			}
			z = append(z, mean/quantity(all, 0, mean).StandardError)
		}
		check("autoregressive", z)
	}
	p := small(t, 3, 2)
	all, logs := p.partitions()
	want, total := 0.0, 0.0 // P(0 → 1)
	edge := make([]float64, 2)
	for k, s := range all {
		p.tables[1].marginals(edge, s.before[1], s.near[1])
		want += math.Exp(logs[k]) * edge[0]
		total += math.Exp(logs[k])
	}
	want /= total
	var z []float64
	for seed := range uint64(seeds) {
		m := must.Get(New(context.Background(), p.scorer, score.Uniform(3),
			Options{Chains: 2, Rungs: 1, WarmUp: 20, Draws: -1, Seed: seed, Workers: 1}))(t)
		must.Do(t, m.Advance(context.Background(), 400))
		d := must.Get(m.Diagnostics())(t)
		for _, e := range d.Uncertain {
			if e.From == 0 && e.To == 1 {
				z = append(z, (e.Mean-want)/e.StandardError)
			}
		}
	}
	if len(z) != seeds {
		t.Fatalf("%d of %d seeds have the edge", len(z), seeds)
	}
	check("0 → 1", z)
}
