package bench_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"tobac/bench"
	"tobac/dag"
	"tobac/posterior"
)

// Two methods on one problem: one that knows the edge, and one that gives either
// direction a half.
func ExampleExperiment() {
	truth, err := dag.FromEdges(2, []dag.Edge{{From: 0, To: 1}})
	if err != nil {
		log.Fatal(err)
	}
	method := func(name string, forward, backward float64) bench.Method {
		return bench.Method{Name: name, Fit: func(context.Context, *bench.Problem, uint64) (*bench.Fitted, error) {
			p := &posterior.Posterior{Names: []string{"a", "b"}}
			p.Probabilities = mat.NewDense(2, 2, []float64{0, forward, backward, 0})
			return &bench.Fitted{Posterior: p}, nil
		}}
	}
	problems := []*bench.Problem{{Name: "pair", Truth: truth}}
	_, err = bench.Experiment(context.Background(), problems, []bench.Method{method("sure", 1, 0), method("undecided", 0.5, 0.5)}, 1, func(o bench.Outcome) {
		fmt.Printf("%s on %s: expected SHD %.1f, AUROC %.1f\n", o.Method, o.Problem, float64(o.Listed.ESHD), float64(o.Listed.AUROC))
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// sure on pair: expected SHD 0.0, AUROC 1.0
	// undecided on pair: expected SHD 0.5, AUROC 0.5
}
