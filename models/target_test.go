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

// saddle is a density of two blocks, a 2×3 matrix W and a scalar b, that mixes
// them: −½‖W‖² + b·tanh(ΣW) − b⁴/4.
func saddle(x []*autograd.Node) *autograd.Node {
	w, b := x[0], x[1]
	return w.Square().Sum().Scale(-0.5).Add(b.Mul(w.Sum().Tanh())).Sub(
		b.Square().Square().Scale(0.25))
}

var saddleBlocks = []autograd.Shape{{2, 3}, {}}

// naiveSaddle is its value and gradient.
func naiveSaddle(w []float64, b float64) (value float64, dw []float64, db float64) {
	sum := 0.0
	for _, v := range w {
		sum += v
		value -= v * v / 2
	}
	th := math.Tanh(sum)
	for _, v := range w {
		dw = append(dw, b*(1-th*th)-v)
	}
	return value + b*th - b*b*b*b/4, dw, th - b*b*b
}

func newTarget(t *testing.T, particles int, blocks []autograd.Shape,
	density func(x []*autograd.Node) *autograd.Node, opt models.Options) *models.Target {
	t.Helper()
	target := must.Get(models.NewTarget(particles, blocks, density, opt))(t)
	t.Cleanup(target.Close)
	return target
}

// TestTarget compares values and scores of every particle with the formulas,
// for particle numbers on both sides of the compiler's strip length, on every
// engine, and bit for bit on any number of workers.
func TestTarget(t *testing.T) {
	rng := newRand(81)
	for _, m := range []int{1, 2, 63, 64, 65, 150} {
		x := []*mat.Dense{mat.NewDense(m, 6, normals(rng, 6*m)),
			mat.NewDense(m, 1, normals(rng, m))}
		var values, dw, db []float64
		for i := range m {
			v, w, b := naiveSaddle(x[0].RawRowView(i), x[1].At(i, 0))
			values, dw, db = append(values, v), append(dw, w...), append(db, b)
		}
		var first []*mat.Dense
		for _, opt := range []models.Options{
			{}, {Workers: 2}, {Workers: 8}, {Engine: autograd.Reference},
		} {
			target := newTarget(t, m, saddleBlocks, saddle, opt)
			at := func(what string) string { return fmt.Sprintf("M = %d, %+v: %s", m, opt, what) }
			got := must.Get(target.LogDensity(x))(t)
			check(t, at("log density"), got, values, 1e-14)
			s := score(t, target, x, 3)
			check(t, at("score of block 0"), s[0].RawMatrix().Data, dw, 1e-13)
			check(t, at("score of block 1"), s[1].RawMatrix().Data, db, 1e-13)
			if first == nil {
				first = s
			}
			if opt.Engine == autograd.Compiled &&
				!(mat.Equal(s[0], first[0]) && mat.Equal(s[1], first[1])) {
				t.Error(at("score differs from that of one worker"))
			}
		}
	}
}

func TestTargetDoesNotAllocate(t *testing.T) {
	for _, workers := range []int{1, 2} {
		target := newTarget(t, 100, saddleBlocks, saddle, models.Options{Workers: workers})
		x := []*mat.Dense{mat.NewDense(100, 6, nil), mat.NewDense(100, 1, nil)}
		dst := score(t, target, x, 0)
		if n := testing.AllocsPerRun(20, func() {
			must.Do(t, target.Score(dst, x, 0))
		}); n != 0 {
			t.Errorf("%d workers: %v allocations per call, want 0", workers, n)
		}
	}
}

