package stream_test

import (
	"fmt"

	"tobac/internal/stream"
)

// The rows of resample 3 of a run with seed 1, however many resamples there are
// and whoever draws them.
func ExampleNew() {
	rng := stream.New(1, stream.BootstrapRows, 3)
	for range 5 {
		fmt.Print(rng.IntN(100), " ")
	}
	fmt.Println()
	// Output: 75 4 78 92 77
}
