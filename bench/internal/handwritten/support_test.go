package handwritten_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/bench/internal/handwritten"
	"tobac/svgd"
)

var _ svgd.Scorer = (*handwritten.Target)(nil)

// newTarget makes the target of networks with so many hidden units, or of the
// linear model for none.
func newTarget(t *testing.T, x, intervened mat.Matrix, hidden int, cfg handwritten.Config) *handwritten.Target {
	t.Helper()
	var target *handwritten.Target
	var err error
	if hidden > 0 {
		target, err = handwritten.NewNetwork(x, hidden, cfg)
	} else {
		target, err = handwritten.New(x, intervened, cfg)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(target.Close)
	return target
}

// score returns new blocks, which hold NaN before the call.
func score(t *testing.T, target svgd.Scorer, x []*mat.Dense, step int) []*mat.Dense {
	t.Helper()
	dst := make([]*mat.Dense, len(x))
	for b, xb := range x {
		dst[b] = mat.DenseCopyOf(xb)
		dst[b].Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, dst[b])
	}
	if err := target.Score(dst, x, step); err != nil {
		t.Fatal(err)
	}
	return dst
}

// wantClose fails unless |got − want| ≤ 1e-9·max(1, |want|) everywhere.
func wantClose(t *testing.T, what string, got, want mat.Matrix) {
	t.Helper()
	rows, cols := want.Dims()
	for i := range rows {
		for j := range cols {
			g, w := got.At(i, j), want.At(i, j)
			if !(math.Abs(g-w) <= 1e-9*max(1, math.Abs(w))) {
				t.Errorf("%s[%d,%d]: got %v, want %v", what, i, j, g, w)
				return
			}
		}
	}
}
