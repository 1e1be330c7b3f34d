package schedule_test

import (
	"fmt"

	"tobac/schedule"
)

// An inverse temperature that grows by the same factor each step, over a run of five steps.
func Example() {
	alpha, err := schedule.Parse("geometric:0.01:100")
	if err != nil {
		fmt.Println(err)
		return
	}
	run := schedule.Over(alpha, 5)
	fmt.Println(run)
	for step := range 5 {
		fmt.Printf("%.2f\n", run.At(step))
	}
	// Output:
	// geometric:0.01:100:0-4
	// 0.01
	// 0.10
	// 1.00
	// 10.00
	// 100.00
}
