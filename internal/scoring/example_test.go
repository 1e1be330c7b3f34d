package scoring_test

import (
	"fmt"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// Rows in which a variable was set by intervention do not count for it.
func Example() {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	set := mat.NewDense(3, 2, []float64{1, 0, 0, 0, 0, 0})
	t, err := scoring.NewTable("example", x, set)
	if err != nil {
		panic(err)
	}
	fmt.Println(t.RowsOf(0), t.RowsOf(1))
	// Output:
	// [1 2] [0 1 2]
}
