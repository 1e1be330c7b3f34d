package effects

import "math"

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
	d.Q05, d.Q50, d.Q95 = x.quantile(0.05, low, high), x.quantile(0.5, low, high), x.quantile(0.95, low, high)
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
