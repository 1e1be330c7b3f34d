package smooth

import (
	"math"
	"slices"
	"sort"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// mostKnots is the number of places at which the kernel's eigenfunctions are computed.
const mostKnots = 60

// Functions is the number of smooth functions of a column, unless there are reasons for more.
const Functions = 6

// Tails says what functions do beyond the outer quantiles of a column.
type Tails int

const (
	// ConstantTails are bounded, so that a few rows far out bend nothing.
	ConstantTails Tails = iota
	// GrowingTails may be squares and cubes, as those of causes with long tails are.
	GrowingTails
)

const exactRows = 5000 // from which on functions are straight lines between the knots

// A Basis has the functions of a column that equations are made of, at its rows: the column
// itself, of mean 0 and variance 1; smooth functions orthogonal to 1, to the column and to each
// other, of mean square 1; and two functions of the noise's logarithmic scale.
type Basis struct {
	Column   []float64
	Smooth   [][]float64
	Variance []float64 // prior variances of the weights of the smooth functions at amplitude 1
	Scale    [][]float64

	// For functions of other values: smooth function c at x is
	// Tables[c] interpolated at x between the knots, plus Intercept[c] + Slope[c]·x.
	Knots            []float64
	Tables           [][]float64
	Intercept, Slope []float64
}

// NewBasis makes the leading eigenfunctions of a kernel on the values of a column x of mean 0 and
// variance 1: a Matérn kernel (ν = 5/2, a length of one standard deviation), to which values beyond
// the outer quantiles count as these, and for [GrowingTails] the products of squares and of cubes.
// functions is the greatest number of smooth functions.
func NewBasis(x []float64, functions int, tails Tails) Basis {
	b := Basis{Column: x}
	n := len(x)
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	low, high := quantile(sorted, outerPart(n)), quantile(sorted, 1-outerPart(n))
	drawn := make([]float64, n)
	for i, v := range x {
		drawn[i] = min(max(v, low), high)
	}
	mean, sd := stat.PopMeanStdDev(drawn, nil)
	if !(sd > 1e-9) {
		return b
	}
	unit := func(v float64) float64 { return (min(max(v, low), high) - mean) / sd }
	for i, v := range x {
		drawn[i] = unit(v)
	}
	b.Scale = [][]float64{drawn}
	bend := floats.MulTo(make([]float64, n), drawn, drawn)
	floats.AddConst(-stat.Mean(bend, nil), bend)
	floats.AddScaled(bend, -floats.Dot(bend, drawn)/floats.Dot(drawn, drawn), drawn)
	if size := floats.Norm(bend, 2) / math.Sqrt(float64(n)); size > 1e-6 {
		floats.Scale(1/size, bend)
		b.Scale = append(b.Scale, bend)
	}
	if functions > 0 {
		b.addSmooth(drawn, sorted, unit, functions, tails)
	}
	return b
}

// mostOuter is the greatest number of rows at each end where functions of the kernel are constant.
const mostOuter = 8

// outerPart is the part of n rows that these are at either end: a fiftieth at most.
func outerPart(n int) float64 { return min(0.02, mostOuter/float64(n)) }

// quantile interpolates between the sorted values, alike from both ends.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}

// matern is the Matérn kernel with ν = 5/2 and length 1.
func matern(a, b float64) float64 {
	r := math.Sqrt(5) * math.Abs(a-b)
	return (1 + r + r*r/3) * math.Exp(-r)
}

// addSmooth adds the smooth functions of the column, whose values as the kernel sees them are
// drawn.
func (b *Basis) addSmooth(
	drawn, sorted []float64, unit func(float64) float64, functions int, tails Tails,
) {
	n, leading := len(drawn), functions+3
	outer := outerPart(n)
	var seen []float64 // the knots, as the kernel sees them
	for k := range mostKnots {
		v := quantile(sorted, outer+(1-2*outer)*float64(k)/(mostKnots-1))
		if u := unit(v); len(seen) == 0 || u > seen[len(seen)-1]+1e-9 {
			seen, b.Knots = append(seen, u), append(b.Knots, v)
		}
	}
	m := len(b.Knots)
	kernel := mat.NewSymDense(m, nil)
	for i, u := range seen {
		for j, v := range seen[:i+1] {
			kernel.SetSym(i, j, matern(u, v))
		}
		kernel.SetSym(i, i, kernel.At(i, i)+1e-9)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(kernel, true) {
		return
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	leading = min(leading, m)
	// of the kernel functions at the knots, by eigenfunction
	weights := mat.NewDense(m, leading, nil)
	for c := range leading {
		at := m - 1 - c
		for g := range m {
			weights.Set(g, c, vectors.At(g, at)/math.Sqrt(values[at]))
		}
	}
	at := func(places []float64) *mat.Dense {
		k := mat.NewDense(len(places), m, nil)
		for i, u := range places {
			for g, v := range seen {
				k.Set(i, g, matern(u, v))
			}
		}
		var f mat.Dense
		f.Mul(k, weights)
		return &f
	}
	table := at(seen)
	var rows *mat.Dense
	if n <= exactRows {
		rows = at(drawn)
	} else {
		rows = mat.NewDense(n, leading, nil)
		for c := range leading {
			values := mat.Col(nil, c, table)
			for i, u := range drawn {
				rows.Set(i, c, Interpolate(seen, values, u))
			}
		}
	}
	if tails == GrowingTails {
		rows, table = b.powers(rows, table, sorted)
		leading += 2
	}
	means, slopes := make([]float64, leading), make([]float64, leading)
	column := make([]float64, n)
	for c := range leading {
		mat.Col(column, c, rows)
		means[c], slopes[c] = b.orthogonal(column)
		rows.SetCol(c, column)
	}
	left, right, singular := decompose(rows)
	root := math.Sqrt(float64(n))
	for c, s := range singular {
		if s /= root; c == functions || c == m-2 || s < 1e-3 {
			break
		}
		function := mat.Col(nil, c, left)
		floats.Scale(root, function)
		combination := mat.Col(nil, c, right)
		floats.Scale(1/s, combination)
		var tabled mat.VecDense
		tabled.MulVec(table, mat.NewVecDense(leading, combination))
		b.Smooth, b.Variance = append(b.Smooth, function), append(b.Variance, s*s)
		b.Tables = append(b.Tables, tabled.RawVector().Data)
		b.Intercept = append(b.Intercept, -floats.Dot(means, combination))
		b.Slope = append(b.Slope, -floats.Dot(slopes, combination))
	}
}

// powers adds the square and the cube of the column to functions at the rows and at the knots, and
// the values beyond the knots to these. There the functions of the kernel are constant.
func (b *Basis) powers(rows, table *mat.Dense, sorted []float64) (r, t *mat.Dense) {
	n, leading := rows.Dims()
	m := len(b.Knots)
	var below, above []float64
	for _, v := range slices.Compact(sorted) {
		switch {
		case v < b.Knots[0]:
			below = append(below, v)
		case v > b.Knots[m-1]:
			above = append(above, v)
		}
	}
	b.Knots = slices.Concat(below, b.Knots, above)
	r, t = mat.NewDense(n, leading+2, nil), mat.NewDense(len(b.Knots), leading+2, nil)
	r.Slice(0, n, 0, leading).(*mat.Dense).Copy(rows)
	for g := range b.Knots {
		for c := range leading {
			t.Set(g, c, table.At(min(max(g-len(below), 0), m-1), c))
		}
	}
	square := func(x float64) float64 { return x * x }
	cube := func(x float64) float64 { return x * x * x }
	for k, f := range []func(x float64) float64{square, cube} {
		at := func(places []float64) []float64 {
			values := make([]float64, len(places))
			for i, x := range places {
				values[i] = f(x)
			}
			return values
		}
		rest := at(b.Column)
		b.orthogonal(rest)
		if size := floats.Norm(rest, 2) / math.Sqrt(float64(n)); size > 1e-6 {
			r.SetCol(leading+k, floats.ScaleTo(rest, 1/size, at(b.Column)))
			t.SetCol(leading+k, floats.ScaleTo(make([]float64, len(b.Knots)), 1/size, at(b.Knots)))
		}
	}
	return r, t
}

// orthogonal takes from a function of the rows what 1 and the column have of it, and returns that.
func (b *Basis) orthogonal(f []float64) (mean, slope float64) {
	mean = stat.Mean(f, nil)
	floats.AddConst(-mean, f)
	slope = floats.Dot(f, b.Column) / floats.Dot(b.Column, b.Column)
	floats.AddScaled(f, -slope, b.Column)
	return mean, slope
}

// decompose is the singular value decomposition of a tall matrix; of many rows that of its Gram
// matrix, whose small singular values are less precise. No values: it failed.
func decompose(rows *mat.Dense) (left, right *mat.Dense, singular []float64) {
	left, right = new(mat.Dense), new(mat.Dense)
	n, m := rows.Dims()
	if n <= exactRows {
		var svd mat.SVD
		if !svd.Factorize(rows, mat.SVDThin) {
			return left, right, nil
		}
		svd.UTo(left)
		svd.VTo(right)
		return left, right, svd.Values(nil)
	}
	var gram mat.SymDense
	gram.SymOuterK(1, rows.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&gram, true) {
		return left, right, nil
	}
	var ascending mat.Dense
	eigen.VectorsTo(&ascending)
	right = mat.NewDense(m, m, nil)
	scaled := mat.NewDense(m, m, nil)
	values := eigen.Values(nil)
	for c := range m {
		s := math.Sqrt(math.Max(values[m-1-c], 0))
		singular = append(singular, s)
		v := mat.Col(nil, m-1-c, &ascending)
		right.SetCol(c, v)
		floats.Scale(1/math.Max(s, 1e-300), v)
		scaled.SetCol(c, v)
	}
	left.Mul(rows, scaled)
	return left, right, singular
}

// Interpolate is the value at x of a function that is linear between the knots and constant beyond.
func Interpolate(knots, values []float64, x float64) float64 {
	k := sort.SearchFloat64s(knots, x)
	switch {
	case k == 0:
		return values[0]
	case k == len(knots):
		return values[k-1]
	}
	part := (x - knots[k-1]) / (knots[k] - knots[k-1])
	return values[k-1] + part*(values[k]-values[k-1])
}

// At is the basis at some rows; nil means all.
func (b Basis) At(rows []int) Basis {
	if rows == nil {
		return b
	}
	b.Column = scoring.Pick(nil, b.Column, rows)
	b.Smooth, b.Scale = slices.Clone(b.Smooth), slices.Clone(b.Scale)
	for k := range b.Smooth {
		b.Smooth[k] = scoring.Pick(nil, b.Smooth[k], rows)
	}
	for k := range b.Scale {
		b.Scale[k] = scoring.Pick(nil, b.Scale[k], rows)
	}
	return b
}
