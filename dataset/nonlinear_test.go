package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

func simulateNonlinear(t *testing.T, g *dag.Graph, c dataset.NonlinearConfig) *dataset.Simulation {
	t.Helper()
	return must.Get(dataset.SimulateNonlinear(g, c))(t)
}

func TestNonlinearDefaults(t *testing.T) {
	g := erGraph(t, dataset.ERConfig{Vars: 12, Seed: 3})
	s := simulateNonlinear(t, g, dataset.NonlinearConfig{Seed: 3})
	explicit := simulateNonlinear(t, g, dataset.NonlinearConfig{Rows: 100, HeldoutRows: 100,
		NoiseVariance: 0.1, Hidden: 5, Seed: 3})
	for _, pair := range [][2]*dataset.Table{{s.Train, explicit.Train},
		{s.Heldout, explicit.Heldout}} {
		if !equalTables(pair[0], pair[1]) || rows(pair[0]) != 100 {
			t.Errorf("%d rows, want the published 100 with variance 0.1 and 5 units", rows(pair[0]))
		}
	}
	if got, want := len(s.Parameters), 12*(12*5+2*5+1); got != want || s.Weights != nil ||
		!s.Graph.Equal(g) {
		t.Errorf("%d parameters, weights %v, want %d and none", got, s.Weights, want)
	}
}

// A graph without edges has noise only, the very numbers of the linear model: its streams are the
// same. On any graph, what is left of each variable after its own network, computed here from the
// layout that the comment describes, is that noise again; a root is noise alone.
func TestNonlinearIsNetworkPlusNoise(t *testing.T) {
	for _, h := range []int{1, 5} {
		t.Run(fmt.Sprintf("h=%d", h), func(t *testing.T) {
			const d = 8
			g := erGraph(t, dataset.ERConfig{Vars: d, EdgesPerNode: 1.5, Seed: 6})
			c := dataset.NonlinearConfig{Rows: 30, HeldoutRows: 20, NoiseVariance: 0.7, Hidden: h,
				Seed: 9}
			s := simulateNonlinear(t, g, c)
			noise := simulate(t, dag.New(d),
				dataset.LinearConfig{Rows: 30, HeldoutRows: 20, NoiseVariance: 0.7, Seed: 9})
			alone := simulateNonlinear(t, dag.New(d), c)
			if !equalTables(alone.Train, noise.Train) ||
				!equalTables(alone.Heldout, noise.Heldout) {
				t.Error("a graph without edges does not give the noise of the linear model")
			}
			theta := s.Parameters
			w1 := func(j, i, a int) float64 { return theta[(j*d+i)*h+a] }
			b1 := func(j, a int) float64 { return theta[d*d*h+j*h+a] }
			w2 := func(j, a int) float64 { return theta[d*d*h+d*h+j*h+a] }
			b2 := func(j int) float64 { return theta[d*d*h+2*d*h+j] }
			for _, pair := range [][2]*dataset.Table{{s.Train, noise.Train},
				{s.Heldout, noise.Heldout}} {
				for r := range rows(pair[0]) {
					x := pair[0].X.RawRowView(r)
					for j := range d {
						mean := 0.0
						if parents := g.Parents(j); len(parents) > 0 {
							mean = b2(j)
							for a := range h {
								pre := b1(j, a)
								for _, i := range parents {
									pre += x[i] * w1(j, i, a)
								}
								mean += math.Max(pre, 0) * w2(j, a)
							}
						}
						if got, want := x[j]-mean,
							pair[1].X.At(r, j); math.Abs(got-want) > 1e-12*math.Max(1,
							math.Abs(x[j])) {
							t.Fatalf(
								"row %d, variable %d: %v beside its network, want the noise %v", r,
								j, got, want)
						}
					}
				}
			}
		})
	}
}

