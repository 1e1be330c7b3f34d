package generalised

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/internal/smooth"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Variable says what a column is: its kind, and of binary, ordered and categorical ones the
// number of levels, whose codes 0, 1, … the column has.
type Variable struct {
	Kind   dataset.Kind
	Levels int
	Values []float64 // of the levels in the units of the data, ascending; nil means the codes
}

// values are those of the levels.
func (v Variable) values() []float64 {
	if v.Values != nil {
		return v.Values
	}
	all := make([]float64, v.Levels)
	for k := range all {
		all[k] = float64(k)
	}
	return all
}

// covariates are the functions of a column that equations of its children have, at some rows: of
// mean 0 and of mean square 1 in all rows. Those of a column that does not vary are none.
type covariates struct {
	straight, curved   [][]float64
	straightV, curvedV []float64 // prior variances, in units of τ²

	// For the functions at other values: the scale of the column; of one with levels the values in
	// all rows, and a row for each of them; of others the moments on that scale, and the basis.
	scale    int
	value    []float64
	rows     []int
	mean, sd float64
	basis    smooth.Basis
}

// curves is the number of smooth functions of a number in so many rows: many show what few leave,
// which other parents would have to explain.
func curves(rows int) int {
	if rows < 500 {
		return 3
	}
	return 6
}

// skewed is the skewness from which on the logarithm of a positive column is taken if it is less
// skewed.
const skewed = 1

func newCovariates(x []float64, v Variable) covariates {
	var c covariates
	straight := func(column []float64) {
		c.straight, c.straightV = append(c.straight, column), append(c.straightV, 1)
	}
	if v.Kind.Levelled() {
		at := map[float64]int{}
		c.value = make([]float64, len(x))
		for i, code := range x {
			c.value[i] = v.values()[int(code)]
			if _, seen := at[code]; !seen {
				at[code] = i
				c.rows = append(c.rows, i)
			}
		}
		slices.SortFunc(c.rows, func(a, b int) int { return cmp.Compare(c.value[a], c.value[b]) })
	} else {
		c.scale, c.mean, c.sd = asIs, x[0], 1
	}
	if floats.Min(x) == floats.Max(x) {
		return c
	}
	switch v.Kind {
	case dataset.Binary:
		straight(standardised(x))
	case dataset.Categorical:
		contrasts := nodescore.Contrasts(x, v.Levels)
		sum := 0.0
		for k := range v.Levels - 1 {
			column := mat.Col(nil, k, contrasts)
			floats.AddConst(-stat.Mean(column, nil), column)
			sum += floats.Dot(column, column)
			straight(column)
		}
		for _, column := range c.straight {
			floats.Scale(math.Sqrt(float64(len(x)*(v.Levels-1))/sum), column)
		}
	case dataset.Ordered:
		all := [][]float64{standardised(x)}
		straight(all[0])
		for power := 2; power < min(v.Levels, 4); power++ {
			column := make([]float64, len(x))
			for i, z := range all[0] {
				column[i] = math.Pow(z, float64(power))
			}
			if column = orthogonal(column, all); column != nil {
				all = append(all, column)
				c.curved, c.curvedV = append(c.curved, column), append(c.curvedV, 1/float64(power))
			}
		}
	default:
		var scaled []float64
		scaled, c.scale = lessSkewed(x, v.Kind)
		z := standardised(scaled)
		c.mean, c.sd = momentsOf(scaled, z)
		basis := smooth.NewBasis(z, smooth.Functions, smooth.ConstantTails)
		c.basis = basis
		straight(basis.Column)
		for k := range min(curves(len(x)), len(basis.Smooth)) {
			c.curved, c.curvedV = append(c.curved, basis.Smooth[k]),
				append(c.curvedV, basis.Variance[k])
		}
	}
	return c
}

// lessSkewed is a column or, of one from 0 on, its logarithm, and which scale that is.
func lessSkewed(x []float64, k dataset.Kind) ([]float64, int) {
	shift, scale := 0.0, byLog
	switch {
	case k == dataset.Count:
		shift, scale = 1, byLog1
	case k != dataset.Positive:
		return x, asIs
	}
	log := make([]float64, len(x))
	for i, v := range x {
		log[i] = math.Log(v + shift)
	}
	if s := math.Abs(stat.Skew(x, nil)); s > skewed && math.Abs(stat.Skew(log, nil)) < s {
		return log, scale
	}
	return x, asIs
}

// momentsOf are the mean and the standard deviation with which a column was standardised, read off
// the values farthest apart.
func momentsOf(x, z []float64) (mean, sd float64) {
	a, b := floats.MaxIdx(x), floats.MinIdx(x)
	sd = (x[a] - x[b]) / (z[a] - z[b])
	return x[a] - sd*z[a], sd
}

// standardised has mean 0 and mean square 1.
func standardised(x []float64) []float64 {
	z := append([]float64(nil), x...)
	floats.AddConst(-stat.Mean(z, nil), z)
	if largest := floats.Norm(z, math.Inf(1)); largest > 0 {
		floats.Scale(1/largest, z)
	}
	floats.AddConst(-stat.Mean(z, nil), z)
	floats.Scale(math.Sqrt(float64(len(z)))/floats.Norm(z, 2), z)
	return z
}

// orthogonal is what others leave of a column, standardised; nil if that is nothing.
func orthogonal(x []float64, others [][]float64) []float64 {
	z := standardised(x)
	for range 2 {
		for _, o := range others {
			floats.AddScaled(z, -floats.Dot(z, o)/float64(len(z)), o)
		}
	}
	if floats.Norm(z, 2) < 1e-6*math.Sqrt(float64(len(z))) {
		return nil
	}
	return standardised(z)
}

// at are the covariates in some rows.
func (c covariates) at(rows []int) covariates {
	each := func(all [][]float64) [][]float64 {
		out := make([][]float64, len(all))
		for k, column := range all {
			out[k] = pick(column, rows)
		}
		return out
	}
	c.straight, c.curved = each(c.straight), each(c.curved)
	return c
}

// pick are the elements of x in some rows.
func pick(x []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for a, i := range rows {
		out[a] = x[i]
	}
	return out
}

// check finds values that do not fit their kind.
func check(x mat.Matrix, variables []Variable) error {
	n, d := x.Dims()
	if n < 2 || d < 1 || len(variables) != d {
		return fmt.Errorf("generalised: got %d rows of %d columns of %d variables, want at least "+
			"two rows, and a column for each variable", n, d, len(variables))
	}
	for j, v := range variables {
		levelled := v.Kind.Levelled()
		if levelled && v.Levels < 2 || v.Kind == dataset.Binary && v.Levels != 2 {
			return fmt.Errorf("generalised: column %d has %d levels, want at least 2, and 2 of a "+
				"binary one", j+1, v.Levels)
		}
		for i := range n {
			y := x.At(i, j)
			want := ""
			switch {
			case math.IsNaN(y) || math.Abs(y) > 1e150:
				want = "a finite number of magnitude up to 1e150"
			case levelled && (y != math.Trunc(y) || y < 0 || y >= float64(v.Levels)):
				want = fmt.Sprintf("a whole number from 0 to %d", v.Levels-1)
			case v.Kind == dataset.Count && (y != math.Trunc(y) || y < 0):
				want = "a whole number from 0"
			case v.Kind == dataset.Positive && !(y > 0):
				want = "a number above 0"
			}
			if want != "" {
				return fmt.Errorf("generalised: row %d, column %d is %v, want %s", i+1, j+1, y,
					want)
			}
		}
	}
	return nil
}
