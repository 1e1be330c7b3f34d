package nodescore_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// A score that differs from the base by the same number for all sets with the most important parent
// is extended without an error; whatever the scores, a table and single sets agree.
func TestExtend(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const d = 6
	x := mat.NewDense(80, d, nil)
	for i := range 80 {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, 0, x.At(i, 0)+3*x.At(i, 2)+0.3*x.At(i, 4))
	}
	base := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	has := func(parents []int, i int) bool {
		for _, p := range parents {
			if p == i {
				return true
			}
		}
		return false
	}
	exact := func(parents []int) float64 {
		v := base.LogScore(0, parents)
		if has(parents, 2) {
			v += 7
		}
		return v
	}
	noisy := map[string]float64{}
	for name, known := range map[string]func(parents []int) float64{
		"exact": exact,
		"any": func(parents []int) float64 {
			key := string(rune(len(parents)))
			for _, p := range parents {
				key += string(rune('a' + p))
			}
			if _, ok := noisy[key]; !ok {
				noisy[key] = base.LogScore(0, parents) + rng.NormFloat64()
			}
			return noisy[key]
		},
		"impossible": func([]int) float64 { return math.Inf(-1) },
	} {
		candidates := []int{1, 2, 3, 4, 5}
		table, plain := make([]float64, 32), make([]float64, 32)
		base.LogScores(plain, 0, candidates)
		sets := make([][]int, 32)
		for set := range table {
			table[set] = math.NaN()
			for k, i := range candidates {
				if set>>k&1 == 1 {
					sets[set] = append(sets[set], i)
				}
			}
			if len(sets[set]) <= 2 {
				table[set] = known(sets[set])
			}
		}
		nodescore.ExtendTable(table, plain)
		some := func(p []int) float64 {
			if len(p) > 2 {
				return math.NaN()
			}
			return known(p)
		}
		whole := make([]float64, 32)
		nodescore.ExtendedScores(base, whole, 0, candidates, some)
		if !slices.Equal(whole, table) {
			t.Errorf("%s: all subsets at once score %v, want %v", name, whole, table)
		}
		for set, parents := range sets {
			if len(parents) <= 2 {
				continue
			}
			one := nodescore.Extend(base, 0, parents, some)
			if one != table[set] && !(math.Abs(one-table[set]) < 1e-9) {
				t.Errorf("%s: %v scores %v, and %v in a table", name, parents, one, table[set])
			}
			if want := exact(parents); name == "exact" && !(math.Abs(one-want) <= 1e-9) {
				t.Errorf("%v scores %v, want %v", parents, one, want)
			}
		}
	}
}

// The ends of a blend are the scores themselves, and it is linear between them.
func TestBlend(t *testing.T) {
	form := score.NewFunc(3, func(j int, parents []int) float64 {
		return -float64(3*j + len(parents))
	})
	x := mat.NewDense(4, 3, []float64{1, 2, 3, 3, 2, 2, 0, 1, 5, 2, 7, 1})
	base := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	for _, w := range []float64{0, 0.25, 1} {
		b := &nodescore.Blend{Form: form, Base: base, Weight: w}
		if err := score.Check(context.Background(), b); err != nil {
			t.Error(err)
		}
		parents := []int{0, 2}
		if got, want := b.LogScore(1, parents), w*form.LogScore(1, parents)+
			(1-w)*base.LogScore(1, parents); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("weight %v: %v, want %v", w, got, want)
		}
	}
	none := &nodescore.Blend{Form: score.NewFunc(3, func(int, []int) float64 {
		return math.Inf(-1)
	}), Base: base}
	if got := none.LogScore(0, []int{1}); !math.IsInf(got, -1) {
		t.Errorf("an impossible set scores %v", got)
	}
}
