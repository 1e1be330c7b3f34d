package numpy_test

import (
	"bytes"
	"fmt"

	"tobac/internal/numpy"
)

func Example() {
	var b bytes.Buffer
	if err := numpy.WriteNumbers(&b, []int{2, 2}, []float64{0, 1.5, 0, 0}); err != nil {
		fmt.Println(err)
		return
	}
	a, err := numpy.Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Shape, a.Numbers)
	// Output: [2 2] [0 1.5 0 0]
}
