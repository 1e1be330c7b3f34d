package models_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// erdosRenyiSlope and scaleFreeSlope are ∂ log p_graph/∂g at a d×d matrix.
func erdosRenyiSlope(p float64) func([]float64) []float64 {
	return func(q []float64) []float64 {
		out := make([]float64, len(q))
		for e := range out {
			out[e] = math.Log(p) - math.Log(1-p)
		}
		return out
	}
}

func scaleFreeSlope(q []float64) []float64 {
	d := int(math.Sqrt(float64(len(q))))
	out := make([]float64, len(q))
	for e := range out {
		parents := 0.0
		for i := range d {
			parents += q[i*d+e%d]
		}
		out[e] = -3 / (1 + parents)
	}
	return out
}

// TestScoreIsSoftmaxWeightedSum compares every stage and the score with the
// naive twin: softmax-weighted sums of hand-written gradients over the same
// samples.
func TestScoreIsSoftmaxWeightedSum(t *testing.T) {
	const m, s = 3, 7
	tests := []struct {
		name       string
		d, n, rank int
		mask       bool
		opt        models.LinearOptions
		tau        float64
		prior      models.GraphPrior
		slope      func([]float64) []float64
	}{
		{"two variables", 2, 5, 1, false, models.LinearOptions{}, 1,
			models.ErdosRenyi(0.5), erdosRenyiSlope(0.5)},
		{"published setting", 4, 12, 3, false, models.LinearOptions{}, 1,
			models.ErdosRenyi(0.3), erdosRenyiSlope(0.3)},
		{"interventions", 6, 9, 5, true, models.LinearOptions{NoiseVariance: 2}, 1,
			models.ErdosRenyi(0.7), erdosRenyiSlope(0.7)},
		{"one row, large rank, cold", 5, 1, 8, false, models.LinearOptions{NoiseVariance: 1,
			EdgeMean: 0.5, EdgeVariance: 0.25}, 2.5, models.ScaleFree(), scaleFreeSlope},
		{"small rank, warm", 5, 4, 2, true, models.LinearOptions{}, 0.6, models.ScaleFree(),
			scaleFreeSlope},
	}
	for _, tt := range tests {
		for _, e := range []models.Estimator{models.NodeWise, models.Joint} {
			t.Run(fmt.Sprintf("%s/%v", tt.name, e), func(t *testing.T) {
				rng := newRand(51)
				v := naive{noise: 0.1, edgeMean: tt.opt.EdgeMean, edgeVariance: 1, rank: tt.rank,
					samples: s, tau: tt.tau, estimator: e, priorSlope: tt.slope}
				if tt.opt.NoiseVariance != 0 {
					v.noise = tt.opt.NoiseVariance
				}
				if tt.opt.EdgeVariance != 0 {
					v.edgeVariance = tt.opt.EdgeVariance
				}
				v.x = mat.NewDense(tt.n, tt.d, normals(rng, tt.n*tt.d))
				var mask mat.Matrix
				if tt.mask {
					v.mask = maskGroups(tt.n, tt.d)
					mask = v.mask
				}
				lik := must.Get(models.NewLinear(v.x, mask, tt.opt))(t)
				target := newTOBAC(t, lik, models.TOBACConfig{
					Particles: m, Samples: s, Rank: tt.rank, AlphaRate: 0.3, Tau: tt.tau,
					Estimator: e, Prior: tt.prior, Seed: 52,
				})
				x := target.Init()
				for _, step := range []int{0, 1, 12} {
					compareWithNaive(t, &v, target, x, step)
				}
			})
		}
	}
}

// compareWithNaive allows 1e-11: the softmax weights of log densities around
// 100 carry their rounding errors.
func compareWithNaive(t *testing.T, v *naive, target *models.TOBAC, x []*mat.Dense, step int) {
	t.Helper()
	const tolerance = 1e-11
	d, s := v.vars(), v.samples
	got := score(t, target, x, step)
	stages := must.Get(target.Stages(x, step))(t)
	v.soft, v.hard = make([]float64, d*(d-1)/2*s), make([]float64, d*(d-1)/2*s)
	m, _ := x[0].Dims()
	for i := range m {
		noise := models.SeededNoise(52)
		noise.Fill(v.soft, models.SoftGraphs, step, i)
		noise.Fill(v.hard, models.HardGraphs, step, i)
		dz, dtheta := v.score(x[0].RawRowView(i), x[1].RawRowView(i), target.Alpha(step))
		at := func(what string) string {
			return fmt.Sprintf("step %d, particle %d: %s", step, i, what)
		}
		check(t, at("edge probabilities"), stages.EdgeProbs[i*d*d:][:d*d], v.probs, tolerance)
		check(t, at("soft graphs"), stages.SoftGraphs[i*s*d*d:][:s*d*d], v.softGraphs, tolerance)
		check(t, at("hard graphs"), stages.HardGraphs[i*s*d*d:][:s*d*d], v.hardGraphs, 0)
		check(t, at("soft terms"), stages.SoftTerms[i*s*d:][:s*d], slices.Concat(v.softTerms...),
			tolerance)
		check(t, at("hard terms"), stages.HardTerms[i*s*d:][:s*d], slices.Concat(v.hardTerms...),
			tolerance)
		check(t, at("soft estimate"), stages.SoftEstimate[i:i+1], []float64{v.softEstimate},
			tolerance)
		check(t, at("hard estimate"), stages.HardEstimate[i:i+1], []float64{v.hardEstimate},
			tolerance)
		check(t, at("score of Z"), got[0].RawRowView(i), dz, tolerance)
		check(t, at("score of Θ"), got[1].RawRowView(i), dtheta, tolerance)
	}
}

