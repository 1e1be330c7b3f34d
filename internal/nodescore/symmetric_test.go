package nodescore_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// The joint evidence is the mean over all sequences, equivalent graphs have the same score, and all
// sets at once are the sets one by one.
func TestSymmetric(t *testing.T) {
	ctx := context.Background()
	form := score.NewFunc(3, func(j int, parents []int) float64 {
		v := float64(j * j)
		for _, i := range parents {
			v += math.Sin(float64(3*i+5*j)) * 4
		}
		return v
	})
	s := must.Get(nodescore.NewSymmetric(ctx, form, 2))(t)
	if err := score.Check(ctx, s); err != nil {
		t.Error(err)
	}
	equivalent(t, s)
	var all []float64
	for _, p := range [][]int{
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
	} {
		pair := []int{min(p[0], p[1]), max(p[0], p[1])}
		all = append(all, form.LogScore(p[0], nil)+form.LogScore(p[1], p[:1])+
			form.LogScore(p[2], pair))
	}
	want := floats.LogSumExp(all) - math.Log(6)
	got := s.LogScore(0, nil) + s.LogScore(1, []int{0}) + s.LogScore(2, []int{0, 1})
	if math.Abs(got-want) > 1e-10 {
		t.Errorf("joint evidence %v, want %v", got, want)
	}
	highest, ofForm := math.Inf(-1), math.Inf(-1)
	for entries := range 1 << 6 {
		g, at := dag.New(3), 0
		for i := range 3 {
			for j := range 3 {
				if i != j {
					g.Set(i, j, entries>>at&1 == 1)
					at++
				}
			}
		}
		if g.Acyclic() {
			highest = math.Max(highest, nodescore.OfGraph(s, g))
			ofForm = math.Max(ofForm, nodescore.OfGraph(form, g))
		}
	}
	if got := s.Surplus(); math.Abs(got-(highest-ofForm)) > 1e-10 {
		t.Errorf("surplus %v, want %v", got, highest-ofForm)
	}
	if _, err := nodescore.NewSymmetric(ctx, score.NewFunc(21, form.LogScore), 1); err == nil {
		t.Error("21 variables were accepted")
	}
}

// Categories have the scores of their tables among themselves, numbers those of blocks, whose
// scales are averaged over for each set, and equivalent graphs the same.
func TestJoint(t *testing.T) {
	x, widths := mixed(120, []int{0, 1, 2, 3})
	numbers := must.Get(nodescore.NewBlocks(x, widths, nil, nodescore.BlockOptions{}))(t)
	codes, _ := levelled(120, []int{3, 4}, 1)
	tables :=
		must.Get(nodescore.NewDirichlet(codes, nil, []int{3, 4}, nodescore.DirichletOptions{}))(t)
	small := numbers.WithFreedom(30)
	for _, scales := range [][]*nodescore.Blocks{{numbers}, {numbers, small}} {
		s := &nodescore.Joint{Numbers: scales, Categories: tables, Place: []int{0, 1, -1},
			Constant: []float64{1, 2, 3}}
		if err := score.Check(context.Background(), s); err != nil {
			t.Error(err)
		}
		equivalent(t, s)
		if got, want := s.LogScore(0, []int{1}),
			1+tables.LogScore(0, []int{1}); math.Abs(got-want) > 1e-9 {
			t.Errorf("a category given a category has %v, want %v", got, want)
		}
		gain, alone := 0.0, 0.0
		for _, b := range scales {
			gain += math.Exp(b.LogScore(2, []int{0, 1})-b.LogScore(2, nil)) / float64(len(scales))
			alone += math.Exp(b.LogScore(2, nil)-numbers.LogScore(2, nil)) / float64(len(scales))
		}
		want := 3 + numbers.LogScore(2, nil) + math.Log(alone) + math.Log(gain)
		if got := s.LogScore(2, []int{0, 1}); math.Abs(got-want) > 1e-9 {
			t.Errorf("a number has %v, want %v", got, want)
		}
	}
}

// Each asks the scorer of a variable.
func TestEach(t *testing.T) {
	f := score.NewFunc(2, func(j int, parents []int) float64 {
		return float64(j + 10*len(parents))
	})
	g := score.NewFunc(2, func(int, []int) float64 { return -1 })
	wrap := func(s score.Scorer) score.SubsetScorer {
		return must.Get(nodescore.NewSymmetric(context.Background(), s, 1))(t)
	}
	a, b := wrap(f), wrap(g)
	s := &nodescore.Each{Of: []score.SubsetScorer{a, b}}
	if err := score.Check(context.Background(), s); err != nil {
		t.Error(err)
	}
	if s.LogScore(0, []int{1}) != a.LogScore(0, []int{1}) ||
		s.LogScore(1, nil) != b.LogScore(1, nil) {
		t.Error("scores are not those of the variables' scorers")
	}
	if empty := (&nodescore.Each{Of: make([]score.SubsetScorer, 2)}); empty.LogScore(1,
		[]int{0}) != 0 {
		t.Error("a variable without rows has a score")
	}
}
