package pareto

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Smooth replaces the largest of weights, given by their logarithms, by quantiles of a generalised
// Pareto distribution that is fitted to them, and normalises all so that they add to 1. It
// returns the distribution's shape k: below 0.7 estimates with these weights can be trusted;
// +∞ if there are too few weights to tell. Not-finite logarithms are weights of 0.
func Smooth(logs []float64) (k float64) {
	for i, l := range logs {
		if math.IsNaN(l) || math.IsInf(l, 1) {
			logs[i] = math.Inf(-1)
		}
	}
	n := len(logs)
	largest := floats.Max(logs)
	if math.IsInf(largest, -1) {
		return math.Inf(1)
	}
	floats.AddConst(-largest, logs)
	order := make([]int, n)
	floats.ArgsortStable(slices.Clone(logs), order)
	k = math.Inf(1)
	if tail := int(math.Ceil(math.Min(0.2*float64(n), 3*math.Sqrt(float64(n))))); tail >= 5 &&
		tail < n {
		at := order[n-tail:]
		cut := logs[order[n-tail-1]]
		beyond := make([]float64, tail)
		for i, j := range at {
			beyond[i] = math.Exp(logs[j]) - math.Exp(cut)
		}
		if beyond[tail-1] <= math.SmallestNonzeroFloat64 || beyond[tail-1] < 1e-12 {
			k = math.Inf(-1) // all are the same
		} else {
			var sigma float64
			k, sigma = Fit(beyond)
			if !math.IsInf(k, 0) && !math.IsNaN(k) {
				for i, j := range at {
					q := quantile((float64(i)+0.5)/float64(tail), k, sigma)
					logs[j] = math.Min(math.Log(math.Exp(cut)+q), 0)
				}
			}
		}
	}
	floats.AddConst(-floats.LogSumExp(logs), logs)
	return k
}

// Counts are the weights with the given logarithms, which add to 1, as package stat wants them:
// they add to their number.
func Counts(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l) * float64(len(logs))
	}
	return out
}

func quantile(p, k, sigma float64) float64 {
	if math.Abs(k) < 1e-12 {
		return -sigma * math.Log1p(-p)
	}
	return sigma * math.Expm1(-k*math.Log1p(-p)) / k
}

// Fit estimates shape and scale of a generalised Pareto distribution from increasing positive
// numbers, the shape with the weakly informative prior of the first reference.
func Fit(x []float64) (k, sigma float64) {
	n := len(x)
	m := 30 + int(math.Sqrt(float64(n)))
	quarter := x[max(int(float64(n)/4+0.5)-1, 0)]
	theta, logs := make([]float64, m), make([]float64, m)
	shape := func(b float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Log1p(-b * v)
		}
		return sum / float64(n)
	}
	for j := range theta {
		theta[j] = 1/x[n-1] + (1-math.Sqrt(float64(m)/(float64(j)+0.5)))/(3*quarter)
		kj := shape(theta[j])
		logs[j] = float64(n) * (math.Log(-theta[j]/kj) - kj - 1)
	}
	total := floats.LogSumExp(logs)
	b := 0.0
	for j, t := range theta {
		b += t * math.Exp(logs[j]-total)
	}
	k = shape(b)
	sigma = -k / b
	k = (k*float64(n) + 5) / (float64(n) + 10) // 10 observations of shape 1/2
	return k, sigma
}
