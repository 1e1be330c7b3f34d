package evidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
)

// The gradient of a mixture's log density is that of central differences, and draws come from its
// parts in proportion to their weights.
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
		want := fd.Gradient(nil, func(x []float64) float64 { v, _ := m.density(x); return v }, x,
			&fd.Settings{Formula: fd.Central})
		if !floats.EqualApprox(got, want, 1e-6) {
			t.Errorf("gradient at %v: %v, by differences %v", x, got, want)
		}
	}
	m.parts[1].center = []float64{1e9, 0, 0}
	const draws = 1000
	far := 0.0
	for range draws {
		if m.draw(rng)[0] > 5e8 {
			far++
		}
	}
	if z := (far - 0.7*draws) / math.Sqrt(0.3*0.7*draws); !(math.Abs(z) <= 5) {
		t.Errorf("%v of %v draws come from the second part, want about 0.7 of them", far, draws)
	}
}

// A field is a log density in plain Go with its gradient, given as that of the data; prior is that
// of normal distributions of variance 9.
type field func(x, grad []float64) float64

func (f field) ask(points []*point) error {
	for _, p := range points {
		p.prior, p.priorGrad, p.dataGrad = 0, make([]float64, len(p.x)), make([]float64, len(p.x))
		for k, v := range p.x {
			p.prior, p.priorGrad[k] = p.prior-v*v/18, -v/9
		}
		p.data = f(p.x, p.dataGrad)
	}
	return nil
}

// banana is a density along a parabola.
func banana(x, grad []float64) float64 {
	u, v := x[1]-x[0]*x[0], x[0]-1
	grad[0], grad[1] = 200*u*x[0]-2*v, -100*u
	return -50*u*u - v*v
}

// pair is a density with a maximum for each sign of the first number.
func pair(x, grad []float64) float64 {
	u := x[0]*x[0] - 4
	grad[0], grad[1] = -8*u*x[0], -x[1]
	return -2*u*u - x[1]*x[1]/2
}

// Climbs reach the maximum: along a curved ridge, from where the density has no number nearby, and
// where its gradient jumps; and look nowhere twice, but where they end.
func TestMaximise(t *testing.T) {
	for _, c := range []struct {
		name    string
		density field
		start   []float64
		want    []float64
		off     float64
	}{
		{"banana", banana, []float64{-2, 5}, []float64{1, 1}, 1e-3},
		{"logarithm", func(x, grad []float64) float64 {
			grad[0], grad[1] = 1/x[0]-100, -x[1]
			return math.Log(x[0]) - 100*x[0] - x[1]*x[1]/2
		}, []float64{3, 1}, []float64{0.01, 0}, 1e-3},
		{"ridge", func(x, grad []float64) float64 {
			grad[0], grad[1] = -math.Copysign(3, x[0]-x[1])-0.2*x[0], math.Copysign(3, x[0]-x[1])
			return -3*math.Abs(x[0]-x[1]) - 0.1*x[0]*x[0]
		}, []float64{4, -3}, []float64{0, 0}, 2},
	} {
		seen := map[[2]float64]int{}
		likelihood := func(points []*point) error {
			err := c.density.ask(points)
			for _, p := range points {
				p.prior = 0
				clear(p.priorGrad)
				seen[[2]float64(p.x)]++
			}
			return err
		}
		target := &target{given: &given{}, ask: likelihood}
		got, err := target.maximise(c.start)
		if err != nil || len(got.x) == 0 || !floats.EqualApprox(got.x, c.want, c.off) {
			t.Errorf("%s: %v, %v, want about %v", c.name, got.x, err, c.want)
			continue
		}
		for x, times := range seen {
			if times > 1 && floats.Distance(x[:], got.x, 2) > 1e-6 {
				t.Errorf("%s: looked at %v %d times", c.name, x, times)
			}
		}
	}
}

// Where no step along the gradient leads upwards the climb ends where it is.
func TestWrongGradient(t *testing.T) {
	downwards := field(func(x, grad []float64) float64 {
		grad[0], grad[1] = 50*x[0], 50*x[1]
		return -25 * (x[0]*x[0] + x[1]*x[1])
	})
	start := []float64{3, 1}
	top, err := (&target{given: &given{}, ask: downwards.ask}).maximise(start)
	if err != nil || !floats.EqualApprox(top.x, start, 1e-6) {
		t.Errorf("%v, %v, want %v", top.x, err, start)
	}
}

