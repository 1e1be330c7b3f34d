// Package rapidseed, imported for its effect by a test, makes its property tests
// (pgregory.net/rapid) draw the same 50 cases in every run. The flags -rapid.seed and
// -rapid.checks draw others, and more.
//
//	import _ "tobac/internal/rapidseed"
package rapidseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

func init() {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "50"} {
		if err := flag.Set(name, value); err != nil {
			panic("rapidseed: " + err.Error())
		}
	}
}
