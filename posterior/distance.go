package posterior

import (
	"fmt"
	"math"
)

// Distance is the mean absolute difference of the edge probabilities of two posteriors of the same
// variables, over the ordered pairs i ≠ j that among takes, nil for all; 0 if it takes none. It
// panics if they are of different sizes.
func (m Marginals) Distance(n Marginals, among func(i, j int) bool) float64 {
	d := m.size()
	if n.size() != d {
		panic(fmt.Sprintf("posterior: distance of probabilities of %d and %d variables", d, n.size()))
	}
	sum, pairs := 0.0, 0
	for i := range d {
		for j := range d {
			if i != j && (among == nil || among(i, j)) {
				sum += math.Abs(m.Probabilities.At(i, j) - n.Probabilities.At(i, j))
				pairs++
			}
		}
	}
	return sum / float64(max(pairs, 1))
}
