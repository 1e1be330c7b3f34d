package diagnostics

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// leastTrace is the number of points below which a trace tells no trend.
const leastTrace = 8

// Trend says whether a quantity that a training raises or lowers still moves: the difference
// between the means over the last and over the third quarter of a trace, as a part of its range
// from the first quarter's mean to the last's (at least the noise of the trace), without regard to
// the sign. NaN means fewer than eight points. The noise is the standard error of the difference,
// were the points independent.
func Trend(trace []float64) float64 {
	n := len(trace)
	if n < leastTrace {
		return math.NaN()
	}
	quarter := func(k int) []float64 { return trace[k*n/4 : (k+1)*n/4] }
	first := stat.Mean(quarter(0), nil)
	third, thirdSD := stat.MeanStdDev(quarter(2), nil)
	last, lastSD := stat.MeanStdDev(quarter(3), nil)
	noise := math.Sqrt((thirdSD*thirdSD + lastSD*lastSD) / float64(n/4))
	change := math.Max(0, math.Abs(last-third)-2*noise)
	span := math.Max(math.Abs(last-first), noise)
	if change == 0 || span == 0 {
		return 0
	}
	return change / span
}
