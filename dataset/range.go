package dataset

import (
	"fmt"
	"math"
)

// Largest is the greatest magnitude of the values of a column in an analysis; the least difference
// between its smallest and its greatest value is one divided by it. Fourth powers stay within
// float64 then, with room for sums.
const Largest = 1e50

// OutOfRange says what keeps a column whose values go from low to high from an analysis, as the end
// of a sentence about it; "" means nothing does. A constant column is in range.
func OutOfRange(low, high float64) string {
	switch {
	case !(max(math.Abs(low), math.Abs(high)) <= Largest):
		return fmt.Sprintf("has values of magnitude %.2g; allowed: magnitudes up to %g", max(math.Abs(low), math.Abs(high)), Largest)
	case low < high && high-low < 1/Largest:
		return fmt.Sprintf("has values that differ by %.2g at most; allowed: differences from %g on", high-low, 1/Largest)
	}
	return ""
}
