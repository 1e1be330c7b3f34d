package sem_test

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Which of two graphs a model prefers, by its node scores.
func Example() {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		cause := float64(i%7) - 3
		x.SetRow(i, []float64{cause, 2*cause + 0.1*float64(i%3)})
	}
	table := &dataset.Table{Names: []string{"cause", "effect"}, X: x}
	empty, edge := dag.New(2), dag.New(2)
	edge.Set(0, 1, true)
	model, err := sem.Parse("linear unequal")
	if err != nil {
		fmt.Println(err)
		return
	}
	scored, _ := sem.As[sem.Scored](model)
	hypotheses, err := scored.Hypotheses(context.Background(), table, score.Fair(2), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := hypotheses[0].Scores
	fmt.Println(sem.Describe(model.String()))
	fmt.Println("an edge is supported:", nodescore.OfGraph(s, edge) > nodescore.OfGraph(s, empty))
	// Output:
	// linear with unequal noise variances
	// an edge is supported: true
}
