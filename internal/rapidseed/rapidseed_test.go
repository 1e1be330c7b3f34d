package rapidseed_test

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	_ "tobac/internal/rapidseed"
)

// With the seed fixed, two runs of a property see the same numbers.
func TestSameCasesInEveryRun(t *testing.T) {
	if s := flag.Lookup("rapid.seed").Value.String(); s == "0" {
		t.Fatal("the seed is not set")
	}
	var runs [2][]int
	for k := range runs {
		rapid.Check(t, func(t *rapid.T) {
			runs[k] = append(runs[k], rapid.Int().Draw(t, "number"))
		})
	}
	if fmt.Sprint(runs[0]) != fmt.Sprint(runs[1]) {
		t.Errorf("two runs drew %v and %v", runs[0], runs[1])
	}
}

func Example() {
	fmt.Println(flag.Lookup("rapid.seed").DefValue,
		"is rapid's default, which draws other cases every time")
	// Output: 0 is rapid's default, which draws other cases every time
}
