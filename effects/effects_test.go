package effects_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/must"
	"tobac/posterior"
)

// The effects of a draw are the entries of (I − W)⁻¹, computed by an independent
// route, and the paths those of the closure.
func TestEffectsAreTheInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := drawRNG(t)
		d := rapid.IntRange(1, 6).Draw(t, "d")
		p := randomPosterior(d, 1, rng)
		e := must.Get(effects.Linear(p, nil))(t)
		m := mat.NewDense(d, d, nil)
		for j := range d {
			m.Set(j, j, 1)
		}
		m.Sub(m, p.Draws[0].Equations.Weights)
		var inverse mat.Dense
		must.Do(t, inverse.Inverse(m))
		for from := range d {
			for _, f := range e.Of(from) {
				if want := inverse.At(from, f.To); !near(f.Mean, want, 1e-9) || f.SD != 0 &&
					f.SD > 1e-12 {
					t.Fatalf("effect of %d on %d is %v ± %v, want %v", from, f.To, f.Mean, f.SD,
						want)
				}
				if path := p.Draws[0].Graph.Closure().Has(from, f.To); (f.Path == 1) != path ||
					!path && f.Path != 0 {
					t.Fatalf("path from %d to %d has the probability %v, reached: %v", from, f.To,
						f.Path, path)
				}
			}
		}
	})
}

// Chains, forks and colliders by hand.
func TestByHand(t *testing.T) {
	const a, b, c = 0, 1, 2
	graph := func(edges ...[3]float64) posterior.Draw {
		g, w := dag.New(3), mat.NewDense(3, 3, nil)
		for _, e := range edges {
			g.Set(int(e[0]), int(e[1]), true)
			w.Set(int(e[0]), int(e[1]), e[2])
		}
		return posterior.Draw{Graph: g, Equations: &posterior.Equations{Weights: w,
			Intercepts: []float64{1, 2, 3}, NoiseVariances: []float64{1, 4, 9}}}
	}
	p := &posterior.Posterior{Names: []string{"a", "b", "c"}, Kind: posterior.Draws,
		Draws: []posterior.Draw{
			graph([3]float64{a, b, 2}, [3]float64{b, c, 3}),                       // chain: 6
			graph([3]float64{b, a, 5}, [3]float64{b, c, 7}),                       // fork: 0
			graph([3]float64{a, b, 2}, [3]float64{b, c, 3}, [3]float64{a, c, -1}), // two paths: 5
			graph([3]float64{a, c, -4}, [3]float64{b, c, 1}),                      // collider: −4
		}}
	e := must.Get(effects.Linear(p, nil))(t)
	if got := e.Values(a, c); !slices.Equal(got, []float64{6, 0, 5, -4}) {
		t.Errorf("effects of a on c: %v", got)
	}
	f := e.Of(a)[1]
	if f.Mean != 1.75 || f.Path != 0.75 || f.Positive != 0.5 || f.Negative != 0.25 || f.Q05 != -4 ||
		f.Q50 != 0 || f.Q95 != 6 {
		t.Errorf("effect %+v", f)
	}
	if want := math.Sqrt((36+0+25+16)/4. - 1.75*1.75); !near(f.SD, want, 1e-14) {
		t.Errorf("standard deviation %v, want %v", f.SD, want)
	}
	// do(b = 10): in the chain a keeps 1, c is 3 + 3·10; of the fork a is 1 + 50.
	rows := must.Get(e.Means([]effects.Setting{{Var: b, Value: 10}}))(t)
	for m, want := range [][]float64{{1, 10, 33}, {51, 10, 73}, {1, 10, 32}, {1, 10, 9}} {
		if !floats.EqualApprox(rows[m], want, 1e-12) {
			t.Errorf("draw %d: means %v under do(b = 10), want %v", m, rows[m], want)
		}
	}
	// Of the chain alone: c has the variance 9 + 9·4 + 36·1 when nothing is set, and 9 under do(b).
	p.Draws = p.Draws[:1]
	e = must.Get(effects.Linear(p, nil))(t)
	for _, row := range []struct {
		set  []effects.Setting
		want float64
	}{{nil, 81}, {[]effects.Setting{{Var: b, Value: 1}}, 9},
		{[]effects.Setting{{Var: a, Value: 1}}, 45}} {
		all := must.Get(e.Do(row.set))(t)
		last := all[len(all)-1]
		if got := last.New.SD * last.New.SD; !near(got, row.want, 1e-12) || last.Mean.SD != 0 {
			t.Errorf("under %v a new c has the variance %v, want %v", row.set, got, row.want)
		}
		if got := last.New.Q95 - last.New.Mean; !near(got, 1.6448536269514722*math.Sqrt(row.want),
			1e-8) {
			t.Errorf("under %v the 95 %% quantile lies %v above the mean", row.set, got)
		}
	}
}

