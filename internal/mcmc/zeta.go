package mcmc

import (
	"math"
	"slices"
)

// levelBits is the number of powers of two between levels of scale.
const levelBits = 512

// zeta returns the sums Σ_{A⊆U} exp q(A) for all U.
func zeta(q []float64) []packed {
	sum := make([]float64, len(q))
	const unscaled = levelBits * math.Ln2
	if slices.Min(q) > -unscaled && slices.Max(q) < unscaled {
		for u, v := range q {
			sum[u] = math.Exp(v)
		}
		addSubsets(sum)
		return pack(sum, nil)
	}
	level := levels(q)
	for u, l := range level {
		sum[u] = math.Exp(q[u] - float64(l)*(levelBits*math.Ln2))
	}
	addScaled(sum, level)
	return pack(sum, level)
}

// levels returns ⌊max_{A⊆U} q(A) / (512 ln 2)⌋ for all U. In units of 2^(512·level(U))
// the sum of U is at least 1 and cannot overflow.
func levels(q []float64) []int32 {
	largest := slices.Clone(q)
	for bit := 1; bit < len(q); bit <<= 1 {
		for first := bit; first < len(q); first += 2 * bit {
			with, without := largest[first:first+bit], largest[first-bit:first]
			for k, v := range without {
				if v > with[k] {
					with[k] = v
				}
			}
		}
	}
	level := make([]int32, len(q))
	for u, m := range largest {
		level[u] = int32(max(math.Floor(m/(levelBits*math.Ln2)), math.MinInt32/4)) // also for −Inf
	}
	return level
}

// addSubsets adds to the element of every set those of its subsets.
func addSubsets(sum []float64) {
	for bit := 1; bit < len(sum); bit <<= 1 {
		for first := bit; first < len(sum); first += 2 * bit {
			with, without := sum[first:first+bit], sum[first-bit:first]
			for k, v := range without {
				with[k] += v
			}
		}
	}
}

// addScaled is addSubsets for sums in units of 2^(512·level). Levels do not fall
// from a set to one that holds it: terms of a lower level are scaled down.
func addScaled(sum []float64, level []int32) {
	down := math.Ldexp(1, -levelBits)
	for bit := 1; bit < len(sum); bit <<= 1 {
		for first := bit; first < len(sum); first += 2 * bit {
			with, without := sum[first:first+bit], sum[first-bit:first]
			high, low := level[first:first+bit], level[first-bit:first]
			for k, v := range without {
				switch high[k] - low[k] {
				case 0:
					with[k] += v
				case 1:
					with[k] += v * down
				}
			}
		}
	}
}

// pack returns sums in units of 2^(512·level), or 1 without levels, as numbers.
func pack(sum []float64, level []int32) []packed {
	sums, unit := make([]packed, len(sum)), int64(0)
	for u, v := range sum {
		if level != nil {
			unit = levelBits * int64(level[u])
		}
		if v > 0 {
			sums[u] = normal(v, unit).pack()
		}
	}
	return sums
}
