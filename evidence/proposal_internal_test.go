package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The gradient of a mixture's log density is that of central differences.
func TestMixtureGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	const n = 3
	m := &mixture{logWeights: []float64{math.Log(0.3), math.Log(0.7)}}
	for range m.logWeights {
		var qr mat.QR
		a := mat.NewDense(n, n, nil)
		a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
		qr.Factorize(a)
		directions := new(mat.Dense)
		qr.QTo(directions)
		center, widths := make([]float64, n), make([]float64, n)
		for k := range n {
			center[k], widths[k] = rng.NormFloat64(), math.Exp(rng.NormFloat64())
		}
		m.parts = append(m.parts, newStudentT(center, directions, widths))
	}
	for range 20 {
		x := m.draw(rng)
		_, got := m.density(x)
		want := fd.Gradient(nil, func(x []float64) float64 { v, _ := m.density(x); return v }, x, &fd.Settings{Formula: fd.Central})
		if !floats.EqualApprox(got, want, 1e-6) {
			t.Errorf("gradient at %v: %v, by differences %v", x, got, want)
		}
	}
}

// Of two estimates the logarithm of the mean; its standard error is the larger of what the variances of both say and of half their difference.
func TestBoth(t *testing.T) {
	for _, c := range []struct{ first, second, variances, log, standardError float64 }{
		{3, 3, 0.04, 3, 0.04},
		{0, math.Log(3), 0.08, math.Ln2, math.Log(3) / 2},
	} {
		got, sd := both([2]*population{{log: c.first, variance: c.variances * c.variances * 1.5}, {log: c.second, variance: c.variances * c.variances * 2.5}})
		if math.Abs(got-c.log) > 1e-12 || math.Abs(sd-c.standardError) > 1e-12 {
			t.Errorf("%+v: got %v ± %v", c, got, sd)
		}
	}
}

// Where points pass several temperatures, from a distribution that is much wider than the density, estimates are unbiased, and their standard errors as large as the errors, over
// 200 seeds; the points that are left follow the density.
func TestPopulationOverSeeds(t *testing.T) {
	const n, seeds, points = 2, 200, 24
	center, sds, constant := []float64{1, -2}, []float64{0.5, 2}, 3.0
	ask := func(all []*point) error {
		for _, p := range all {
			p.prior, p.priorGrad, p.data, p.dataGrad = constant, make([]float64, n), 0, make([]float64, n)
			for k, v := range p.x {
				z := (v - center[k]) / sds[k]
				p.data -= z * z / 2
				p.dataGrad[k] -= z / sds[k]
			}
		}
		return nil
	}
	from := &mixture{logWeights: []float64{0}, parts: []*studentT{newStudentT([]float64{0, 1}, mat.NewDense(n, n, []float64{0.6, -0.8, 0.8, 0.6}), []float64{8, 12})}}
	want := constant + math.Log(2*math.Pi*sds[0]*sds[1])
	ratios, mean, moments := 0.0, 0.0, make([]float64, 2*n)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var halves [2]*population
		for k := range halves {
			var err error
			if halves[k], err = (&target{given: &given{}, ask: ask}).sample(from, points, rng); err != nil {
				t.Fatal(err)
			}
			if halves[k].steps < 2 {
				t.Fatalf("%d weightings, want more than one", halves[k].steps)
			}
		}
		log, sd := both(halves)
		ratios += (log - want) * (log - want) / (sd * sd) / seeds
		mean += math.Exp(log-want) / seeds
		for _, x := range parameters(halves, rng) {
			for k, v := range x {
				z := (v - center[k]) / sds[k]
				moments[2*k] += z / (seeds * setDraws)
				moments[2*k+1] += z * z / (seeds * setDraws)
			}
		}
	}
	if r := math.Sqrt(ratios); r < 0.85 || r > 1.2 || math.Abs(mean-1) > 0.06 || !floats.EqualApprox(moments, []float64{0, 1, 0, 1}, 0.06) {
		t.Errorf("errors are %.2f times their standard errors, estimates %.3f times the truth on average, moments of the points %.3f", r, mean, moments)
	}
}
