package anneal

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Next is the inverse temperature, at most 1, at which points that follow the density at beta,
// weighted by exp((Next − beta)·ratios), have an effective sample size of half their number; the
// logarithms of the weights are written to logs. At least one of the ratios has to be finite, and
// none NaN or +∞.
func Next(logs, ratios []float64, beta float64) float64 {
	weigh := func(to float64) float64 {
		for k, r := range ratios {
			logs[k] = (to - beta) * r
		}
		return EffectiveSize(logs)
	}
	half := float64(len(ratios)) / 2
	if weigh(1) >= half {
		return 1
	}
	low, high := beta, 1.0
	for range 50 {
		if mid := (low + high) / 2; weigh(mid) >= half {
			low = mid
		} else {
			high = mid
		}
	}
	if low == beta { // all weight is on less than half of them at any distance
		low = high
	}
	weigh(low)
	return low
}

// EffectiveSize is (Σw)²/Σw² of weights given by their logarithms.
func EffectiveSize(logs []float64) float64 {
	largest, sum, squares := floats.Max(logs), 0.0, 0.0
	for _, l := range logs {
		e := math.Exp(l - largest)
		sum += e
		squares += e * e
	}
	return sum * sum / squares
}

// Resample are the places of n points drawn in proportion to weights given by their logarithms,
// systematically: u is a uniform number.
func Resample(logs []float64, n int, u float64) []int {
	total := floats.LogSumExp(logs)
	at, sum := 0, math.Exp(logs[0]-total)
	out := make([]int, n)
	for k := range out {
		for sum < (float64(k)+u)/float64(n) && at < len(logs)-1 {
			at++
			sum += math.Exp(logs[at] - total)
		}
		out[k] = at
	}
	return out
}
