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
		t.Variables = append(t.Variables, dataset.Variable{Kind: dataset.Categorical, Levels: []string{"0", "1", "2"}})
	}
	return t
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
	for _, e := range [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 3}} {
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
	if !graphs[n].Equal(through) || two.Size() != 4 {
		t.Error("a graph was changed that has a path between copies, or in place")
	}
	count := mat.NewDense(d, d, nil)
	for _, g := range graphs[:n] {
		if len(g.Parents(3)) != 1 || len(slices.Concat(g.Parents(1), g.Parents(2))) != 2 {
			t.Fatalf("a graph has the edges %v", g.Edges())
		}
		count.Add(count, g.Matrix())
	}
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 3}} { // 3000 draws of ½: a standard deviation is 0.009
		if got := count.At(e[0], e[1]) / n; math.Abs(got-0.5) > 0.04 {
			t.Errorf("edge %v in %.3f of the graphs, want about half", e, got)
		}
	}
	if data.Variables[1].Kind = dataset.Real; inference.FindCopies(data, score.Fair(d)).Any() {
		t.Error("a number is a copy of a category")
	}
}
