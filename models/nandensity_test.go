package models_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// TestNaNLogDensity: a log density that is NaN at one particle is never hidden behind
// a finite score. Score fails with an error that wraps its cause and names the
// particle; LogDensity fails likewise, or returns the NaN.
func TestNaNLogDensity(t *testing.T) {
	const bad = 2
	for _, tt := range []struct {
		name    string
		density func(x *autograd.Node) *autograd.Node
	}{
		{"a term without derivative", func(x *autograd.Node) *autograd.Node {
			return x.Sum().Add(x.StopGradient().Log().Sum())
		}},
		{"a comparison", func(x *autograd.Node) *autograd.Node {
			return x.Square().Sum().Scale(-0.5).Add(x.Log().Greater(x).Sum())
		}},
		{"the derivative of a logarithm exists below 0", func(x *autograd.Node) *autograd.Node {
			return x.Log().Sum()
		}},
		{"a condition on NaN", func(x *autograd.Node) *autograd.Node {
			return x.Log().Positive().Where(x, x.Neg()).Sum().Add(x.Sqrt().StopGradient().Sum())
		}},
	} {
		for _, opt := range []models.Options{{}, {Workers: 3}, {Engine: autograd.Reference}} {
			t.Run(fmt.Sprintf("%s/%v/%d workers", tt.name, opt.Engine, opt.Workers),
				func(t *testing.T) {
					target := newTarget(t, 5, []autograd.Shape{{2}},
						func(x []*autograd.Node) *autograd.Node { return tt.density(x[0]) }, opt)
					x := []*mat.Dense{mat.NewDense(5, 2, []float64{1, 2, 3, 4, 2, -1, 5, 6, 7, 8})}
					dst := []*mat.Dense{mat.NewDense(5, 2, nil)}
					checkNames(t, "Score", target.Score(dst, x, 0), bad)
					switch logp, err := target.LogDensity(x); {
					case err != nil:
						checkNames(t, "LogDensity", err, bad)
					case !math.IsNaN(logp[bad]):
						t.Errorf("LogDensity: got %v and no error, want NaN or an error", logp[bad])
					}
					x[0].Set(bad, 1, 1) // the target stays usable
					if err := target.Score(dst, x, 1); err != nil {
						t.Errorf("Score at sound particles: %v", err)
					}
				})
		}
	}
}

// TestFailedCholesky: where the matrix of one particle is not positive definite the
// error says so and names the particle.
func TestFailedCholesky(t *testing.T) {
	density := func(x []*autograd.Node) *autograd.Node { return x[0].LogDet() }
	for _, opt := range []models.Options{{}, {Workers: 3}, {Engine: autograd.Reference}} {
		for _, bad := range []int{0, 2, 4} {
			t.Run(fmt.Sprintf("%v/%d workers/particle %d", opt.Engine, opt.Workers, bad),
				func(t *testing.T) {
					target := newTarget(t, 5, []autograd.Shape{{2, 2}}, density, opt)
					x := []*mat.Dense{mat.NewDense(5, 4, nil)}
					for i := range 5 {
						x[0].SetRow(i, []float64{2, 1, 1, 2})
					}
					x[0].SetRow(bad, []float64{1, 2, 2, 1})
					score := target.Score([]*mat.Dense{mat.NewDense(5, 4, nil)}, x, 0)
					_, density := target.LogDensity(x)
					for _, got := range []struct {
						what string
						err  error
					}{{"Score", score}, {"LogDensity", density}} {
						if !errors.Is(got.err, autograd.ErrNotPositiveDefinite) {
							t.Errorf("%s: got error %v, want one that wraps %q", got.what, got.err,
								autograd.ErrNotPositiveDefinite)
						}
						checkNames(t, got.what, got.err, bad)
					}
				})
		}
	}
}

// checkNames fails unless the error wraps a cause and names the particle.
func checkNames(t *testing.T, what string, err error, particle int) {
	t.Helper()
	name := fmt.Sprintf("particle %d", particle)
	switch {
	case err == nil:
		t.Errorf("%s: got no error, want one that names %s", what, name)
	case !strings.Contains(err.Error(), name):
		t.Errorf("%s: got error %q, want one that names %s", what, err, name)
	case !wraps(err):
		t.Errorf("%s: error %q wraps nothing, want a sentinel", what, err)
	}
}

// wraps reports whether an error wraps another one, or is of a type of its own.
func wraps(err error) bool {
	var located *autograd.NonFiniteError
	var many interface{ Unwrap() []error }
	return errors.Unwrap(err) != nil || errors.As(err, &many) || errors.As(err, &located)
}
