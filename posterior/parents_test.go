package posterior_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/posterior"
)

// drawn is a posterior over many variables with three graphs, of which two differ in a few
// variables, and equations.
func drawn() *posterior.Posterior {
	const d = 120
	rng := rand.New(rand.NewPCG(1, 2))
	p := many(d)
	order := rng.Perm(d)
	g := randomDAG(order, 0.02, rng)
	near := g.Clone()
	near.Set(order[0], order[d-1], !near.Has(order[0], order[d-1]))
	for _, g := range []*dag.Graph{near, randomDAG(order, 0.02, rng)} {
		p.Draws = append(p.Draws, p.Draws[0])
		p.Draws[len(p.Draws)-1].Graph = g
	}
	p.Draws[0].Graph = g
	for m := range p.Draws {
		p.Draws[m].Equations = randomEquations(p.Draws[m].Graph, rng)
	}
	p.Components[0].Draws = len(p.Draws)
	return p
}

// Graphs of many variables come back as they were, and take no edges in the file.
func TestParentSets(t *testing.T) {
	p := drawn()
	var text bytes.Buffer
	must.Do(t, p.Write(&text))
	first := text.String()
	if _, draws, _ := strings.Cut(first, "\n\"draws\":["); strings.Contains(draws, "edges") {
		t.Errorf("draws have edges")
	}
	q := must.Get(posterior.Read(&text, "it"))(t)
	if diff := cmp.Diff(p.Draws, q.Draws, bits); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
	if err := q.Write(&text); err != nil || text.String() != first {
		t.Errorf("error %v; the second file differs from the first", err)
	}
}

// What no file of ours has is an error of one line.
func TestParentSetsFaults(t *testing.T) {
	var text bytes.Buffer
	must.Do(t, drawn().Write(&text))
	for _, row := range []struct{ name, old, new, want string }{
		{"number", `{"sets":[0,`, `{"sets":[9,`, "draw 1: set 9 of parents of variable 1, which has"},
		{"fewer", `{"sets":[0,`, `{"sets":[`, "draw 1: 119 sets of parents and 0 edges"},
		{"both", `{"sets"`, `{"edges":[[0,1]],"sets"`,
			"draw 1: 120 sets of parents and 1 edges, and sets of parents of 120 variables"},
		{"none", `"parents":[[`, `"parents":[],"x":[[`, `unknown or repeated key "x"`},
		{"parent", `"parents":[[[`, `"parents":[[[120,`, "draw 1: parent 120 of variable 1, want 0 to 119"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if !strings.Contains(text.String(), row.old) {
				t.Fatalf("no %s in the file", row.old)
			}
			spoilt := strings.Replace(text.String(), row.old, row.new, 1)
			_, err := posterior.Read(strings.NewReader(spoilt), "it")
			if err == nil || !strings.HasPrefix(err.Error(), "it: "+row.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want it: %s", err, row.want)
			}
		})
	}
}
