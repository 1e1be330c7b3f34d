package nodescore_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/scoretest"
	"tobac/internal/scoring"
	"tobac/score"
)

// neighbours checks scores of sets beside given parents, and with one parent more or less, against
// those of the sets one by one.
func neighbours(t *testing.T, name string, s score.Scorer) {
	t.Helper()
	d := s.Vars()
	for j := range d {
		others := dag.AllBut(d, j)
		for bits := range 1 << len(others) {
			given := scoring.Subset(nil, others, bits)
			rest := slices.DeleteFunc(slices.Clone(others), func(i int) bool {
				return slices.Contains(given, i)
			})
			all := make([]float64, 1<<len(rest))
			must.Do(t, nodescore.LogScoresGiven(context.Background(), s, all, j, rest,
				given))
			for set, got := range all {
				parents := slices.Sorted(
					slices.Values(append(scoring.Subset(nil, rest, set), given...)))
				if want := s.LogScore(j, parents); !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
					t.Fatalf("%s: %d given %v beside %v: %v, want %v", name, j, parents, given, got,
						want)
				}
			}
			toggled := make([]float64, len(others))
			nodescore.LogScoresToggled(s, toggled, j, given, others)
			for k, i := range others {
				parents := scoring.Toggle(nil, given, i)
				if want := s.LogScore(j,
					parents); !(math.Abs(toggled[k]-want) <= 1e-9*math.Abs(want)) {
					t.Fatalf("%s: %d given %v, from %v: %v, want %v", name, j, parents, given,
						toggled[k], want)
				}
			}
		}
	}
}

func TestNeighbours(t *testing.T) {
	levels := []int{3, 2, 4}
	codes, set := levelled(150, levels, 4)
	x, widths := mat.NewDense(150, 2+1+3+2, nil), []int{2, 1, 3, 1, 1}
	at := 0
	for j, r := range levels {
		c := nodescore.Contrasts(mat.Col(nil, j, codes), r)
		for k := range r - 1 {
			x.SetCol(at, mat.Col(nil, k, c))
			at++
		}
	}
	marks := mat.NewDense(150, 5, nil)
	for i := range 150 {
		x.Set(i, 6, codes.At(i, 0)+math.Sin(float64(7*i)))
		x.Set(i, 7, x.At(i, 6)-codes.At(i, 2)+2*math.Cos(float64(i*i)))
		for j := range 3 {
			marks.Set(i, j, set.At(i, j))
		}
	}
	for _, intervened := range []mat.Matrix{nil, marks} {
		numbers := must.Get(nodescore.NewBlocks(x, widths, intervened,
			nodescore.BlockOptions{Freedom: 0.7}))(t)
		var of mat.Matrix
		if intervened != nil {
			of = set
		}
		tables := must.Get(nodescore.NewDirichlet(codes, of, levels,
			nodescore.DirichletOptions{Alpha: 2}))(t)
		joint := &nodescore.Joint{
			Numbers:    []*nodescore.Blocks{numbers, numbers.WithFreedom(30)},
			Categories: tables, Place: []int{0, 1, 2, -1, -1}, Constant: []float64{1, 2, 3, 4, 5}}
		name := fmt.Sprintf("interventions %v: ", intervened != nil)
		neighbours(t, name+"blocks", numbers)
		neighbours(t, name+"tables", tables)
		neighbours(t, name+"joint", joint)
		kept := nodescore.NewKept(joint)
		neighbours(t, name+"kept", kept)
		neighbours(t, name+"kept, known", kept)
		neighbours(t, name+"blend", &nodescore.Blend{Form: joint, Base: numbers, Weight: 0.3})
	}
}

var (
	everySet   = scoretest.EverySet
	keep       = scoretest.Keep
	logNormal  = scoretest.LogNormal
	near       = scoretest.Near
	newGP      = scoretest.NewGP
	newLinear  = scoretest.NewLinear
	normals    = scoretest.Normals
	others     = dag.AllBut
	randomMask = scoretest.RandomMask
)
