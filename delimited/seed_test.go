package delimited_test

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

// Property tests draw the same cases in every run; -rapid.seed draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
