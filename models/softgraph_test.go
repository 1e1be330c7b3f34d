package models_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// randomTarget is a small problem with a mask, for tests of the graphs.
func randomTarget(t *testing.T, seed uint64, d int, cfg models.TOBACConfig) (*models.TOBAC,
	[]*mat.Dense) {
	rng := newRand(seed)
	lik := must.Get(models.NewLinear(mat.NewDense(6, d, normals(rng, 6*d)), maskGroups(6, d),
		models.LinearOptions{NoiseVariance: 1}))(t)
	cfg.Prior = models.ErdosRenyi(0.3)
	target := newTOBAC(t, lik, cfg)
	return target, target.Init()
}

// TestGraphsHaveTheirForm asserts that edge probabilities, soft and hard graphs
// vanish on and below the diagonal, lie in [0,1], and that hard ones are hard;
// at step 0 every edge has probability ½.
func TestGraphsHaveTheirForm(t *testing.T) {
	const d = 5
	target, x := randomTarget(t, 31, d, models.TOBACConfig{Particles: 4, Samples: 50, AlphaRate: 2})
	for _, step := range []int{0, 1, 100} {
		s := must.Get(target.Stages(x, step))(t)
		for name, g := range map[string][]float64{"probability": s.EdgeProbs, "soft": s.SoftGraphs,
			"hard": s.HardGraphs} {
			for e, v := range g {
				i, j := e/d%d, e%d
				ok := v >= 0 && v <= 1
				switch {
				case i >= j:
					ok = v == 0
				case name == "hard":
					ok = v == 0 || v == 1
				case step == 0 && name == "probability":
					ok = v == 0.5
				}
				if !ok {
					t.Fatalf("step %d: %s of pair (%d,%d) is %v", step, name, i, j, v)
				}
			}
		}
	}
}

// TestHardSamplesAreBernoulli compares the mean of the hard graphs, and of soft
// ones thresholded at ½, with the edge probabilities: 4.5 standard errors for
// 24 and 24 comparisons.
func TestHardSamplesAreBernoulli(t *testing.T) {
	const d, m, s = 4, 4, 20000
	target, x := randomTarget(t, 32, d,
		models.TOBACConfig{Particles: m, Samples: s, AlphaRate: 1.5, Seed: 5})
	stages := must.Get(target.Stages(x, 1))(t)
	for k, p := range stages.EdgeProbs {
		if p == 0 {
			continue
		}
		particle, e := k/(d*d), k%(d*d)
		var hard, soft float64
		for n := range s {
			at := (particle*s+n)*d*d + e
			hard += stages.HardGraphs[at]
			if stages.SoftGraphs[at] > 0.5 {
				soft++
			}
		}
		se := math.Sqrt(p * (1 - p) / s)
		if !(math.Abs(hard/s-p) <= 4.5*se) || !(math.Abs(soft/s-p) <= 4.5*se) {
			t.Errorf("particle %d, entry %d: hard %v, soft above ½ %v, want %v ± %v", particle, e,
				hard/s, soft/s, p, se)
		}
	}
}

// TestTemperatureLimits pins what τ and α do. τ multiplies the logit and its
// noise: a large one makes soft graphs hard without moving the threshold, a
// small one makes every entry ½. At a large α all graphs are the limit graph.
func TestTemperatureLimits(t *testing.T) {
	const d, m, s = 4, 3, 40
	for _, tau := range []float64{1e9, 1e-9} {
		target, x := randomTarget(t, 33, d,
			models.TOBACConfig{Particles: m, Samples: s, AlphaRate: 1, Tau: tau, Seed: 9})
		stages := must.Get(target.Stages(x, 1))(t)
		u := make([]float64, d*(d-1)/2*s)
		for particle := range m {
			models.SeededNoise(9).Fill(u, models.SoftGraphs, 1, particle)
			for n := range s {
				for e, i := range pairCells(d) {
					p := stages.EdgeProbs[particle*d*d+i]
					want := 0.5
					if tau > 1 && u[e*s+n] > 1-p { // ln(u/(1−u)) + logit p > 0
						want = 1
					} else if tau > 1 {
						want = 0
					}
					if got := stages.SoftGraphs[(particle*s+n)*d*d+
						i]; !(math.Abs(got-want) <= 1e-7) {
						t.Fatalf("τ = %v, particle %d, sample %d, pair %d: got %v, want %v", tau,
							particle, n, e, got, want)
					}
				}
			}
		}
	}
	target, x :=
		randomTarget(t, 34, d, models.TOBACConfig{Particles: m, Samples: s, AlphaRate: 1e9})
	stages := must.Get(target.Stages(x, 1))(t)
	for particle := range m {
		limit := target.HardGraph(x[0].RawRowView(particle)).Matrix().RawMatrix().Data
		check(t, "edge probabilities at large α", stages.EdgeProbs[particle*d*d:][:d*d], limit,
			1e-12)
		for n := range s {
			check(t, "soft graph at large α", stages.SoftGraphs[(particle*s+n)*d*d:][:d*d], limit,
				1e-12)
			check(t, "hard graph at large α", stages.HardGraphs[(particle*s+n)*d*d:][:d*d], limit,
				0)
		}
	}
}

// acyclicLimit asserts, for any latents, that the limit graph is acyclic, has
// the natural order as a topological one, and one edge per positive score.
func acyclicLimit(t *rapid.T) {
	d := rapid.IntRange(2, 9).Draw(t, "d")
	k := rapid.IntRange(1, d+1).Draw(t, "k")
	lik, err := models.NewLinear(mat.NewDense(1, d, nil), nil, models.LinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := models.NewTOBAC(lik,
		models.TOBACConfig{Particles: 1, Samples: 1, Rank: k, Prior: models.UniformPrior()})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2),
		rapid.SampledFrom([]float64{0, math.Inf(1), math.Inf(-1), math.NaN()}))
	n := (d - 1) * k * 2
	g := target.HardGraph(rapid.SliceOfN(number, n, n).Draw(t, "z"))
	if !g.Acyclic() {
		t.Fatalf("cycle in %v", g.Edges())
	}
	for _, e := range g.Edges() {
		if e.From >= e.To {
			t.Fatalf("edge %v against the order", e)
		}
	}
}

func TestLimitGraphIsAcyclic(t *testing.T) { rapid.Check(t, acyclicLimit) }

func FuzzLimitGraphIsAcyclic(f *testing.F) { f.Fuzz(rapid.MakeFuzz(acyclicLimit)) }

// TestLimitGraphSign asserts the strict threshold: no edge at a score of zero.
func TestLimitGraphSign(t *testing.T) {
	lik := must.Get(models.NewLinear(mat.NewDense(1, 2, nil), nil, models.LinearOptions{}))(t)
	target := newTOBAC(t, lik,
		models.TOBACConfig{Particles: 1, Samples: 1, Prior: models.UniformPrior()})
	for _, tt := range []struct {
		u, v float64
		edge bool
	}{{2, 3, true}, {-2, -3, true}, {2, -3, false}, {0, 3, false}, {0, 0, false},
		{math.NaN(), 1, false}} {
		t.Run(fmt.Sprintf("%v·%v", tt.u, tt.v), func(t *testing.T) {
			if got := target.HardGraph([]float64{tt.u, tt.v}).Has(0, 1); got != tt.edge {
				t.Errorf("got %v, want %v", got, tt.edge)
			}
		})
	}
}
