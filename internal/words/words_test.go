package words_test

import (
	"fmt"

	"tobac/internal/words"
)

func ExampleCounted() {
	for n := range 3 {
		fmt.Println(words.Counted(n, "row"), "in", words.Counted(n, "branch"))
	}
	// Output:
	// no rows in no branches
	// 1 row in 1 branch
	// 2 rows in 2 branches
}
