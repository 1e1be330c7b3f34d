package nodescore_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/scoring"
	"tobac/score"
)

// Blocks of one column are BGe.
func TestBlocksOfSingleColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x, set := mat.NewDense(60, 4, nil), mat.NewDense(60, 4, nil)
	for i := range 60 {
		for j := range 4 {
			v := rng.NormFloat64() + 3
			if j > 0 {
				v += 0.8 * x.At(i, j-1)
			}
			x.Set(i, j, v)
			if rng.Float64() < 0.2 {
				set.Set(i, j, 1)
			}
		}
	}
	for _, marks := range []mat.Matrix{nil, set} {
		want := must.Get(score.NewBGe(x, marks, score.BGeOptions{AlphaLambda: 5.3}))(t)
		s := must.Get(nodescore.NewBlocks(x, []int{1, 1, 1, 1}, marks,
			nodescore.BlockOptions{Freedom: 0.3, Scale: 0.15}))(t)
		for bits := range 8 {
			parents := scoring.Subset(nil, []int{0, 1, 3}, bits)
			if a, b := s.LogScore(2, parents),
				want.LogScore(2, parents); math.Abs(a-b) > 1e-10*math.Abs(b) {
				t.Errorf("parents %v: got %v, want %v as BGe", parents, a, b)
			}
		}
	}
}

// mixed has two categories of three and four levels and a number, embedded under a numbering of the
// levels.
func mixed(n int, number []int) (x *mat.Dense, widths []int) {
	rng := rand.New(rand.NewPCG(11, 5))
	a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		k := rng.IntN(3)
		a[i] = float64(k)
		b[i] = float64(number[(k+rng.IntN(2))%4])
		c[i] = float64(k) + rng.NormFloat64()
	}
	x = mat.NewDense(n, 6, nil)
	x.Slice(0, n, 0, 2).(*mat.Dense).Copy(nodescore.Contrasts(a, 3))
	x.Slice(0, n, 2, 5).(*mat.Dense).Copy(nodescore.Contrasts(b, 4))
	x.SetCol(5, c)
	return x, []int{2, 3, 1}
}

// Equivalent graphs have the same score, all sets at once and one by one agree, and the numbering
// of levels changes nothing.
func TestBlocks(t *testing.T) {
	x, widths := mixed(120, []int{0, 1, 2, 3})
	s := must.Get(nodescore.NewBlocks(x, widths, nil, nodescore.BlockOptions{}))(t)
	if err := score.Check(context.Background(), s); err != nil {
		t.Error(err)
	}
	equivalent(t, s)
	y, _ := mixed(120, []int{2, 0, 3, 1})
	other := must.Get(nodescore.NewBlocks(y, widths, nil, nodescore.BlockOptions{}))(t)
	for j := range 3 {
		for _, parents := range [][]int{nil, {(j + 1) % 3}} {
			if a, b := s.LogScore(j, parents),
				other.LogScore(j, parents); math.Abs(a-b) > 1e-9*math.Abs(a) {
				t.Errorf("variable %d given %v: %v, and %v with other numbers of the levels", j,
					parents, a, b)
			}
		}
	}
	if _, err := nodescore.NewBlocks(x, []int{2, 3}, nil, nodescore.BlockOptions{}); err == nil {
		t.Error("blocks of five columns of six were accepted")
	}
}
