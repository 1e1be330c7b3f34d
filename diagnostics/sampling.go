package diagnostics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Sampling judges the draws of chains by the worst parameter, by energies (one list for each
// chain; none for samplers without momenta) and by the number of divergent iterations.
func Sampling(s Summary, energies [][]float64, divergent int) []Check {
	worst, bulk, tail, name, least := 0.0, math.Inf(1), math.Inf(1), "", ""
	furthest, far := 0.0, ""
	for _, p := range s {
		if size := math.Max(math.Abs(p.Q05), math.Abs(p.Q95)); size > furthest || math.IsNaN(size) {
			furthest, far = size, p.Name
		}
		if math.IsNaN(p.ScaleRatio) { // a constant, such as an element of a triangular matrix
			continue
		}
		if p.ScaleRatio > worst {
			worst, name = p.ScaleRatio, p.Name
		}
		if m := math.Min(p.Bulk, p.Tail); m < math.Min(bulk, tail) {
			least = p.Name
		}
		bulk, tail = math.Min(bulk, p.Bulk), math.Min(tail, p.Tail)
	}
	checks := []Check{
		Above(
			"R̂",
			worst,
			1.01,
			1.1,
			fmt.Sprintf("the chains disagree on %s (R̂ %.3f): run longer, or start them by "+
				"Pathfinder", name, worst),
		),
		Below(
			"bulk effective sample size",
			bulk,
			400,
			100,
			fmt.Sprintf("few effective draws of %s: %.0f in the bulk", least, bulk),
		),
		Below(
			"tail effective sample size",
			tail,
			400,
			100,
			fmt.Sprintf("few effective draws of %s: %.0f in the tails", least, tail),
		),
		Above("divergent iterations", float64(divergent), 0, math.Inf(1), fmt.Sprintf(
			"%d divergent iterations: a part of the posterior may be too curved for the step "+
				"size; raise the acceptance or change the parameters",
			divergent,
		)),
	}
	checks = append(checks, Above("size of draws", furthest, 1e50, 1e100, fmt.Sprintf(
		"draws of %s are as large as %.2g: the posterior may have no finite integral; give the "+
			"parameter a "+
			"prior that has one", far, furthest)))
	if len(energies) > 0 {
		fraction := math.Inf(1)
		for _, e := range energies {
			fraction = math.Min(fraction, energyFraction(e))
		}
		checks = append(checks, Below("energy fraction", fraction, 0.3, 0.1, fmt.Sprintf(
			"the energies are explored slowly (fraction %.2f): the posterior has heavy tails in "+
				"these parameters",
			fraction,
		)))
	}
	return checks
}

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
