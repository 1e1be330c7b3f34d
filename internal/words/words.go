// Package words writes numbers of things, and their names.
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

// Of are the names of some columns, by their numbers.
func Of(names []string, columns []int) []string {
	out := make([]string, len(columns))
	for k, j := range columns {
		out[k] = names[j]
	}
	return out
}
