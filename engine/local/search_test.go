package local_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/engine"
	"tobac/engine/local"
	"tobac/internal/enginetest"
	"tobac/internal/must"
	"tobac/sem"
)

// infer is the outcome of a search among the columns of a chain.
func infer(t *testing.T, s local.Search, change func(p *engine.Problem)) *engine.Outcome {
	t.Helper()
	p := enginetest.Chain()
	p.Model = sem.BGe{}
	if change != nil {
		change(p)
	}
	return must.Get(engine.Infer(context.Background(), &s, p))(t)
}

// Probabilities are the shares of the graphs that were found, the same for any number of workers,
// and others for another seed.
func TestSharesOfGraphs(t *testing.T) {
	const halves = 7
	one := infer(t, local.Search{Halves: halves}, nil)
	if len(one.Draws) != halves+1 {
		t.Fatalf("%d graphs, want %d", len(one.Draws), halves+1)
	}
	for i := range 3 {
		for j := range 3 {
			count := 0
			for _, d := range one.Draws {
				if d.Graph.Has(i, j) {
					count++
				}
			}
			if got, want := one.Probabilities.At(i, j),
				float64(count)/(halves+1); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d → %d: probability %v, want %v", i, j, got, want)
			}
		}
	}
	three := infer(t, local.Search{Halves: halves}, func(p *engine.Problem) { p.Workers = 3 })
	for k, d := range one.Draws {
		if !slices.Equal(d.Graph.Edges(), three.Draws[k].Graph.Edges()) {
			t.Errorf("graph %d: %v with one worker, %v with three", k, d.Graph.Edges(),
				three.Draws[k].Graph.Edges())
		}
	}
	if !strings.Contains(one.Computation, "not a posterior probability") {
		t.Errorf("computation %q", one.Computation)
	}
}

// Statements and a known order hold in every graph.
func TestKnowledge(t *testing.T) {
	for name, change := range map[string]func(p *engine.Problem){
		"statements": func(p *engine.Problem) {
			p.Prior = background.Prior{Required: []dag.Edge{{From: 2, To: 0}},
				Forbidden: []dag.Edge{{From: 0, To: 1}}}
		},
		"order": func(p *engine.Problem) { p.Order.Known = []int{2, 1, 0} },
	} {
		for _, d := range infer(t, local.Search{Halves: 5}, change).Draws {
			if d.Graph.Has(0, 1) || name == "statements" && !d.Graph.Has(2, 0) || name == "order" &&
				d.Graph.Has(1, 2) {
				t.Errorf("%s: edges %v", name, d.Graph.Edges())
			}
		}
	}
}

// Halves in which a column does not vary are left out, and a warning says how many.
func TestHalvesLeftOut(t *testing.T) {
	o := infer(t, local.Search{Halves: 12}, func(p *engine.Problem) {
		rows, _ := p.Data.X.Dims()
		for i := range rows {
			p.Data.X.Set(i, 2, 0)
		}
		p.Data.X.Set(3, 2, 1)
	})
	if n := len(o.Draws); n < 2 || n > 12 {
		t.Errorf("%d graphs, want that of all rows and those of some halves", n)
	}
	if len(o.Warnings) == 0 ||
		!strings.Contains(o.Warnings[len(o.Warnings)-1], "random halves of the rows are left out") {
		t.Errorf("warnings %q", o.Warnings)
	}
}
