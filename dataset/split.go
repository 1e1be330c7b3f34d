package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Split permutes the n rows at random; the first int((1−fraction)·n) become train and the others
// heldout: with fraction 0.1, 853 rows give 767 and 86. The product is meant in decimals: 0.9 of 10
// rows leaves one row for training although 1−0.9 falls short of 0.1 in binary. A fraction that is
// not between 0 and 1, or leaves either part empty, is an error.
func (t *Table) Split(fraction float64, rng *rand.Rand) (train, heldout *Table, err error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	if !(fraction > 0 && fraction < 1) {
		return nil, nil, fmt.Errorf("dataset: held-out fraction %v; allowed: numbers above 0 and below 1", fraction)
	}
	n, _ := t.X.Dims()
	size := trainSize(n, fraction)
	if size == 0 || size == n {
		return nil, nil, fmt.Errorf("dataset: held-out fraction %v of %d rows leaves %d for training and %d held out, want at least one of each", fraction, n, size, n-size)
	}
	order := rng.Perm(n)
	return t.Rows(order[:size]), t.Rows(order[size:]), nil
}

// trainSize is int((1−fraction)·n), rounded up if only rounding errors separate the product from
// the next integer.
func trainSize(n int, fraction float64) int {
	const slack = 1e-12 // thousands of times the rounding errors, and far below the steps of 1/n between products that differ
	return int(math.Floor((1 - fraction + slack) * float64(n)))
}
