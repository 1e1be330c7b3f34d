package svgd_test

import (
	"context"
	"fmt"

	"tobac/svgd"
)

// The default kernel keeps the variance of 2 coordinates with 50 particles, and loses most of that
// of 40; a kernel for each coordinate keeps both.
func ExampleNormalVariance() {
	for _, kernel := range []svgd.Kernel{svgd.RBF{}, svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}} {
		for _, coordinates := range []int{2, 40} {
			v, err := svgd.NormalVariance(context.Background(), kernel, 50, coordinates, 1)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%.1f ", v)
		}
	}
	// Output: 0.9 0.1 1.0 1.0
}
