package stein

import (
	"math"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/diagnostics"
	"tobac/internal/graphchains"
	"tobac/internal/graphchecks"
	"tobac/posterior"
	"tobac/sem"
)

// What is said of Markov chains follows from their diagnostics.
func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		rhat float64
		want string
	}{{1, "The Markov chains agree "}, {1.1, "The Markov chains agree "},
		{1.11, "The Markov chains have not converged "},
		{1.3, "The Markov chains have not converged "}} {
		if got := graphchains.Convergence(&diagnostics.GraphChains{Samples: 100,
			LogP: diagnostics.Quantity{RHat: c.rhat}}, nil); !strings.HasPrefix(got, c.want) {
			t.Errorf("R̂ %v: %q, want %q", c.rhat, got, c.want)
		}
	}
}

// Particles that are all the graph without edges are found: bad where node scores say that the data
// leave edges open, doubtful where there are none; a few particles that differ make them no
// suspects.
func TestEmptyGraphsAreCrowded(t *testing.T) {
	const d, n = 4, 30
	for _, c := range []struct {
		model sem.Model
		other int // particles with an edge
		want  diagnostics.Verdict
	}{{sem.FeedForward{}, 0, diagnostics.Doubtful}, {sem.FeedForward{}, 3, diagnostics.OK},
		{sem.BGe{}, 0, diagnostics.Bad}, {sem.BGe{}, 5, diagnostics.Doubtful},
		{sem.BGe{}, 24, diagnostics.OK}} {
		graphs := make([]*dag.Graph, n)
		for k := range graphs {
			graphs[k] = dag.New(d)
			for pair, e := range []dag.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 0, To: 3},
				{From: 1, To: 2}, {From: 1, To: 3}} {
				graphs[k].Set(e.From, e.To, k < c.other && (k+1)>>pair&1 == 1) // all different
			}
		}
		model, _ := sem.As[sem.Differentiable](c.model)
		f := &particleFit{model: model, sampler: &SVGD{Particles: n},
			seen: particleChecks{neighbours: 5, stein: math.NaN(), imbalance: math.NaN(),
				crowding: graphchecks.Crowding(graphs, uniform(d))}}
		for _, check := range (&particles{fits: []*particleFit{f}}).checks(&posterior.Posterior{}) {
			if check.Name == "crowding" && check.Verdict != c.want {
				t.Errorf("%T, %d of %d particles with edges: crowding %v is %v, want %v", c.model,
					c.other, n, check.Value, check.Verdict, c.want)
			}
		}
	}
}
