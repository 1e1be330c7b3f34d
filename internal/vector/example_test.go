package vector_test

import (
	"fmt"

	"tobac/internal/vector"
)

func Example() {
	set, err := vector.Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{0, 1, 2}
	top := set.Max(x)
	set.Exp(x, []float64{0, 1, 2})
	fmt.Printf("%.0f %.4f\n", top, x)
	// Output: 2 [1.0000 2.7183 7.3891]
}
