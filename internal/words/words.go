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

// Some is the first ones of a list, and how many more there are: "a, b and 3 more".
func Some(list []string, most int) string {
	text := strings.Join(list[:min(most, len(list))], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Name is the name of a choice by its number.
func Name[T ~int](v T, names ...string) string {
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("%T(%d)", v, int(v))
	}
	return names[v]
}

// Of are the names of some columns, by their numbers.
func Of(names []string, columns []int) []string {
	out := make([]string, len(columns))
	for k, j := range columns {
		out[k] = names[j]
	}
	return out
}
