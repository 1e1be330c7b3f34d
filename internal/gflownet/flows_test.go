package gflownet_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"tobac/dataset"
	"tobac/internal/gflownet"
	"tobac/internal/must"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// sachs is BGe on the first columns and rows of the standardised Sachs data, in the
// units and with the prior mean of the published golden values. These have R00 = 852.5 on
// 853 rows, which says that their columns were divided by the standard deviation of
// divisor n−1, although the text says n.
func sachs(t testing.TB, rows, columns int) score.Conjugate {
	t.Helper()
	table, _ := must.Two(dataset.Sachs())(t)
	table = must.Get(table.Standardize())(t)
	table.X.Scale(math.Sqrt(852./853), table.X)
	return must.Get(score.NewBGe(mat.DenseCopyOf(table.X.Slice(0, rows, 0, columns)), nil,
		score.BGeOptions{Scale: score.Raw}))(t)
}

func flows(t testing.TB, d int, prior *score.Prior) *gflownet.Flows {
	t.Helper()
	return must.Get(gflownet.NewFlows(context.Background(), sachs(t, 100, d), prior, 2))(t)
}

// TestFlowsGolden has the numbers of an independent program, table of section 18 of
// the specification of the baselines.
func TestFlowsGolden(t *testing.T) {
	uniform, fair := score.Uniform, score.Fair
	for _, c := range []struct {
		d               int
		prior           func(int) *score.Prior
		logZ, edges, p0 float64
		marginals       map[[2]int]float64
	}{
		{3, uniform, -412.7736307496, 1.2113364405, 5.9049e-19,
			map[[2]int]float64{{0, 1}: .49989311, {1, 0}: .50010689, {0, 2}: .05578731,
				{2, 0}: .04846843, {1, 2}: .05730668, {2, 1}: .04977402}},
		{4, uniform, -548.1944497014, 1.6914735682, 3.36187e-19,
			map[[2]int]float64{{0, 1}: .49649392, {2, 3}: .16167212, {3, 2}: .16104655,
				{3, 0}: .05882205}},
		{5, uniform, -623.7057193120, 3.2203655777, 1.10869e-25,
			map[[2]int]float64{{0, 1}: .49421781, {3, 4}: .46866252, {4, 3}: .53133654,
				{4, 2}: .28014528, {2, 4}: .18226333}},
		{3, fair, -413.5088924314, 1.1774129463, 1.23178e-18,
			map[[2]int]float64{{0, 1}: .5003713, {0, 2}: .0310596}},
		{4, fair, -549.7068594792, 1.3714670884, 1.5255e-18,
			map[[2]int]float64{{0, 1}: .4931971, {2, 3}: .07188841}},
		{5, fair, -627.3803160892, 2.6346445360, 4.37188e-24,
			map[[2]int]float64{{0, 1}: .49164625, {3, 4}: .49687963}},
	} {
		f := flows(t, c.d, c.prior(c.d))
		if got := f.LogEvidence(); !(math.Abs(got-c.logZ) <= 1e-8) {
			t.Errorf("d = %d: log evidence %.10f, want %.10f", c.d, got, c.logZ)
		}
		if got := f.StopProbability(0); !(math.Abs(got/c.p0-1) <= 1e-5) {
			t.Errorf("d = %d: probability to stop in the empty graph %v, want %v", c.d, got, c.p0)
		}
		m := f.Edges()
		if got := mat.Sum(m); !(math.Abs(got-c.edges) <= 1e-8) {
			t.Errorf("d = %d: expected number of edges %.10f, want %.10f", c.d, got, c.edges)
		}
		for e, want := range c.marginals {
			if got := m.At(e[0], e[1]); !(math.Abs(got-want) <= 6e-9) {
				t.Errorf("d = %d: marginal of %v is %.8f, want %.8f", c.d, e, got, want)
			}
		}
	}
}

// TestLevels counts the graphs by edges: all acyclic graphs are reached, no other.
func TestLevels(t *testing.T) {
	for d, want := range map[int][]int{
		1: {1}, 2: {1, 2}, 3: {1, 6, 12, 6}, 4: {1, 12, 60, 152, 186, 108, 24},
		5: {1, 20, 180, 940, 3050, 6180, 7960, 6540, 3330, 960, 120},
	} {
		f := must.Get(gflownet.NewFlows(context.Background(),
			score.NewFunc(d, func(int, []int) float64 { return 0 }), nil, 1))(t)
		if got := f.Levels(); !slices.Equal(got, want) {
			t.Errorf("d = %d: graphs by edges %v, want %v", d, got, want)
		}
	}
}

// TestBGeGolden has the log scores of the same section on all 853 rows.
func TestBGeGolden(t *testing.T) {
	s := sachs(t, 853, 11)
	for _, c := range []struct {
		j       int
		parents []int
		want    float64
	}{
		{0, nil, -1217.5450346159}, {1, []int{0}, -797.8000246894},
		{1, []int{0, 7, 8}, -805.8909598180},
		{7, []int{8}, -1221.8554677434}, {5, []int{1, 7}, -1156.4446752430},
	} {
		if got := s.LogScore(c.j, c.parents); !(math.Abs(got-c.want) <= 1e-8) {
			t.Errorf("variable %d given %v: got %.10f, want %.10f", c.j, c.parents, got, c.want)
		}
	}
}
