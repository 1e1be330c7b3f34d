package trust_test

import (
	"fmt"

	"tobac/dataset"
	"tobac/internal/trust"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// The noise may refute a model that reads directions off the form of its equations.
func ExampleDoubtable() {
	t := &dataset.Table{Names: []string{"a", "b"}, X: mat.NewDense(2, 2, []float64{-1, 0.5, 2, 1})}
	fmt.Println(trust.Doubtable(sem.NonGaussian{}, t),
		trust.Doubtable(sem.Linear{Unequal: true}, t))
	// Output:
	// true false
}
