package parallel_test

import (
	"context"
	"fmt"

	"tobac/internal/parallel"
)

// Sums of blocks, each written to its own place, added up in a fixed sequence.
func ExampleFor() {
	const block = 25
	sums := make([]int, 4)
	err := parallel.For(context.Background(), len(sums), 2, func(b int) error {
		for i := b * block; i < (b+1)*block; i++ {
			sums[b] += i
		}
		return nil
	})
	total := 0
	for _, s := range sums {
		total += s
	}
	fmt.Println(sums, total, err)
	// Output: [300 925 1550 2175] 4950 <nil>
}
