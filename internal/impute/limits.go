package impute

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Limit says between which numbers the value of a gap lies: below a limit of detection, above
// one, or between two numbers. ±Inf means no limit on that side.
type Limit struct {
	Place     int // row·d + column
	Low, High float64
}

// Limits are of different places, ascending.
type Limits []Limit

// at are the limits at a place.
func (l Limits) at(place int) (low, high float64, ok bool) {
	k, ok := slices.BinarySearchFunc(l, place, func(a Limit, place int) int {
		return a.Place - place
	})
	if !ok {
		return math.Inf(-1), math.Inf(1), false
	}
	return l[k].Low, l[k].High, true
}

// anyOf reports whether any of some ascending places has limits.
func (l Limits) anyOf(places []int) bool {
	return len(l) > 0 && slices.ContainsFunc(places, func(place int) bool {
		_, _, ok := l.at(place)
		return ok
	})
}

// check reports whether they are those of gaps of x.
func (l Limits) check(x *mat.Dense) bool {
	n, d := x.Dims()
	for k, a := range l {
		if a.Place < 0 || a.Place >= n*d || k > 0 && a.Place <= l[k-1].Place ||
			!(a.Low < a.High) || !math.IsNaN(x.At(a.Place/d, a.Place%d)) {
			return false
		}
	}
	return true
}

// within draws a standard normal number between two limits.
func within(low, high float64, rng *rand.Rand) float64 {
	if math.IsInf(low, -1) && math.IsInf(high, 1) {
		return rng.NormFloat64()
	}
	sign := 1.0
	if low > -high { // into the lower tail, whose probabilities have all their digits
		sign, low, high = -1, -high, -low
	}
	from, to := distuv.UnitNormal.CDF(low), distuv.UnitNormal.CDF(high)
	z := 0.0
	if to < 1e-290 {
		z = high - rng.ExpFloat64()/-high // the tail falls like e^(−z·high)
	} else {
		z = distuv.UnitNormal.Quantile(from + (1-rng.Float64())*(to-from))
	}
	return sign * min(max(z, low), high)
}

// fewestWithLimits is the number of iterations of a chain with limits at least: EM, which does not
// know them, begins it elsewhere.
const fewestWithLimits = 100

// onLogs returns the table with the logarithms of those columns with limits whose values are above
// 0 and skewed, with the limits, and marks these columns.
func onLogs(x *mat.Dense, limits Limits) (*mat.Dense, Limits, []bool) {
	_, d := x.Dims()
	logs, any := make([]bool, d), false
	for j := range d {
		var values, of []float64
		for _, v := range mat.Col(nil, j, x) {
			if !math.IsNaN(v) {
				values, of = append(values, v), append(of, math.Log(v))
			}
		}
		own := func(l Limit) bool { return l.Place%d == j }
		below := func(l Limit) bool { return own(l) && l.Low < 0 }
		logs[j] = slices.ContainsFunc(limits, own) && !slices.ContainsFunc(limits, below) &&
			len(of) > 2 &&
			floats.Min(values) > 0 && stat.Skew(values, nil) > math.Abs(stat.Skew(of, nil))
		any = any || logs[j]
	}
	if !any {
		return x, limits, logs
	}
	x, limits = mat.DenseCopyOf(x), slices.Clone(limits)
	x.Apply(func(_, j int, v float64) float64 {
		if logs[j] {
			return math.Log(v)
		}
		return v
	}, x)
	for k := range limits {
		if l := &limits[k]; logs[l.Place%d] {
			l.Low, l.High = math.Log(l.Low), math.Log(l.High)
		}
	}
	return x, limits, logs
}
