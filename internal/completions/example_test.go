package completions_test

import (
	"fmt"

	"tobac/internal/completions"

	"gonum.org/v1/gonum/mat"
)

// The spread of a probability between three completed tables, and the warnings that all have.
func Example() {
	sd := completions.Between([]*mat.Dense{
		mat.NewDense(1, 2, []float64{0, 0.5}), mat.NewDense(1, 2, []float64{0, 0.6}),
		mat.NewDense(1, 2, []float64{0, 0.7}),
	})
	fmt.Printf("%.2f\n", mat.Formatted(sd))
	for _, w := range completions.Warnings([][]string{{"few rows", "a and b"}, {"few rows"},
		{"few rows"}}) {
		fmt.Println(w)
	}
	// Output:
	// [0.00  0.10]
	// few rows
	// 1 of 3 completed tables have separate warnings, such as number 1: a and b
}
