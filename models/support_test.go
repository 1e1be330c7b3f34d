package models_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// Targets and sampler meet on gonum types; the packages do not know each other.
var (
	_ svgd.Scorer = (*models.TOBAC)(nil)
	_ svgd.Scorer = (*models.Target)(nil)
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func uniforms(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// check compares numbers relative to the largest wanted one, or to 1.
func check(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d numbers, want %d", what, len(got), len(want))
		return
	}
	scale := 1.0
	for _, w := range want {
		scale = math.Max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*scale) {
			t.Errorf("%s: element %d: got %v, want %v (difference %.2g, allowed %.2g)", what, i,
				got[i], w, got[i]-w, tolerance*scale)
			return
		}
	}
}

func checkError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("%s: got error %q, want %q", what, err, want)
	}
}

// checkPanic asserts a panic with a text that contains want.
func checkPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, ok := recover().(string); !ok || !strings.Contains(got, want) {
			t.Errorf("got panic %q, want %q", got, want)
		}
	}()
	f()
}

// evaluate runs the compiled engine on the outputs of a graph.
func evaluate(t *testing.T, inputs []*autograd.Node, values [][]float64,
	outputs ...*autograd.Node) [][]float64 {
	t.Helper()
	run := must.Get(autograd.NewEvaluator(inputs, outputs, autograd.Options{}))(t)
	defer run.Close()
	src := make([]autograd.Feed, len(values))
	for i, v := range values {
		src[i].Data = v
	}
	dst := make([][]float64, len(outputs))
	for i, n := range outputs {
		dst[i] = make([]float64, n.Shape().Len())
	}
	must.Do(t, run.Eval(dst, src))
	return dst
}

// newTOBAC is models.NewTOBAC for tests.
func newTOBAC(t *testing.T, lik models.Likelihood, cfg models.TOBACConfig) *models.TOBAC {
	t.Helper()
	target := must.Get(models.NewTOBAC(lik, cfg))(t)
	t.Cleanup(target.Close)
	return target
}

// pairCells lists the elements of a d×d graph by the number of their pair: child
// by child.
func pairCells(d int) (cells []int) {
	for j := range d {
		for i := range j {
			cells = append(cells, i*d+j)
		}
	}
	return cells
}

// score is a new pair of blocks with the target's score.
func score(t *testing.T, target svgd.Scorer, x []*mat.Dense, step int) []*mat.Dense {
	t.Helper()
	dst := make([]*mat.Dense, len(x))
	for i, b := range x {
		r, c := b.Dims()
		dst[i] = mat.NewDense(r, c, nil)
	}
	must.Do(t, target.Score(dst, x, step))
	return dst
}

// repeat makes a block of m equal particles.
func repeat(row []float64, m int) *mat.Dense {
	x := mat.NewDense(m, len(row), nil)
	for i := range m {
		x.SetRow(i, row)
	}
	return x
}
