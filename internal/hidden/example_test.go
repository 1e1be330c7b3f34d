package hidden_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tobac/internal/hidden"

	"gonum.org/v1/gonum/stat"
)

// Two children of a hidden cause, and the same with the rows of one of them in another sequence.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 200), make([]float64, 200)
	for r := range x {
		h := rng.ExpFloat64()
		x[r], y[r] = h+rng.ExpFloat64(), h+rng.ExpFloat64()
	}
	for _, v := range [][]float64{x, y} {
		mean, sd := stat.PopMeanStdDev(v, nil)
		for r := range v {
			v[r] = (v[r] - mean) / sd
		}
	}
	children := hidden.LogEvidence(x, y, -1e9)
	slices.Reverse(y)
	fmt.Println(children > hidden.LogEvidence(x, y, -1e9)+5)
	// Output:
	// true
}
