package effects

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A mixture of normal distributions.
type mixture struct {
	weights, means, variances []float64
}

// add appends normal distributions with equal parts of a weight.
func (x *mixture) add(weight float64, means []float64, variance float64) {
	for _, m := range means {
		x.weights = append(x.weights, weight/float64(len(means)))
		x.means = append(x.means, m)
		x.variances = append(x.variances, variance)
	}
}

// summary is the distribution of the mixture; NaN where a variance is unknown.
func (x *mixture) summary() Distribution {
	var d Distribution
	for k, w := range x.weights {
		d.Mean += w * x.means[k]
	}
	low, high, variance := math.Inf(1), math.Inf(-1), 0.0
	for k, w := range x.weights {
		if math.IsNaN(x.variances[k]) {
			return meanAlone(d.Mean)
		}
		variance += w * (x.variances[k] + (x.means[k]-d.Mean)*(x.means[k]-d.Mean))
		reach := 9 * math.Sqrt(x.variances[k])
		low, high = math.Min(low, x.means[k]-reach), math.Max(high, x.means[k]+reach)
	}
	d.SD = math.Sqrt(variance)
	d.Q05, d.Q50, d.Q95 = x.quantile(0.05, low, high), x.quantile(0.5, low, high),
		x.quantile(0.95, low, high)
	return d
}

// quantile bisects the distribution function between bounds.
func (x *mixture) quantile(q, low, high float64) float64 {
	for range 200 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if x.below(middle) < q-roundedWeights {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// below is the probability of values up to v.
func (x *mixture) below(v float64) float64 {
	sum := 0.0
	for k, w := range x.weights {
		switch sd := math.Sqrt(x.variances[k]); {
		case sd > 0:
			sum += w * 0.5 * math.Erfc((x.means[k]-v)/(sd*math.Sqrt2))
		case x.means[k] <= v:
			sum += w
		}
	}
	return sum
}

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
	type weighted struct{ value, weight float64 }
	all := make([]weighted, len(values))
	for m, v := range values {
		all[m] = weighted{v, weights[m]}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	out := make([]float64, len(levels))
	k, sum := 0, all[0].weight
	for l, level := range levels {
		for k < len(all)-1 && sum < level-roundedWeights {
			k++
			sum += all[k].weight
		}
		out[l] = all[k].value
	}
	return out
}

// meanAlone is a distribution of which the mean is known, and nothing else.
func meanAlone(mean float64) Distribution {
	nan := math.NaN()
	return Distribution{Mean: mean, SD: nan, Q05: nan, Q50: nan, Q95: nan}
}