// TestScoreAtStepZero asserts that at α = 0 neither the likelihood nor the graph
// prior moves Z: its score is the Gaussian prior's, −k·Z.
func TestScoreAtStepZero(t *testing.T) {
	for _, e := range []models.Estimator{models.NodeWise, models.Joint} {
		target, x :=
			randomTarget(t, 61, 5, models.TOBACConfig{Particles: 3, Samples: 9, Estimator: e})
		got := score(t, target, x, 0)
		var want mat.Dense
		want.Scale(-4, x[0])
		check(t, "score of Z at step 0", got[0].RawMatrix().Data, want.RawMatrix().Data, 1e-15)
		if mat.Norm(got[1], 1) == 0 {
			t.Error("score of Θ at step 0 is zero")
		}
	}
}

// TestScoreRefusesOtherShapes uses d = 4 variables, rank 3 and 2 particles: Z is
// 2×18, Θ is 2×16.
func TestScoreRefusesOtherShapes(t *testing.T) {
	target, x := randomTarget(t, 65, 4, models.TOBACConfig{Particles: 2, Samples: 3})
	dense := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	view := dense(2, 17).Slice(0, 2, 0, 16).(*mat.Dense)
	dst := []*mat.Dense{dense(2, 18), dense(2, 16)}
	for _, tt := range []struct {
		name   string
		dst, x []*mat.Dense
		want   string
	}{
		{"one block", dst, x[:1], "models: TOBAC: got 1 blocks and 2 results, want 2 of each"},
		{"three blocks", dst, append(slices.Clone(x), x[0]),
			"models: TOBAC: got 3 blocks and 2 results, want 2 of each"},
		{"particles", dst, []*mat.Dense{x[0], dense(3, 16)},
			"models: block 1: got 3×16, want 2×16"},
		{"length", dst, []*mat.Dense{dense(2, 12), x[1]}, "models: block 0: got 2×12, want 2×18"},
		{"view", dst, []*mat.Dense{x[0], view},
			"models: block 1: got a view with stride 17, want a matrix of its own with stride 16"},
		{"one result", dst[:1], x, "models: TOBAC: got 2 blocks and 1 results, want 2 of each"},
		{"result length", []*mat.Dense{dst[1], dst[0]}, x,
			"models: result block 0: got 2×16, want 2×18"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, "Score", target.Score(tt.dst, tt.x, 3), tt.want)
		})
	}
	score(t, target, x, 3) // and still works
}

// TestScoreNamesNonFinite asserts that NaN and overflow do not travel on: the
// error names the operation and the particle, and the target stays usable.
func TestScoreNamesNonFinite(t *testing.T) {
	for _, workers := range []int{1, 2} {
		target, x := randomTarget(t, 66, 4,
			models.TOBACConfig{Particles: 3, Samples: 5, Options: models.Options{Workers: workers}})
		want := score(t, target, x, 2)
		for _, tt := range []struct {
			value float64
			op    string
		}{{math.NaN(), "theta("}, {math.Inf(1), "theta("}, {1e200, "square"}} {
			spoiled := []*mat.Dense{x[0], mat.DenseCopyOf(x[1])}
			spoiled[1].Set(1, 2, tt.value) // the weight of 0 on 2
			dst := []*mat.Dense{mat.DenseCopyOf(x[0]), mat.DenseCopyOf(x[1])}
			err := target.Score(dst, spoiled, 2)
			var e *autograd.NonFiniteError
			if !errors.As(err, &e) {
				t.Errorf("weight %v: got error %v, want a NonFiniteError", tt.value, err)
				continue
			}
			if !strings.HasPrefix(e.Op, tt.op) || !strings.HasPrefix(e.At, "particle 1") {
				t.Errorf("weight %v: got op %q of %s, want %q of particle 1", tt.value, e.Op, e.At,
					tt.op)
			}
		}
		got := score(t, target, x, 2)
		for b := range got {
			check(t, "score after an error", got[b].RawMatrix().Data, want[b].RawMatrix().Data, 0)
		}
	}
}