func TestNewTargetErrors(t *testing.T) {
	tests := []struct {
		name      string
		particles int
		blocks    []autograd.Shape
		density   func(x []*autograd.Node) *autograd.Node
		opt       models.Options
		want      string // the error contains it
	}{
		{"particles", 0, saddleBlocks, saddle, models.Options{},
			"models: target: got 0 particles and 2 blocks, want at least one of each"},
		{"blocks", 3, nil, saddle, models.Options{},
			"models: target: got 3 particles and 0 blocks, want at least one of each"},
		{"workers", 3, saddleBlocks, saddle, models.Options{Workers: -1},
			"models: target: workers -1, want at least 1"},
		{"shape", 3, []autograd.Shape{{2, 0}, {}}, saddle, models.Options{},
			"models: target: block 0 of shape (2,0) has no elements"},
		{"mismatch", 3, []autograd.Shape{{2}, {3}}, func(x []*autograd.Node) *autograd.Node {
			return x[0].Add(x[1]).Sum()
		}, models.Options{}, "add: shapes (2) and (3) do not broadcast"},
		{"no block", 3, saddleBlocks, func(x []*autograd.Node) *autograd.Node {
			return x[0].Builder().Scalar(2)
		}, models.Options{}, "the density depends on no block of the particles"},
		{"steps", 3, []autograd.Shape{{2}}, func(x []*autograd.Node) *autograd.Node {
			return x[0].Positive().Sum().Add(x[0].StopGradient().Square().Sum())
		}, models.Options{}, "the density has no derivative"},
		{"another builder", 2, []autograd.Shape{{2}}, func([]*autograd.Node) *autograd.Node {
			return autograd.NewBuilder("other").Input("x", autograd.Shape{}).Exp()
		}, models.Options{}, "the density is a node of another builder than its blocks"},
		{"no density", 3, saddleBlocks, nil, models.Options{}, "models: target: no density"},
		{"nil node", 3, saddleBlocks, func(x []*autograd.Node) *autograd.Node {
			return nil
		}, models.Options{}, "the density is a nil node"},
		{"not scalar", 3, []autograd.Shape{{2}}, func(x []*autograd.Node) *autograd.Node {
			return x[0]
		}, models.Options{}, "want a scalar shape"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewTarget(tt.particles, tt.blocks, tt.density, tt.opt)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestTargetRefusesOtherShapes(t *testing.T) {
	target := newTarget(t, 2, saddleBlocks, saddle, models.Options{})
	dense := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	good := []*mat.Dense{dense(2, 6), dense(2, 1)}
	for _, tt := range []struct {
		name   string
		dst, x []*mat.Dense
		want   string
	}{
		{"one block", good, good[:1], "models: target: got 1 blocks, want 2"},
		{"three blocks", good, []*mat.Dense{good[0], good[1], good[1]},
			"models: target: got 3 blocks, want 2"},
		{"particles", good, []*mat.Dense{good[0], dense(1, 1)},
			"models: block 1: got 1×1, want 2×1"},
		{"one result", good[:1], good, "models: got 1 result blocks, want 2"},
		{"result length", []*mat.Dense{dense(2, 5), good[1]}, good,
			"models: result block 0: got 2×5, want 2×6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, "Score", target.Score(tt.dst, tt.x, 0), tt.want)
			if strings.Contains(tt.want, "result") {
				return
			}
			_, err := target.LogDensity(tt.x)
			checkError(t, "LogDensity", err, tt.want)
		})
	}
}

// TestTargetNamesNonFinite takes the logarithm of a negative number.
func TestTargetNamesNonFinite(t *testing.T) {
	target := newTarget(t, 3, []autograd.Shape{{2}}, func(x []*autograd.Node) *autograd.Node {
		return x[0].Sqrt().Sum()
	}, models.Options{})
	x := []*mat.Dense{mat.NewDense(3, 2, []float64{1, 2, 3, 4, -5, 6})}
	err := target.Score([]*mat.Dense{mat.NewDense(3, 2, nil)}, x, 0)
	var e *autograd.NonFiniteError
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a NonFiniteError", err)
	}
	if !strings.HasPrefix(e.Op, "sqrt") || e.Element != 0 {
		t.Errorf("got %+v, want element 0 of the square root", e)
	}
}

// TestTargetOutside: particles outside of the support are named; the scores and densities of
// the others hold, also where a masked branch of theirs is not a number.
func TestTargetOutside(t *testing.T) {
	masked := newTarget(t, 2, []autograd.Shape{{2}}, func(x []*autograd.Node) *autograd.Node {
		return x[0].Positive().Where(x[0].Log(), x[0]).Sum()
	}, models.Options{})
	factor := newTarget(t, 3, []autograd.Shape{{2, 2}}, func(x []*autograd.Node) *autograd.Node {
		return x[0].LogDet()
	}, models.Options{})
	logs := newTarget(t, 3, []autograd.Shape{{}}, func(x []*autograd.Node) *autograd.Node {
		return x[0].Log()
	}, models.Options{})
	for _, tt := range []struct {
		name    string
		target  *models.Target
		x       *mat.Dense
		outside []int
		score   []float64 // NaN: not looked at
		logp    []float64
	}{
		{"masked", masked, mat.NewDense(2, 2, []float64{-1, 2, 0, 2}), []int{1},
			[]float64{1, 0.5, math.NaN(), 0.5}, []float64{-1 + math.Ln2, math.Ln2}},
		{"factor", factor, mat.NewDense(3, 4, []float64{1, 2, 2, 1, 2, 0, 0, 2, 1, 0, 0, 1}),
			[]int{0}, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), 0.5, 0, 0, 0.5, 1,
				0, 0, 1}, []float64{math.NaN(), 2 * math.Ln2, 0}},
		{"logarithms", logs, mat.NewDense(3, 1, []float64{-1, 1, 0}), []int{0, 2},
			[]float64{math.NaN(), 1, math.NaN()}, []float64{math.NaN(), 0, math.Inf(-1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dst := mat.DenseCopyOf(tt.x)
			var outside *models.OutsideError
			if err := tt.target.Score([]*mat.Dense{dst}, []*mat.Dense{tt.x}, 0); !errors.As(err,
				&outside) || !slices.Equal(outside.Particles, tt.outside) {
				t.Fatalf("got error %v (%+v), want particles %v", err, outside, tt.outside)
			}
			for i, want := range tt.score {
				if got := dst.RawMatrix().Data[i]; !math.IsNaN(want) &&
					!(math.Abs(got-want) < 1e-14) {
					t.Errorf("score %d: got %v, want %v", i, got, want)
				}
			}
			logp, _ := tt.target.LogDensity([]*mat.Dense{tt.x})
			if len(logp) != len(tt.logp) {
				t.Fatalf("got log densities %v, want %v", logp, tt.logp)
			}
			for i, want := range tt.logp {
				if got := logp[i]; got != want && !(math.Abs(got-want) < 1e-14) &&
					!(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("log density %d: got %v, want %v", i, got, want)
				}
			}
		})
	}
}
