package dataset_test

import (
	"fmt"
	"math"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
)

func TestEdgeProbability(t *testing.T) {
	tests := []struct { // section 2.1 of the specification
		vars         int
		edgesPerNode float64
		want         float64
	}{{10, 2, 0.4444}, {11, 2, 0.4}, {20, 2, 0.2105}, {50, 2, 0.0816}, {10, 4, 0.8889},
		{20, 4, 0.4211}, {50, 4, 0.1633}, {20, 0, 0.2105}, {2, 0.25, 0.5}, {11, 1, 0.2}}
	for _, test := range tests {
		got, err := dataset.ERConfig{Vars: test.vars,
			EdgesPerNode: test.edgesPerNode}.EdgeProbability()
		if err != nil || math.Abs(got-test.want) > 5e-5 {
			t.Errorf("%d variables, %v edges per node: %v, error %v, want %v", test.vars,
				test.edgesPerNode, got, err, test.want)
		}
	}
}

func TestGraphSettingsErrors(t *testing.T) {
	er := func(vars int, edgesPerNode float64) error {
		_, err := dataset.SimulateER(dataset.ERConfig{Vars: vars, EdgesPerNode: edgesPerNode})
		return err
	}
	scaleFree := func(vars, edgesPerNode int) error {
		_, err := dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: vars,
			EdgesPerNode: edgesPerNode})
		return err
	}
	tests := []struct {
		err  error
		want string
	}{
		{er(0, 2), "dataset: Erdős–Rényi graph with 0 variables; allowed: at least 2"},
		{er(1, 2), "dataset: Erdős–Rényi graph with 1 variables; allowed: at least 2"},
		{er(5, 0), "dataset: 2 edges per node among 5 variables make the edge probability " +
			"2e/(d-1) = 1; allowed: below 1, that is fewer than 2 edges per node or more than 5 " +
			"variables"},
		{er(8, 4), "dataset: 4 edges per node among 8 variables make the edge probability " +
			"2e/(d-1) = 1.143; allowed: below 1, that is fewer than 3.5 edges per node or more " +
			"than 9 variables"},
		{er(20, -1),
			"dataset: -1 edges per node; allowed: finite numbers above 0, or 0 for the default 2"},
		{er(20, math.NaN()), "dataset: NaN edges per node; allowed: finite numbers above 0, or 0 " +
			"for the default 2"},
		{er(20, math.Inf(1)), "dataset: +Inf edges per node; allowed: finite numbers above 0, or " +
			"0 for the default 2"},
		{scaleFree(1, 1), "dataset: scale-free graph with 1 variables; allowed: at least 2"},
		{scaleFree(5, 5),
			"dataset: scale-free graph with 5 edges per node among 5 variables; allowed: 1 to 4"},
		{scaleFree(2, 0),
			"dataset: scale-free graph with 2 edges per node among 2 variables; allowed: 1 to 1"},
		{scaleFree(5, -1),
			"dataset: scale-free graph with -1 edges per node among 5 variables; allowed: 1 to 4"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			if test.err == nil || test.err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", test.err, test.want)
			}
		})
	}
	// The limits that the errors name are the true ones.
	if err := er(6, 2); err != nil {
		t.Error(err)
	}
	if err := er(10, 4); err != nil {
		t.Error(err)
	}
	if err := er(8, 3.49); err != nil {
		t.Error(err)
	}
}

