package impute

// Nearest is nearest, for its naive twin.
func Nearest(sorted []float64, v float64) (from, to int) { return nearest(sorted, v) }

// NearestOf is nearestOf, for the same.
func NearestOf(pool []int, numbers []float64, r, g int) []int {
	return nearestOf(pool, numbers, r, g)
}
