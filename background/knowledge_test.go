package background_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/priors"
	"tobac/internal/priortest"
	_ "tobac/internal/rapidseed"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Orders found by a method agree with the statements, for every pair about which they say
// something: required edges point forwards, lower tiers come first, nothing that a sink
// could depend on comes after it, and nothing that could depend on a source before it.
func TestFoundOrdersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		d := rapid.IntRange(2, 6).Draw(t, "d")
		p := priortest.Draw(rng, d)
		known, err := priors.Precedence(&p, d)
		if err != nil {
			t.Fatalf("%v under %v", err, &p)
		}
		x := mat.NewDense(20, d, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		r := must.Get(ordering.MethodEqVar.Order(context.Background(), x, known, 1))(t)
		position := dag.Inverse(r.Order)
		fixed := p.Fixed(d)
		complete := !slices.Contains(p.Tiers, -1)
		for i := range d {
			for j := range d {
				if position[i] < position[j] || i == j {
					continue // i comes after j
				}
				tiers := p.Tiers != nil && p.Tiers[i] >= 0 && p.Tiers[i] < p.Tiers[j] &&
					(complete || !slices.Contains(p.Sinks, i) && !slices.Contains(p.Sources, j))
				open := math.IsNaN(fixed.At(i, j))
				switch {
				case fixed.At(i, j) == 1:
					t.Fatalf("order %v against the edge %d → %d of %v", r.Order, i, j, &p)
				case tiers && (complete || fixed.At(i, j) != 0):
					t.Fatalf("order %v against the tiers %v, %d before %d, of %v", r.Order, p.Tiers,
						i, j, &p)
				case open && slices.Contains(p.Sinks, j) && !slices.Contains(p.Tiers, -1) &&
					!(p.Tiers != nil && p.Tiers[j] < p.Tiers[i]):
					t.Fatalf("order %v has %d after the sink %d of %v", r.Order, i, j, &p)
				case open && slices.Contains(p.Sources, i) && !slices.Contains(p.Tiers, -1) &&
					!(p.Tiers != nil && p.Tiers[j] < p.Tiers[i]):
					t.Fatalf("order %v has %d before the source %d of %v", r.Order, j, i, &p)
				}
			}
		}
	})
}

// Statements that no graph fulfils are all named, in the names of the data, before
// anything is computed.
func TestContradictingPriors(t *testing.T) {
	edge := func(i, j int) []dag.Edge { return []dag.Edge{{From: i, To: j}} }
	constant := func(v float64) *mat.Dense {
		m := mat.NewDense(5, 5, slices.Repeat([]float64{v}, 25))
		for j := range 5 {
			m.Set(j, j, 0)
		}
		return m
	}
	table := func(i, j int, v float64) mat.Matrix {
		m := constant(0.5)
		m.Set(i, j, v)
		return m
	}
	const head = "conflicting background knowledge: "
	backwards := []int{4, 3, 2, 1, 0}
	for _, row := range []struct {
		name  string
		prior background.Prior
		known []int
		want  string
	}{
		{"required and forbidden", background.Prior{Required: edge(1, 3), Forbidden: edge(1, 3)},
			nil, head + "X1 → X3 is required, but it is forbidden"},
		{"required against the tiers", background.Prior{Required: edge(1, 3),
			Tiers: []int{0, 1, 0, 0, 0}}, nil,
			head + "X1 → X3 is required, but the tiers put X3 before X1"},
		{"required from a sink", background.Prior{Required: edge(1, 3), Sinks: []int{1}}, nil,
			head + "X1 → X3 is required, but X1 is a sink, which no edge leaves"},
		{"required to a source", background.Prior{Required: edge(1, 3), Sources: []int{3}}, nil,
			head + "X1 → X3 is required, but X3 is a source, which no edge enters"},
		{"required against the table", background.Prior{Required: edge(1, 3),
			Probabilities: table(1, 3, 0)}, nil,
			head + "X1 → X3 is required, but the table of edge probabilities gives it 0"},
		{"forbidden against the table", background.Prior{Forbidden: edge(1, 3),
			Probabilities: table(1, 3, 1)}, nil,
			head + "X1 → X3 is given the probability 1 by the table, but it is forbidden"},
		{"a required cycle", background.Prior{Required: append(edge(1, 3), edge(3, 1)...)}, nil,
			head + "required edges make a cycle: X1 → X3 → X1"},
		{"a cycle with tiers", background.Prior{Required: append(edge(1, 3), edge(3, 0)...),
			Tiers: []int{0, 1, 1, -1, 1}}, nil,
			head + "required edges and tiers make a cycle: X1 → X3 → X0 → X1 (by the tiers)"},
		{"more required than allowed",
			background.Prior{Required: append(edge(1, 3), edge(2, 3)...), MaxParents: 1}, nil,
			head + "X3 has 2 required parents (X1, X2), more than the 1 allowed"},
		{"against a known order", background.Prior{Required: edge(1, 3)}, backwards,
			head + "X1 → X3 is required, but the known order puts X3 before X1"},
		{"tiers against a known order", background.Prior{Tiers: []int{0, -1, 0, 1, -1}}, backwards,
			head + "the known order puts X3 before X2, but the tiers put X2 before X3"},
		{"odds of what is forbidden", background.Prior{Forbidden: edge(1, 3),
			Odds: []background.EdgeOdds{{From: 1, To: 3, Odds: 2}}}, nil,
			head + "X1 → X3 has the odds 2, but it is forbidden"},
		{"odds of what is required", background.Prior{Required: edge(1, 3),
			Odds: []background.EdgeOdds{{From: 1, To: 3, Odds: 2}}}, nil,
			head + "X1 → X3 has the odds 2, but is certain"},
		{"two odds", background.Prior{Odds: []background.EdgeOdds{{From: 1, To: 3, Odds: 2},
			{From: 1, To: 3, Odds: 3}}}, nil, head + "X1 → X3 has two odds, 2 and 3"},
		{"several", background.Prior{Required: append(edge(1, 3), edge(2, 0)...),
			Sinks: []int{1, 2}}, nil, strings.TrimSuffix(head, " ") + "\n- X1 → X3 is required, " +
			"but X1 is a sink, which no edge leaves\n- X2 → X0 is required, but X2 is a sink, " +
			"which no edge leaves"},
		{"odds of 0", background.Prior{Odds: []background.EdgeOdds{{From: 1, To: 3, Odds: 0}}}, nil,
			"the odds of the edge 1 → 3 are 0, want a number from 0.001 to 1000; what is certain " +
				"is a forbidden or a required edge"},
		{"no such sink", background.Prior{Sinks: []int{5}}, nil,
			"the graph prior speaks of the sink or source 5, want a variable from 0 to 4"},
		{"no probability", background.Prior{Probabilities: constant(1.5)}, nil,
			"score: probability of the edge 0 → 1 is 1.5, want a number from 0 to 1"},
	} {
		err := row.prior.CheckTogether([]string{"X0", "X1", "X2", "X3", "X4"}, row.known)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: got error %v\nwant      %s", row.name, err, row.want)
		}
		if strings.HasPrefix(row.want, strings.TrimSuffix(head, " ")) &&
			!errors.As(err, new(*background.ContradictionError)) {
			t.Errorf("%s: %T", row.name, err)
		}
	}
}
