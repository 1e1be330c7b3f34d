package metrics_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"
)

// The probability that a pair is joined is at most 1, also where both directions have more than ½
// (which happens with particles that have cycles): it ties with a pair that is surely joined.
func TestJoinedAtMostSurely(t *testing.T) {
	truth := graph(t, 3, [2]int{0, 1})
	p := mat.NewDense(3, 3, []float64{0, 1, 0.9, 0, 0, 0, 0.9, 0, 0})
	// joined: 1; not joined: min(1, 1.8), 0
	if got := metrics.SkeletonAUROC(p, truth); got != 0.75 {
		t.Errorf("AUROC %v, want 0.75", got)
	}
}

// Graphs of different sizes are refused.
func TestGraphsOfDifferentSizes(t *testing.T) {
	e := &posterior.Ensemble{Graphs: []*dag.Graph{dag.New(2), dag.New(2), dag.New(3)}}
	if message := panics(func() {
		metrics.Evaluate(e, dag.New(2), nil)
	}); message != "metrics: graph 2 has 3 vertices, graph 0 has 2" {
		t.Errorf("got %v", message)
	}
}
