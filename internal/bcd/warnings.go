package bcd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Differences from mean 0 and standard deviation 1 that rounding leaves after
// standardising, and the means and ratios of scales beyond which a table is not what
// the model is about.
const (
	standardRounding = 1e-6
	meanBySD         = 0.5
	scaleRatio       = 10
)

// resolveEdges settles the rule of edges by the columns of x, and says what to
// distrust in it, and in the columns themselves.
func resolveEdges(r EdgeRule, x *mat.Dense) (EdgeRule, []string) {
	n, d := x.Dims()
	var warnings []string
	standard, offset, least, most := true, 0, math.Inf(1), 0.0
	for j := range d {
		column := mat.Col(nil, j, x)
		mean, sd := stat.PopMeanStdDev(column, nil)
		// The sample standard deviation is another convention of standardising.
		one := math.Abs(sd-1) < standardRounding ||
			math.Abs(sd*math.Sqrt(float64(n)/float64(n-1))-1) < standardRounding
		standard = standard && one && math.Abs(mean) < standardRounding
		if math.Abs(mean) > meanBySD*sd {
			offset++
		}
		least, most = math.Min(least, sd), math.Max(most, sd)
	}
	if offset > 0 {
		warnings = append(warnings, fmt.Sprintf("BCD Nets have no intercepts, but the means of "+
			"%d columns are above %g standard deviations: subtract them", offset, meanBySD))
	}
	if r.By == ByColumns {
		r.By = InUnits
		if standard {
			r.By = OfLargest
		}
		if err := r.check(); err != nil { // a number in units is none of the largest weight
			r.Least = EdgeRule{By: r.By}.least()
		}
	}
	if r.By == InUnits && !standard && most > scaleRatio*least {
		warnings = append(warnings, fmt.Sprintf("an edge is a weight above %g in units of the "+
			"columns, whose standard deviations go from %.3g to %.3g: "+
			"standardise them, or take edges by the largest weight or by signs", r.Least, least,
			most))
	}
	if r.By == InUnits && standard {
		warnings = append(warnings, fmt.Sprintf("an edge is a weight above %g in units of the "+
			"columns, which are standardised and have none: "+
			"take edges by the largest weight or by signs", r.Least))
	}
	return r, warnings
}
