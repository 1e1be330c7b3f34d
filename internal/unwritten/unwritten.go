// Package unwritten, imported for its effect by a test, makes the memory of programs NaN until
// something is written there: a result that depends on what nothing has written is NaN. Garbage is
// collected seldom: tests make much of it and keep little.
//
//	import _ "tobac/internal/unwritten"
package unwritten

import (
	"math"
	"runtime/debug"

	"tobac/internal/vector"
)

func init() {
	vector.Unwritten = math.NaN()
	debug.SetGCPercent(1000)
}