// 2000 graphs with d = 8 and p = 4/7: the number of edges is Binomial(28, p), and each of the 56
// directed edges has probability p/2.
func TestERIsUniform(t *testing.T) {
	const d, graphs, sigmas = 8, 2000, 5
	p := 4.0 / 7
	edges := 0
	var count [d][d]int
	for seed := range uint64(graphs) {
		g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: seed}))(t)
		if !g.Acyclic() {
			t.Fatalf("seed %d: %v has a cycle", seed, g.Edges())
		}
		edges += g.Size()
		for _, e := range g.Edges() {
			count[e.From][e.To]++
		}
	}
	pairs := float64(d * (d - 1) / 2)
	mean, tolerance := float64(edges)/graphs, sigmas*math.Sqrt(pairs*p*(1-p)/graphs)
	if math.Abs(mean-pairs*p) > tolerance {
		t.Errorf("%.3f edges on average, want %.3f ± %.3f", mean, pairs*p, tolerance)
	}
	for i := range d {
		for j := range d {
			got, tolerance := float64(count[i][j])/graphs, sigmas*math.Sqrt(p/2*(1-p/2)/graphs)
			if i != j && math.Abs(got-p/2) > tolerance {
				t.Errorf("edge %d -> %d in a fraction of %.3f, want %.3f ± %.3f", i, j, got, p/2,
					tolerance)
			}
		}
	}
}

// With the default e = 2 the expected number of edges is 2d. 300 graphs with d = 20: standard error
// √(190·p·(1−p)/300) = 0.32; five of them.
func TestERHasTwoEdgesPerNode(t *testing.T) {
	edges := 0
	for seed := range uint64(300) {
		g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 20, Seed: seed}))(t)
		edges += g.Size()
	}
	if mean := float64(edges) / 300; math.Abs(mean-40) > 1.6 {
		t.Errorf("%.2f edges on average, want 40 ± 1.6", mean)
	}
}

func TestScaleFreeEdgeCount(t *testing.T) {
	for d := 2; d <= 12; d++ {
		for m := 1; m < d; m++ {
			t.Run(fmt.Sprintf("d=%d m=%d", d, m), func(t *testing.T) {
				g := must.Get(dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: d,
					EdgesPerNode: m, Seed: 7}))(t)
				if want := m*d - m*(m+1)/2; g.Size() != want || !g.Acyclic() {
					t.Errorf("%d edges, acyclic %v, want %d edges", g.Size(), g.Acyclic(), want)
				}
				// a variable points at m older ones; the m oldest at all there are
				for i := range d {
					if children := len(g.Children(i)); children > m {
						t.Errorf("variable %d points at %d others, want at most %d", i, children, m)
					}
				}
			})
		}
	}
}

// The third of three variables finds in-degrees 1 and 0, so it joins the first edge's target with
// probability 2/3; then one variable has two parents. With two edges each, the fourth of four finds
// in-degrees 2, 1 and 0, weights 3, 2 and 1, and leaves out the last with probability 3/6·2/3 +
// 2/6·3/4 = 7/12; then the in-degrees are 3, 2, 0, 0. 3000 graphs: standard error at most 0.0091;
// five of them.
func TestScaleFreePrefersHubs(t *testing.T) {
	tests := []struct {
		vars, edgesPerNode int
		degrees            []int // number of variables with 0, 1, 2, 3 parents
		want               float64
	}{
		{3, 1, []int{2, 0, 1, 0}, 2.0 / 3},
		{4, 2, []int{2, 0, 1, 1}, 7.0 / 12},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("d=%d", test.vars), func(t *testing.T) {
			const graphs = 3000
			times := 0
			for seed := range uint64(graphs) {
				g := must.Get(dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: test.vars,
					EdgesPerNode: test.edgesPerNode, Seed: seed}))(t)
				if fmt.Sprint(parentCounts(g)) == fmt.Sprint(test.degrees) {
					times++
				}
			}
			if got := float64(times) / graphs; math.Abs(got-test.want) > 0.045 {
				t.Errorf("share %.3f, want %.3f ± 0.045", got, test.want)
			}
		})
	}
}

// parentCounts returns how many variables have 0, 1, 2 and 3 parents.
func parentCounts(g *dag.Graph) []int {
	count := make([]int, 4)
	for j := range g.Len() {
		count[len(g.Parents(j))]++
	}
	return count
}
