// Package rapidseed, imported for its effect by a test, makes its property tests
// (pgregory.net/rapid) draw the same cases in every run. The flag -rapid.seed
// draws others.
//
//	import _ "tobac/internal/rapidseed"
package rapidseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic("rapidseed: " + err.Error())
	}
}