// The adjustment formula: the coefficient of a in the regression of c on a and its
// parents is the total effect, in the covariance that the equations imply.
func TestAdjustment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := drawRNG(t)
		d := rapid.IntRange(2, 6).Draw(t, "d")
		p := randomPosterior(d, 1, rng)
		eq, g := p.Draws[0].Equations, p.Draws[0].Graph
		var a, inverse, scaled, cov mat.Dense
		a.Sub(mat.NewDiagDense(d, ones(d)), eq.Weights)
		must.Do(t, inverse.Inverse(&a))
		scaled.Mul(mat.NewDiagDense(d, eq.NoiseVariances), &inverse)
		cov.Mul(inverse.T(), &scaled)
		e := must.Get(effects.Linear(p, nil))(t)
		for from := range d {
			given := append([]int{from}, g.Parents(from)...)
			left, right := mat.NewDense(len(given), len(given), nil),
				mat.NewVecDense(len(given), nil)
			for _, f := range e.Of(from) {
				if slices.Contains(given, f.To) {
					continue // the effect on a cause is 0
				}
				for k, i := range given {
					right.SetVec(k, cov.At(i, f.To))
					for l, h := range given {
						left.Set(k, l, cov.At(i, h))
					}
				}
				var b mat.VecDense
				if err := b.SolveVec(left, right); err != nil {
					t.Skip("ill-conditioned")
				}
				if !near(f.Mean, b.AtVec(0), 1e-6) {
					t.Fatalf("effect of %d on %d is %v, adjusted for its parents %v", from, f.To,
						f.Mean, b.AtVec(0))
				}
			}
		}
	})
}

func ones(d int) []float64 {
	v := make([]float64, d)
	for j := range v {
		v[j] = 1
	}
	return v
}

// E[x | do(a)] is linear in a with the total effect as its slope; what is no
// descendant keeps its distribution.
func TestDoAgreesWithEffects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := drawRNG(t)
		d := rapid.IntRange(2, 5).Draw(t, "d")
		p := randomPosterior(d, rapid.IntRange(1, 6).Draw(t, "draws"), rng)
		e := must.Get(effects.Linear(p, nil))(t)
		from := rng.IntN(d)
		free, _ := e.Means(nil)
		one := must.Get(e.Means([]effects.Setting{{Var: from, Value: 1}}))(t)
		three, _ := e.Means([]effects.Setting{{Var: from, Value: 3}})
		for to := range d {
			if to == from {
				continue
			}
			for m, v := range e.Values(from, to) {
				if !near((three[m][to]-one[m][to])/2, v, 1e-9) {
					t.Fatalf("slope %v, effect %v", (three[m][to]-one[m][to])/2, v)
				}
				if !p.Draws[m].Graph.Closure().Has(from, to) &&
					!near(one[m][to], free[m][to], 1e-12) {
					t.Fatalf("do changes %d, which is no descendant of %d", to, from)
				}
			}
			curve, _ := must.Two(e.Curve(from, []float64{1, 3}, to))(t)
			all, _ := e.Do([]effects.Setting{{Var: from, Value: 3}})
			at := slices.IndexFunc(all, func(p effects.Prediction) bool { return p.Var == to })
			if curve[1][0].Mean != all[at].Mean {
				t.Fatalf("curve %+v, prediction %+v", curve[1][0].Mean, all[at].Mean)
			}
		}
	})
}

// Columns that are multiplied and shifted change effects by their units alone, and
// parameters on a standardised scale say the same as those in units of the data.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := drawRNG(t)
		d := rapid.IntRange(2, 5).Draw(t, "d")
		p := randomPosterior(d, 5, rng)
		scale := &posterior.Standardization{}
		for range d {
			scale.Mean = append(scale.Mean, 10*rng.NormFloat64())
			scale.SD = append(scale.SD, math.Exp(2*rng.NormFloat64()))
		}
		other := *p
		other.Standardization = scale
		e, err := effects.Linear(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		scaled := must.Get(effects.Linear(&other, nil))(t)
		for from := range d {
			want := e.Of(from)
			for k, f := range scaled.Of(from) {
				unit := scale.SD[f.To] / scale.SD[from]
				if f.Path != want[k].Path || !near(f.Mean, unit*want[k].Mean, 1e-9) ||
					!near(f.SD, unit*want[k].SD, 1e-9) ||
					!near(f.Q05, unit*want[k].Q05, 1e-9) || !near(f.Q95, unit*want[k].Q95, 1e-9) {
					t.Fatalf("effect %+v, in other units %+v", want[k], f)
				}
			}
		}
		at := rng.IntN(d)
		plain, _ := e.Do([]effects.Setting{{Var: at, Value: 1.5}})
		moved, err :=
			scaled.Do([]effects.Setting{{Var: at, Value: scale.Mean[at] + 1.5*scale.SD[at]}})
		if err != nil {
			t.Fatal(err)
		}
		for k, q := range plain {
			s, m := scale.SD[q.Var], scale.Mean[q.Var]
			got := moved[k]
			for _, pair := range [][2]float64{{got.Mean.Mean, m + s*q.Mean.Mean},
				{got.Mean.SD, s * q.Mean.SD}, {got.New.Q05, m + s*q.New.Q05},
				{got.New.Q95, m + s*q.New.Q95}} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-8*(s+math.Abs(m)+math.Abs(pair[1]))) {
					t.Fatalf("prediction %+v, in other units %+v", q, got)
				}
			}
		}
	})
}

