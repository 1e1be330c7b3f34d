package effects

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Distribution of a number over the draws. Numbers that are unknown are NaN.
type Distribution struct {
	Mean, SD      float64
	Q05, Q50, Q95 float64 // quantiles
}

// roundedWeights is how far sums of weights may be from what they should be.
const roundedWeights = 1e-12

// summarise describes values with weights that sum to 1. It panics if lengths
// differ or there are none.
func summarise(values, weights []float64) Distribution {
	var d Distribution
	for m, v := range values {
		d.Mean += weights[m] * v
	}
	for m, v := range values {
		d.SD += weights[m] * (v - d.Mean) * (v - d.Mean)
	}
	d.SD = math.Sqrt(d.SD)
	q := quantiles(values, weights, 0.05, 0.5, 0.95)
	d.Q05, d.Q50, d.Q95 = q[0], q[1], q[2]
	return d
}

// quantiles are the least values at which the weights of all values up to it,
// which sum to 1, reach each level; levels ascend. It panics if lengths differ or
// there are no values.
func quantiles(values, weights []float64, levels ...float64) []float64 {
	if len(values) == 0 || len(values) != len(weights) {
		panic(fmt.Sprintf("effects: %d weights for %d values", len(weights), len(values)))
	}
	at := make([]int, len(values))
	for m := range at {
		at[m] = m
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(levels))
	k, sum := 0, weights[at[0]]
	for l, level := range levels {
		for k < len(at)-1 && sum < level-roundedWeights {
			k++
			sum += weights[at[k]]
		}
		out[l] = values[at[k]]
	}
	return out
}

// meanAlone is a distribution of which the mean is known, and nothing else.
func meanAlone(mean float64) Distribution {
	nan := math.NaN()
	return Distribution{Mean: mean, SD: nan, Q05: nan, Q50: nan, Q95: nan}
}
