package ordering_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tobac/ordering"
)

// Column 2 varies least, and would come first; it is known to come after column 0.
func ExamplePrecedence() {
	x := mat.NewDense(5, 3, []float64{
		2, 9, 1,
		-3, -8, 0,
		1, 7, -1,
		-2, -9, 1,
		3, 8, -1,
	})
	free, err := ordering.MethodVariance.Order(context.Background(), x, nil, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	known, err := ordering.NewPrecedence(3, func(i, j int) bool { return i == 0 && j == 2 })
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := ordering.MethodVariance.Order(context.Background(), x, known, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(free.Order, bound.Order)
	// Output: [2 0 1] [0 2 1]
}
