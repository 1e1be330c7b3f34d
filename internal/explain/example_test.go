package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tobac"
	"tobac/dataset"
	"tobac/internal/explain"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

func Example() {
	x := mat.NewDense(60, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		cause := rng.NormFloat64()
		x.SetRow(i, []float64{cause, 2*cause + rng.NormFloat64()})
	}
	table := &dataset.Table{Names: []string{"cause", "effect"}, X: x}
	result, err := tobac.Fit(context.Background(), table, tobac.Config{Model: sem.BGe{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := explain.Of(result)
	fmt.Println(v.Stable, "stable,", v.Open, "with an open direction")
	fmt.Println(v.Sentences[0])
	// Output:
	// 1 stable, 1 with an open direction
	// The two columns are directly related (adjacent with probability 0.95 or more).
}
