package generalised_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/must"
	"tobac/score"
)

// everyKind has a column of each kind that depend on each other in a row.
func everyKind(n int) (*mat.Dense, []generalised.Variable) {
	rng := rand.New(rand.NewPCG(4, 7))
	kinds := dataset.Kinds()
	x, variables := mat.NewDense(n, len(kinds), nil), make([]generalised.Variable, len(kinds))
	for i := range n {
		hidden := rng.NormFloat64()
		for j, k := range kinds {
			hidden = 0.8*hidden + 0.6*rng.NormFloat64()
			v := hidden
			p := 1 / (1 + math.Exp(-hidden))
			variables[j].Kind = k
			switch k {
			case dataset.Positive:
				v = math.Exp(hidden)
			case dataset.Proportion:
				v = p
			case dataset.Count:
				v = math.Floor(math.Exp(hidden))
			case dataset.Binary, dataset.Ordered, dataset.Categorical:
				variables[j].Levels = 2 + j - 4
				v = math.Floor(float64(variables[j].Levels) * p)
			}
			x.Set(i, j, v)
		}
	}
	return x, variables
}

// base scores sets of many parents by their number alone.
func base(d int) score.SubsetScorer {
	s, err := score.NewBGe(standardNormal(50, d), nil, score.BGeOptions{})
	if err != nil {
		panic(err)
	}
	return s
}

func standardNormal(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

func newScorer(t *testing.T, x, set mat.Matrix, variables []generalised.Variable,
	most int) *generalised.Scorer {
	t.Helper()
	return must.Get(generalised.New(x, set, variables,
		generalised.Options{MaxParents: most, Base: base(len(variables))}))(t)
}

// All sets at once are the sets one by one, and every column depends on the one before.
func TestScores(t *testing.T) {
	x, variables := everyKind(150)
	for _, most := range []int{0, 2} {
		s := newScorer(t, x, nil, variables, most)
		if most > 0 {
			if err := score.Check(context.Background(), s); err != nil {
				t.Error(err)
			}
		}
		for j := 1; j < len(variables); j++ {
			if gain := s.LogScore(j, []int{j - 1}) - s.LogScore(j, nil); !(gain > 3) {
				t.Errorf("%v gains %v nats from %v", variables[j].Kind, gain, variables[j-1].Kind)
			}
		}
	}
}

// Shifting and scaling numbers, and numbering the levels of a category otherwise, changes scores by
// the density of the units alone.
func TestInvariance(t *testing.T) {
	x, variables := everyKind(120)
	s := newScorer(t, x, nil, variables, 0)
	y := mat.DenseCopyOf(x)
	last := len(variables) - 1
	for i := range 120 {
		y.Set(i, 0, 5-3*x.At(i, 0))
		y.Set(i, 1, 7*x.At(i, 1))
		y.Set(i, last, math.Mod(x.At(i, last)+1, float64(variables[last].Levels)))
	}
	other := newScorer(t, y, nil, variables, 0)
	units := []float64{120 * math.Log(3), 120 * math.Log(7)}
	for j := range variables {
		for _, parents := range [][]int{nil, {0, 1, last}, {2, 3, 4}} {
			kept := parents[:0:0]
			for _, i := range parents {
				if i != j {
					kept = append(kept, i)
				}
			}
			want := s.LogScore(j, kept)
			if j < 2 {
				want -= units[j]
			}
			if got := other.LogScore(j, kept); math.Abs(got-want) > 2e-6*math.Abs(want) {
				t.Errorf("%v given %v: %v, want %v", variables[j].Kind, kept, got, want)
			}
		}
	}
}

// Rows in which a variable was set do not count for it, and count for its children.
func TestInterventions(t *testing.T) {
	x, variables := everyKind(90)
	d := len(variables)
	set := mat.NewDense(90, d, nil)
	for i := 60; i < 90; i++ {
		set.Set(i, 4, 1)
	}
	s := newScorer(t, x, set, variables, 0)
	changed := mat.DenseCopyOf(x)
	for i := 60; i < 90; i++ {
		changed.Set(i, 4, 1-x.At(i, 4))
	}
	other := newScorer(t, changed, set, variables, 0)
	if a, b := s.LogScore(4, []int{0}), other.LogScore(4, []int{0}); math.Abs(a-b) > 1e-9 {
		t.Errorf("values that were set change the score from %v to %v", a, b)
	}
	if a, b := s.LogScore(5, []int{4}), other.LogScore(5, []int{4}); a == b {
		t.Errorf("values that were set do not count for a child: %v", a)
	}
}

// Values that a kind does not have are refused.
func TestFaults(t *testing.T) {
	x, variables := everyKind(20)
	for _, c := range []struct {
		i, j int
		v    float64
	}{{3, 1, -1}, {3, 3, 0.5}, {3, 4, 2}, {3, 0, math.NaN()}} {
		y := mat.DenseCopyOf(x)
		y.Set(c.i, c.j, c.v)
		if _, err := generalised.New(y, nil, variables,
			generalised.Options{Base: base(len(variables))}); err == nil {
			t.Errorf("%v in column %v was accepted", c.v, variables[c.j].Kind)
		}
	}
	for _, opt := range []generalised.Options{{}, {MaxParents: -1, Base: base(len(variables))}} {
		if _, err := generalised.New(x, nil, variables, opt); err == nil {
			t.Errorf("%+v were accepted", opt)
		}
	}
}
