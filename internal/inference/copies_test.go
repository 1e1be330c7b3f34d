package inference_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/inference"
	"tobac/score"
)

// copied is a table of z, its cause a, a copy of a with other codes, and a function of a.
func copied() *dataset.Table {
	rng := rand.New(rand.NewPCG(33, 1))
	x := mat.NewDense(300, 4, nil)
	for i := range 300 {
		a := rng.IntN(3)
		z := rng.IntN(2)
		if a == 0 {
			z = 0
		}
		x.SetRow(i, []float64{float64(z), float64(a), float64(2 - a), float64(a / 2)})
	}
	t := &dataset.Table{Names: []string{"z", "a", "copy", "part"}, X: x}
	for range t.Names {
		t.Variables = append(t.Variables,
			dataset.Variable{Kind: dataset.Categorical, Levels: []string{"0", "1", "2"}})
	}
	return t
}

// The other relations of a function are those of the column that determines it, with probability ½,
// and a child of both has the finer one alone.
func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 2))
	x := mat.NewDense(300, 5, nil)
	for i := range 300 {
		a := rng.IntN(4)
		x.SetRow(i, []float64{float64(a), float64(a / 2), float64(rng.IntN(2)),
			float64(rng.IntN(2)), float64(rng.IntN(2))})
	}
	data := &dataset.Table{Names: []string{"fine", "coarse", "u", "v", "w"}, X: x}
	for range data.Names {
		data.Variables = append(data.Variables,
			dataset.Variable{Kind: dataset.Categorical, Levels: []string{"0", "1", "2", "3"}})
	}
	const n, d = 4000, 5
	c := inference.FindCopies(data, score.Fair(d))
	of := func(edges ...[2]int) *dag.Graph {
		g := dag.New(d)
		for _, e := range edges {
			g.Set(e[0], e[1], true)
		}
		return g
	}
	for name, test := range map[string]struct {
		graph *dag.Graph
		want  map[[2]int]float64 // frequencies of edges
	}{
		"a child": {of([2]int{0, 1}, [2]int{1, 2}),
			map[[2]int]float64{{0, 1}: 1, {0, 2}: 0.5, {1, 2}: 0.5}},
		"a child of both": {of([2]int{1, 0}, [2]int{1, 2}, [2]int{0, 2}),
			map[[2]int]float64{{1, 0}: 1, {0, 2}: 1}},
		"parents": {of([2]int{2, 1}, [2]int{3, 1}, [2]int{1, 0}),
			map[[2]int]float64{{0, 1}: 0.5, {1, 0}: 0.5, {2, 0}: 0.5, {2, 1}: 0.5, {3, 0}: 0.5,
				{3, 1}: 0.5}},
		"a path between": {of([2]int{1, 2}, [2]int{2, 0}, [2]int{3, 1}),
			map[[2]int]float64{{1, 2}: 1, {2, 0}: 1, {3, 1}: 1}},
		"others": {of([2]int{0, 1}, [2]int{2, 3}, [2]int{3, 4}),
			map[[2]int]float64{{0, 1}: 1, {2, 3}: 1, {3, 4}: 1}},
	} {
		graphs := slices.Repeat([]*dag.Graph{test.graph}, n)
		edges := test.graph.Matrix()
		c.Share(graphs, edges, slices.Repeat([]float64{1}, n), 7)
		for i := range d {
			for j := range d {
				want := test.want[[2]int{i, j}]
				// five standard deviations
				if got := edges.At(i, j); math.Abs(got-want) > 0.04 || want == 1 && got != 1 {
					t.Errorf("%s: edge %d → %d has the probability %v, want %v", name, i, j, got,
						want)
				}
			}
		}
		for _, g := range graphs {
			for i := range d {
				if g.Closure().Has(i, (i+1)%d) && g.Closure().Has((i+1)%d, i) {
					t.Fatalf("%s: a graph with a cycle: %v", name, g.Edges())
				}
			}
		}
	}
	p := score.Fair(d)
	if p.Forbid(2, 0); inference.FindCopies(data, p).Any() {
		t.Error("a function was found that the prior tells from its source")
	}
}

// Copies share their edges, unless the prior tells one from the other.
func TestCopies(t *testing.T) {
	data, d := copied(), 4
	c := inference.FindCopies(data, score.Fair(d))
	if !c.Any() {
		t.Fatal("no copies were found")
	}
	for name, change := range map[string]func(p *score.Prior){
		"a forbidden parent":  func(p *score.Prior) { p.Forbid(0, 1) },
		"a required child":    func(p *score.Prior) { p.Require(2, 3) },
		"a direction of both": func(p *score.Prior) { p.Forbid(1, 2) },
	} {
		p := score.Fair(d)
		if change(p); inference.FindCopies(data, p).Any() {
			t.Errorf("%s: copies were found", name)
		}
	}
	// Both copies are parents of "part" in the first graph; the other has a path between them.
	two := dag.New(d)
	// z cannot tell of a copy given the other
	for _, e := range [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {0, 2}} {
		two.Set(e[0], e[1], true)
	}
	through := dag.New(d)
	through.Set(1, 0, true)
	through.Set(0, 2, true)
	const n = 3000
	graphs, weight := make([]*dag.Graph, 0, n+1), make([]float64, 0, n+1)
	for range n {
		graphs, weight = append(graphs, two), append(weight, 1)
	}
	graphs, weight = append(graphs, through), append(weight, n)
	edges := mat.NewDense(d, d, nil)
	edges.Set(0, 3, 0.7)
	c.Share(graphs, edges, weight, 5)
	want := mat.NewDense(d, d, []float64{
		0, 0.25, 0.75, 0.7,
		0.5, 0, 0.25, 0.25,
		0, 0.25, 0, 0.25,
		0, 0, 0, 0,
	})
	if !mat.EqualApprox(edges, want, 1e-12) {
		t.Errorf("probabilities\n%v, want\n%v", mat.Formatted(edges), mat.Formatted(want))
	}
	if !graphs[n].Equal(through) || two.Size() != 5 {
		t.Error("a graph was changed that has a path between copies, or in place")
	}
	count := mat.NewDense(d, d, nil)
	for _, g := range graphs[:n] {
		if len(g.Parents(3)) != 1 || len(slices.Concat(g.Parents(1), g.Parents(2))) != 2 {
			t.Fatalf("a graph has the edges %v", g.Edges())
		}
		count.Add(count, g.Matrix())
	}
	// 3000 draws of ½: a standard deviation is 0.009
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 3}} {
		if got := count.At(e[0], e[1]) / n; math.Abs(got-0.5) > 0.04 {
			t.Errorf("edge %v in %.3f of the graphs, want about half", e, got)
		}
	}
	for j := range data.Variables {
		data.Variables[j].Kind = dataset.Real
	}
	if inference.FindCopies(data, score.Fair(d)).Any() {
		t.Error("numbers are copies")
	}
}
