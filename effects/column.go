package effects

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Levels are the probabilities of the quantiles that a [Column] has.
var Levels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// A Column describes the values of a variable in the data.
type Column struct {
	Name      string    `json:"name"`
	Mean      float64   `json:"mean"`
	SD        float64   `json:"sd"` // divisor n−1; 0 for a single row
	Min       float64   `json:"min"`
	Max       float64   `json:"max"`
	Quantiles []float64 `json:"quantiles"` // at Levels

	// LevelNames are the names of the values 0, 1, …; nil means that the values are numbers.
	// Unordered says that the values have no order: they have no mean, and a unit has no effect.
	LevelNames []string `json:"levels,omitempty"`
	Unordered  bool     `json:"unordered,omitempty"`
}

// Describe describes the columns of x, n×d, at least one row. It panics if there
// are not d names.
func Describe(names []string, x mat.Matrix) []Column {
	n, d := x.Dims()
	if len(names) != d || n == 0 {
		panic(fmt.Sprintf("effects: %d names for %d rows of %d columns", len(names), n, d))
	}
	all := make([]Column, d)
	for j := range d {
		v := mat.Col(nil, j, x)
		slices.Sort(v)
		c := Column{Name: names[j], Min: v[0], Max: v[n-1]}
		c.Mean, c.SD = stat.MeanStdDev(v, nil)
		if n == 1 {
			c.SD = 0
		}
		for _, q := range Levels {
			c.Quantiles = append(c.Quantiles, quantileOf(v, q))
		}
		all[j] = c
	}
	return all
}

// quantileOf interpolates between the order statistics v, the first at 0 and the
// last at 1.
func quantileOf(v []float64, q float64) float64 {
	at := q * float64(len(v)-1)
	k := min(int(at), len(v)-1)
	if k == len(v)-1 {
		return v[k]
	}
	part := at - float64(k)
	return v[k]*(1-part) + v[k+1]*part
}

// InDataUnits are the columns before they were standardised: every value becomes
// mean[j] + sd[j]·value.
func InDataUnits(columns []Column, mean, sd []float64) []Column {
	out := slices.Clone(columns)
	for j, c := range out {
		back := func(v float64) float64 { return mean[j] + sd[j]*v }
		out[j].Mean, out[j].Min, out[j].Max, out[j].SD = back(c.Mean), back(c.Min), back(c.Max),
			sd[j]*c.SD
		out[j].Quantiles = make([]float64, len(c.Quantiles))
		for k, q := range c.Quantiles {
			out[j].Quantiles[k] = back(q)
		}
	}
	return out
}

// outside reports whether a value lies outside of the column's range.
func (c Column) outside(v float64) bool { return v < c.Min || v > c.Max }

// ends are the values between which the effects of nonlinear equations are slopes:
// the outer quantiles, or the range where these are equal.
func (c Column) ends() (low, high float64) {
	low, high = c.Quantiles[0], c.Quantiles[len(c.Quantiles)-1]
	if low == high {
		low, high = c.Min, c.Max
	}
	return low, high
}

// check returns an error if columns are not those of the named variables.
func check(columns []Column, names []string) error {
	if len(columns) != len(names) {
		return fmt.Errorf("effects: %d columns for %d variables", len(columns), len(names))
	}
	for j, c := range columns {
		switch {
		case c.Name != names[j]:
			return fmt.Errorf("effects: column %d is %q, the variable is %q", j+1, c.Name, names[j])
		case len(c.Quantiles) != len(Levels):
			return fmt.Errorf("effects: column %q has %d quantiles, want %d", c.Name,
				len(c.Quantiles), len(Levels))
		}
		for _, v := range append([]float64{c.Mean, c.SD, c.Min, c.Max}, c.Quantiles...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("effects: a value of column %q is %v, want finite numbers",
					c.Name, v)
			}
		}
	}
	return nil
}