// Two maxima are one unless the density falls by a tenth of a nat between them.
func TestPeaks(t *testing.T) {
	for depth, want := range map[float64]int{0.09: 1, 0.11: 2, 0.15: 2, 3: 2} {
		wells := field(func(x, grad []float64) float64 { // and what takes the prior away
			u := x[0]*x[0] - 1
			grad[0], grad[1] = -4*depth*u*x[0]+x[0]/9, x[1]/9-x[1]
			return -depth*u*u - x[1]*x[1]/2 + (x[0]*x[0]+x[1]*x[1])/18
		})
		g := &given{active: dag.Identity(2),
			starts: [][]float64{{1.3, 0.1}, {-1.2, 0.2}, {0.8, 0}, {-0.9, 0}}}
		all, err := (&target{given: g, ask: wells.ask}).peaks()
		if err != nil || len(all) != want {
			t.Fatalf("depth %v: %d maxima, %v, want %d", depth, len(all), err, want)
		}
		found := 0
		for _, p := range all {
			found += p.found
			if !(math.Abs(math.Abs(p.x[0])-1) <= 1e-2) {
				t.Errorf("depth %v: maximum at %v", depth, p.x)
			}
		}
		if found != len(g.starts) {
			t.Errorf("depth %v: %d starts led to a maximum, want %d", depth, found, len(g.starts))
		}
	}
}

// The first evaluation that fails ends an estimate with its error, whichever it is.
func TestFailures(t *testing.T) {
	failure := errors.New("no more")
	for name, density := range map[string]field{"banana": banana, "pair": pair} {
		for stop := 0; ; stop++ {
			asked := 0
			ask := func(points []*point) error {
				if asked++; asked > stop {
					return failure
				}
				return density.ask(points)
			}
			g := &given{active: dag.Identity(2)}
			for k := range searches {
				g.starts = append(g.starts,
					[]float64{math.Cos(float64(5 * k)), math.Sin(float64(2 * k))})
			}
			e, err := new(Sets).estimate(&target{given: g, ask: ask}, 8)
			if asked > stop && err != failure {
				t.Fatalf("%s: %v, %v after evaluation %d failed", name, e, err, asked)
			}
			if asked <= stop {
				if err != nil || stop < 20 {
					t.Errorf("%s: %v after %d evaluations", name, err, asked)
				}
				t.Logf("%s: %d evaluations, broad %v, %d temperatures", name, asked, e.Broad,
					e.Temperatures)
				break
			}
		}
	}
}

// Of two estimates the logarithm of the mean; its standard error is the larger of what the
// variances of both say and of half their difference.
func TestBoth(t *testing.T) {
	for _, c := range []struct{ first, second, variances, log, standardError float64 }{
		{3, 3, 0.04, 3, 0.04},
		{0, math.Log(3), 0.08, math.Ln2, math.Log(3) / 2},
	} {
		got, sd := both([2]*population{{log: c.first, variance: c.variances * c.variances * 1.5},
			{log: c.second, variance: c.variances * c.variances * 2.5}})
		if !(math.Abs(got-c.log) <= 1e-12) || !(math.Abs(sd-c.standardError) <= 1e-12) {
			t.Errorf("%+v: got %v ± %v", c, got, sd)
		}
	}
}

// Where points pass several temperatures, from a distribution that is much wider than the density,
// estimates are unbiased, and their standard errors as large as the errors, over 200 seeds; the
// points that are left follow the density.
func TestPopulationOverSeeds(t *testing.T) {
	const n, seeds, points = 2, 200, 24
	center, sds, constant := []float64{1, -2}, []float64{0.5, 2}, 3.0
	ask := func(all []*point) error {
		for _, p := range all {
			p.prior, p.priorGrad, p.data, p.dataGrad = constant, make([]float64, n), 0,
				make([]float64, n)
			for k, v := range p.x {
				z := (v - center[k]) / sds[k]
				p.data -= z * z / 2
				p.dataGrad[k] -= z / sds[k]
			}
		}
		return nil
	}
	from := &mixture{logWeights: []float64{0},
		parts: []*studentT{newStudentT([]float64{0, 1},
			mat.NewDense(n, n, []float64{0.6, -0.8, 0.8, 0.6}), []float64{8, 12})}}
	want := constant + math.Log(2*math.Pi*sds[0]*sds[1])
	ratios, mean, moments := 0.0, 0.0, make([]float64, 2*n)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var halves [2]*population
		for k := range halves {
			of := &target{given: &given{active: dag.Identity(n)}, ask: ask}
			halves[k] = must.Get(of.sample(from, points, rng))(t)
			if halves[k].steps < 3 {
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
	if r := math.Sqrt(ratios); r < 0.85 || r > 1.2 || !(math.Abs(mean-1) <= 0.06) ||
		!floats.EqualApprox(moments, []float64{0, 1, 0, 1}, 0.06) {
		t.Errorf("errors are %.2f times their standard errors, estimates %.3f times the truth on "+
			"average, moments of the points %.3f", r, mean, moments)
	}
}
