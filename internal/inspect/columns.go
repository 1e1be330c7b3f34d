package inspect

import (
	"fmt"

	"tobac/dataset"
)

// CheckColumns refuses columns of which no model says anything, whatever the engine: constant ones,
// and those whose squares leave the range of float64 in sums and products.
func CheckColumns(t *dataset.Table) error {
	n, d := t.X.Dims()
	low, high := make([]float64, d), make([]float64, d)
	copy(low, t.X.RawRowView(0))
	copy(high, low)
	for i := 1; i < n; i++ {
		for j, v := range t.X.RawRowView(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j, name := range t.Names {
		if low[j] == high[j] {
			return fmt.Errorf("column %q is constant, want at least two different values; remove it", name)
		}
		if problem := dataset.OutOfRange(low[j], high[j]); problem != "" {
			return fmt.Errorf("column %q %s; give it in another unit", name, problem)
		}
	}
	return nil
}