// The listed effects are those of every variable, sorted, without the impossible
// ones, whatever the number of workers.
func TestAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	p := randomPosterior(6, 20, rng)
	x := mat.NewDense(30, 6, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j+1) * rng.NormFloat64() }, x)
	e := must.Get(effects.Linear(p, effects.Describe(p.Names, x)))(t)
	one := must.Get(e.All(context.Background(), 1))(t)
	many, err := e.All(context.Background(), 7)
	if err != nil || !slices.Equal(one, many) {
		t.Errorf("effects differ between 1 and 7 workers: %v", err)
	}
	for k, f := range one {
		if f.Path == 0 || k > 0 && math.Abs(one[k-1].InSD) < math.Abs(f.InSD) {
			t.Errorf("effect %d: %+v", k, f)
		}
		if want := f.Mean * e.Columns[f.From].SD / e.Columns[f.To].SD; f.InSD != want {
			t.Errorf("%v in standard deviations, want %v", f.InSD, want)
		}
		if !(math.Abs(f.Positive+f.Negative-f.Path) <= 1e-12) {
			t.Errorf("signs have the probabilities %v and %v, paths %v", f.Positive, f.Negative,
				f.Path)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.All(stopped, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The spread of particles is not printed as that of the posterior.
func TestParticlesHaveNoSpread(t *testing.T) {
	p := randomPosterior(4, 10, rand.New(rand.NewPCG(2, 2)))
	p.Kind = posterior.Particles
	e := must.Get(effects.Linear(p, nil))(t)
	all, err := e.All(context.Background(), 1)
	if err != nil || e.FromPosterior() || len(all) == 0 {
		t.Fatal(err, e.FromPosterior(), len(all))
	}
	for _, f := range all {
		if math.IsNaN(f.Mean) || !math.IsNaN(f.SD+f.Q05+f.Q50+f.Q95) || !math.IsNaN(f.Positive) {
			t.Errorf("effect of particles %+v", f)
		}
	}
	predicted := must.Get(e.Do(nil))(t)
	for _, q := range predicted {
		if math.IsNaN(q.Mean.Mean) || !math.IsNaN(q.Mean.SD) || !math.IsNaN(q.New.Q05) {
			t.Errorf("prediction of particles %+v", q)
		}
	}
}

func TestFaults(t *testing.T) {
	p := randomPosterior(3, 4, rand.New(rand.NewPCG(3, 3)))
	e := must.Get(effects.Linear(p,
		effects.Describe(p.Names, mat.NewDense(2, 3, []float64{0, 0, 0, 1, 2, 3}))))(t)
	for _, row := range []struct {
		set  []effects.Setting
		want string
	}{
		{[]effects.Setting{{Var: 3}}, "effects: variable 3 of 3 is set"},
		{[]effects.Setting{{Var: 1, Value: math.NaN()}},
			`effects: "b" is set to NaN, want a finite number`},
		{[]effects.Setting{{Var: 1, Value: 2}, {Var: 1, Value: 2}}, `effects: "b" is set twice`},
	} {
		if _, err := e.Do(row.set); err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
	if w := e.Warnings([]effects.Setting{{Var: 0, Value: 1}, {Var: 2, Value: -1}}); len(w) != 1 ||
		w[0] != "c = -1 is outside the range of the data, 0 to 3: the prediction extrapolates" {
		t.Errorf("warnings %q", w)
	}
	p.Draws[2].Equations = nil
	if _, err := effects.Linear(p, nil); !errors.Is(err, effects.ErrNoParameters) {
		t.Errorf("draw without equations: %v", err)
	}
	if _, err := effects.Linear(&posterior.Posterior{Names: p.Names}, nil); !errors.Is(err,
		effects.ErrNoParameters) {
		t.Errorf("no draws: %v", err)
	}
	other := effects.Describe([]string{"a", "b", "x"}, mat.NewDense(1, 3, nil))
	if _, err := effects.Linear(randomPosterior(3, 1, rand.New(rand.NewPCG(1, 1))),
		other); err == nil || err.Error() != `effects: column 3 is "x", the variable is "c"` {
		t.Errorf("other columns: %v", err)
	}
}
