package pool_test

import (
	"fmt"

	"tobac/internal/pool"
)

// Three workers each sum a third of the numbers below 99.
func Example() {
	p := pool.New(3)
	defer p.Close()
	sums := make([]int, p.Workers())
	p.Run(p.Workers(), func(worker int) {
		for i := worker; i < 99; i += p.Workers() {
			sums[worker] += i
		}
	})
	fmt.Println(sums)
	// Output: [1584 1617 1650]
}
