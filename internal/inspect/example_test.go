package inspect_test

import (
	"fmt"

	"tobac/dataset"
	"tobac/internal/inspect"

	"gonum.org/v1/gonum/mat"
)

// Three columns of which one counts levels and one is the sum of the others.
func Example() {
	x := mat.NewDense(12, 3, nil)
	for i := range 12 {
		level, length := float64(i%2), float64(i*i%13)
		x.SetRow(i, []float64{level, length, level + length})
	}
	table := &dataset.Table{Names: []string{"level", "length", "sum"}, X: x}
	fmt.Println(inspect.CheckColumns(table))
	fmt.Println(inspect.Discrete(table))
	for _, w := range inspect.Warnings(table, true) {
		fmt.Println(w)
	}
	// Output:
	// <nil>
	// column "level" takes 2 values
	// column "sum" is a linear combination of "level", "length": its causal role cannot be identified; leave one out
}