// 2,420 parameters of N(0, 1): mean 0 ± 0.020, variance 1 ± 0.029; four of each.
func TestNonlinearParameters(t *testing.T) {
	s := simulateNonlinear(t, dag.New(20),
		dataset.NonlinearConfig{Rows: 1, HeldoutRows: 1, Seed: 5})
	mean, variance := stat.MeanVariance(s.Parameters, nil)
	if math.Abs(mean) > 0.08 || math.Abs(variance-1) > 0.12 {
		t.Errorf("mean %v, variance %v, want 0 ± 0.08 and 1 ± 0.12", mean, variance)
	}
}

// The same settings give the same data; another seed, or other numbers of rows, change what they
// say and nothing else.
func TestNonlinearStreamsAreSeparate(t *testing.T) {
	g := complete(6)
	s := simulateNonlinear(t, g, dataset.NonlinearConfig{Rows: 10, HeldoutRows: 10, Seed: 1})
	again := simulateNonlinear(t, g, dataset.NonlinearConfig{Rows: 10, HeldoutRows: 10, Seed: 1})
	if !equalTables(s.Train, again.Train) || !equalTables(s.Heldout, again.Heldout) {
		t.Error("two calls differ")
	}
	longer := simulateNonlinear(t, g, dataset.NonlinearConfig{Rows: 15, HeldoutRows: 10, Seed: 1})
	if !mat.Equal(longer.Train.X.Slice(0, 10, 0, 6), s.Train.X) ||
		!equalTables(longer.Heldout, s.Heldout) {
		t.Error("more training rows changed the others")
	}
	other := simulateNonlinear(t, g, dataset.NonlinearConfig{Rows: 10, HeldoutRows: 10, Seed: 2})
	if equalTables(other.Train, s.Train) || other.Parameters[0] == s.Parameters[0] {
		t.Error("another seed gives the same data")
	}
}

// A seed names a data set for good. The hashes were computed with this package and Go 1.26 on
// amd64.
func TestNonlinearStreamsAreFrozen(t *testing.T) {
	s := simulateNonlinear(t, dag.New(3),
		dataset.NonlinearConfig{Rows: 50, HeldoutRows: 50, NoiseVariance: 1, Seed: 42})
	got := [3]string{hash(s.Train.X.RawMatrix().Data), hash(s.Heldout.X.RawMatrix().Data),
		hash(s.Parameters)}
	want := [3]string{"5debe241f514082b", "3cd94204eccb434f", "f82722c77b175e56"}
	if got != want {
		t.Errorf("train, held-out, parameters: %q, want %q", got, want)
	}
}

func TestSimulateNonlinearErrors(t *testing.T) {
	cycle := dag.New(2)
	cycle.Set(0, 1, true)
	cycle.Set(1, 0, true)
	for _, test := range []struct {
		name string
		g    *dag.Graph
		c    dataset.NonlinearConfig
		want string
	}{
		{"cycle", cycle, dataset.NonlinearConfig{},
			"dataset: nonlinear model: graph has a cycle: 0 -> 1 -> 0"},
		{"no variables", dag.New(0), dataset.NonlinearConfig{},
			"dataset: nonlinear model on a graph without variables; allowed: at least 1"},
		{"hidden units", dag.New(1), dataset.NonlinearConfig{Hidden: -2},
			"dataset: networks with -2 hidden units; allowed: at least 1, or 0 for the default 5"},
		{"negative rows", dag.New(1), dataset.NonlinearConfig{Rows: -1}, "dataset: -1 training " +
			"and 100 held-out rows; allowed: at least 1, or 0 for the default 100"},
		{"negative variance", dag.New(1), dataset.NonlinearConfig{NoiseVariance: -0.1},
			"dataset: noise variance -0.1; allowed: finite numbers above 0, or 0 for the default " +
				"0.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := dataset.SimulateNonlinear(test.g, test.c); err == nil ||
				err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("overflow", func(t *testing.T) {
		_, err := dataset.SimulateNonlinear(complete(1000),
			dataset.NonlinearConfig{Rows: 1, HeldoutRows: 1, NoiseVariance: 1e308})
		if err == nil ||
			!strings.HasPrefix(err.Error(), "dataset: nonlinear model overflows: row 1, column ") {
			t.Errorf("error %v, want one that says where the model overflows", err)
		}
	})
}
