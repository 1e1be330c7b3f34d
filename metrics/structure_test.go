package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"
)

// shdByMatrix is the definition on matrices: pairs in which |A − B| has an entry.
func shdByMatrix(a, b *dag.Graph) int {
	var diff mat.Dense
	diff.Sub(a.Matrix(), b.Matrix())
	count := 0
	for i := range a.Len() {
		for j := i + 1; j < a.Len(); j++ {
			if math.Abs(diff.At(i, j))+math.Abs(diff.At(j, i)) > 0 {
				count++
			}
		}
	}
	return count
}

func TestSHDIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(1, 8).Draw(t, "d")
		a, b, c := randomGraph(d, 0.4, rng), randomGraph(d, 0.4, rng), randomDAG(d, 0.4, rng)
		ab, bc, ac := metrics.SHD(a, b), metrics.SHD(b, c), metrics.SHD(a, c)
		if ab != metrics.SHD(b, a) {
			t.Fatal("not symmetric")
		}
		if metrics.SHD(a, a) != 0 || ab == 0 != a.Equal(b) {
			t.Fatal("zero between different graphs or not between equal ones")
		}
		if ab < 0 || ab > d*(d-1)/2 || ac > ab+bc {
			t.Fatalf("distances %d, %d, %d at d = %d", ab, bc, ac, d)
		}
		if want := shdByMatrix(a, b); ab != want {
			t.Fatalf("got %d, matrices give %d", ab, want)
		}
		order := rng.Perm(d)
		if got := metrics.SHD(a.Relabel(order), b.Relabel(order)); got != ab {
			t.Fatalf("%d after relabelling, was %d", got, ab)
		}
		if got := metrics.SHD(c, dag.New(d)); got != c.Size() {
			t.Fatalf("%d to the empty graph, want the %d edges of a DAG", got, c.Size())
		}
	})
}

func TestSHDCases(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1}, [2]int{1, 2})
	for _, row := range []struct {
		name  string
		edges [][2]int
		want  int
	}{
		{"same", [][2]int{{0, 1}, {1, 2}}, 0},
		{"missing", [][2]int{{0, 1}}, 1},
		{"extra", [][2]int{{0, 1}, {1, 2}, {0, 2}}, 1},
		{"reversed counts once", [][2]int{{0, 1}, {2, 1}}, 1},
		{"both directions for one", [][2]int{{0, 1}, {1, 0}, {1, 2}}, 1},
		{"nothing", nil, 2},
		{"all wrong", [][2]int{{1, 0}, {2, 1}, {0, 2}}, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := metrics.SHD(graph(t, 3, row.edges...), truth); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

// E-SHD of DAGs is a sum over pairs of probabilities: for a true edge i → j one
// minus its probability, for a pair without one the probability of either edge.
func TestESHDFromEdgeProbabilities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, false)
		probability := p.ensemble.EdgeProbabilities()
		want := 0.0
		for i := range p.truth.Len() {
			for j := range i {
				switch {
				case p.truth.Has(i, j):
					want += 1 - probability.At(i, j)
				case p.truth.Has(j, i):
					want += 1 - probability.At(j, i)
				default:
					want += probability.At(i, j) + probability.At(j, i)
				}
			}
		}
		if got := metrics.ESHD(p.ensemble, p.truth); !near(got, want, 1e-12) {
			t.Fatalf("got %g, want %g", got, want)
		}
	})
}

func TestAcyclicityCases(t *testing.T) {
	cycle := func(d, length int) *dag.Graph {
		g := dag.New(d)
		for i := range length {
			g.Set(i, (i+1)%length, true)
		}
		return g
	}
	for _, row := range []struct {
		name string
		g    *dag.Graph
		want float64
	}{
		{"3-cycle of 3", cycle(3, 3), 1.0 / 9},
		{"2-cycle of 3", cycle(3, 2), 2.0 / 3},
		{"50-cycle of 50", cycle(50, 50), 50 * math.Pow(50, -50)}, // binom(50,50) tr(G^50)/50^50
		{"chain", graph(t, 4, [2]int{2, 0}, [2]int{0, 3}), 0},
		{"one vertex", dag.New(1), 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := metrics.Acyclicity(row.g); !(math.Abs(got-row.want) <= 1e-13*row.want) {
				t.Errorf("got %.15g, want %.15g", got, row.want)
			}
		})
	}
}

func TestAcyclicityLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		d := rapid.IntRange(1, 9).Draw(t, "d")
		g := randomGraph(d, rapid.Float64Range(0, 0.6).Draw(t, "p"), rng)
		h := metrics.Acyclicity(g)
		if h > 0 == g.Acyclic() || h < 0 {
			t.Fatalf("h = %g, acyclic %v", h, g.Acyclic())
		}
		base := g.Matrix()
		base.Scale(1/float64(d), base)
		for i := range d {
			base.Set(i, i, 1)
		}
		var power mat.Dense
		power.Pow(base, d)
		// The difference of two numbers near d loses digits: absolute tolerance.
		if want := mat.Trace(&power) - float64(d); !(math.Abs(h-want) <= 1e-12*mat.Trace(&power)) {
			t.Fatalf("h = %.15g, by powers %.15g", h, want)
		}
		if got := metrics.Acyclicity(g.Relabel(rng.Perm(d))); !near(got, h, 1e-12) {
			t.Fatalf("h = %g after relabelling, was %g", got, h)
		}
	})
}

// Cyclic counts particles whatever their weights, Cyclicity weighs them.
func TestCyclicCounts(t *testing.T) {
	cycle := graph(t, 3, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
	e := must.Get(posterior.Weighted([]*dag.Graph{cycle, dag.New(3), cycle},
		[]float64{0, math.Log(2), 0}))(t)
	if !near(metrics.Cyclicity(e), 1.0/18, 1e-14) {
		t.Errorf("h = %g, want 1/18", metrics.Cyclicity(e))
	}
}

func TestViolatedEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		d := rapid.IntRange(1, 9).Draw(t, "d")
		g := randomDAG(d, 0.5, rng)
		order := must.Get(g.TopologicalOrder())(t)
		if got := metrics.ViolatedEdges(order, g); got != 0 {
			t.Fatalf("a topological order violates %d edges", got)
		}
		// An edge is violated by an order or by its reverse.
		random := rng.Perm(d)
		reverse := make([]int, d)
		for c, v := range random {
			reverse[d-1-c] = v
		}
		if got := metrics.ViolatedEdges(random, g) +
			metrics.ViolatedEdges(reverse, g); got != g.Size() {
			t.Fatalf("an order and its reverse violate %d edges, want all %d", got, g.Size())
		}
	})
}
