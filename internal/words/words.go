// Package words writes numbers of things.
package words

import (
	"fmt"
	"strings"
)

// Counted is a number of things: "no rows", "1 row", "2 rows", "3 branches".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	if n == 0 {
		return "no " + thing + "s"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
