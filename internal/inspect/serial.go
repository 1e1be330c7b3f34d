package inspect

import (
	"cmp"
	"math"
	"slices"

	"tobac/dataset"
	"tobac/internal/ranks"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// serial are the columns with many values in which neighbouring rows are alike, or unlike: in
// the column itself or in its residuals given all others, whatever shows it more. Of
// independent rows any arrangement of a column, and of residuals, is as probable as another, so
// that the chance of a correlation of ranks rests on no distribution. Levels of columns with
// few values, and smooth functions of columns by which the rows are sorted, are taken out
// before: these may follow each other by design.
func serial(data *dataset.Table, rows []int, keys []sortKey) (found []Serial) {
	n := len(rows)
	var tested []int
	var columns, given [][]float64
	smooth := 0
	for j := range data.Names {
		v := ColumnOf(data, j, rows)
		switch few := fewValues(data, j); {
		case few > 0 && len(given)+few <= n/5:
			given = append(given, levels(v)...)
		case few > 0:
			given = append(given, v)
		case slices.ContainsFunc(keys, func(k sortKey) bool { return k.column == j }):
			terms := min(smoothTerms, n/10)
			smooth += terms
			given = append(given, smoothFunctions(v, terms)...)
		default:
			tested, columns = append(tested, j), append(columns, v)
		}
	}
	takeOut(columns, given)
	residuals := givenOthers(columns, n-len(given))
	for k, j := range tested {
		s := Serial{Column: data.Names[j], PValue: 1}
		for which, v := range [][]float64{columns[k], residuals[k]} {
			r, p := lagOne(v, smooth)
			p = math.Min(1, p*float64(2*len(tested)))
			if math.Abs(r) >= leastSerial && p < serialChance &&
				math.Abs(r) > math.Abs(s.Correlation) {
				s.Residual, s.Correlation, s.PValue = which == 1, r, p
			}
		}
		if s.PValue < 1 {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b Serial) int {
		return cmp.Compare(math.Abs(b.Correlation), math.Abs(a.Correlation))
	})
	return found
}

// independentPart is the least part of the rows, over all pairs of columns, that would say as
// much about a relation between the two if rows were independent:
//
//	1 / (1 + 2 Σ_k ρ_i(k) ρ_j(k)),
//
// with the autocorrelations of their ranks (Bartlett 1935; Clifford, Richardson and Hémon
// 1989), and of the residuals of the ranks given all other columns. Correlations of two
// unrelated series vary as in so many rows. Random walks of any length are worth a few.
func independentPart(data *dataset.Table, rows []int) float64 {
	columns := make([][]float64, len(data.Names))
	for j := range columns {
		columns[j] = ranks.Of(ColumnOf(data, j, rows))
	}
	takeOut(columns, nil)
	most := 0.0
	for _, series := range [][][]float64{columns, givenOthers(columns, len(rows))} {
		var all [][]float64
		for _, v := range series {
			if v != nil {
				all = append(all, autocorrelations(v))
			}
		}
		for i, a := range all {
			for _, b := range all[:i] {
				most = max(most, floats.Dot(a, b))
			}
		}
	}
	return max(1/(1+2*most), 1/float64(len(rows)))
}

// autocorrelations are those of a series of mean 0 at the lags from 1 on; zeros of a constant one.
func autocorrelations(v []float64) []float64 {
	n := len(v)
	transform := fourier.NewFFT(2 * n)
	c := transform.Coefficients(nil, append(slices.Clone(v), make([]float64, n)...))
	for k, z := range c {
		c[k] = complex(real(z)*real(z)+imag(z)*imag(z), 0)
	}
	all := transform.Sequence(nil, c)[:n]
	if all[0] > 0 {
		floats.Scale(1/all[0], all)
	}
	return all[1:]
}

// levels are the indicators of the values of a column.
func levels(v []float64) (all [][]float64) {
	values := slices.Compact(slices.Sorted(slices.Values(v)))
	for _, level := range values {
		indicator := make([]float64, len(v))
		for i, x := range v {
			if x == level {
				indicator[i] = 1
			}
		}
		all = append(all, indicator)
	}
	return all
}

// smoothFunctions are a column itself, and cosines of its ranks.
func smoothFunctions(v []float64, terms int) [][]float64 {
	all := [][]float64{v}
	rank := ranks.Of(v)
	for k := 1; k <= terms; k++ {
		wave := make([]float64, len(v))
		for i, r := range rank {
			wave[i] = math.Cos(math.Pi * float64(k) * (r - 0.5) / float64(len(v)))
		}
		all = append(all, wave)
	}
	return all
}

// takeOut replaces columns by their residuals given others and a constant, scaled to length 1;
// constant ones become 0.
func takeOut(columns, given [][]float64) {
	var basis [][]float64 // orthonormal
	less := func(v []float64) bool {
		floats.AddConst(-floats.Sum(v)/float64(len(v)), v)
		length := floats.Norm(v, 2)
		for range 2 { // the second time for what rounding left
			for _, b := range basis {
				floats.AddScaled(v, -floats.Dot(b, v), b)
			}
		}
		left := floats.Norm(v, 2)
		if !(left > 1e-7*length) {
			clear(v)
			return false
		}
		floats.Scale(1/left, v)
		return true
	}
	for _, g := range given {
		if less(g) {
			basis = append(basis, g)
		}
	}
	for _, v := range columns {
		less(v)
	}
}

// givenOthers are the residuals of columns of length 1 given all others; those of a column are
// nil if the others determine it, or if there are too few rows for a regression, of which as
// many are left as freedom says.
func givenOthers(columns [][]float64, freedom int) [][]float64 {
	d := len(columns)
	residuals := make([][]float64, d)
	if d < 2 || 2*d > freedom || float64(d)*float64(d)*float64(freedom) > mostWork {
		return residuals
	}
	g := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			g.SetSym(i, j, floats.Dot(columns[i], columns[j]))
		}
	}
	var root mat.Cholesky
	var inverse mat.SymDense
	if !root.Factorize(g) || root.InverseTo(&inverse) != nil {
		return residuals
	}
	for k := range d {
		if inverse.At(k, k)*determined > 1 {
			continue
		}
		v := make([]float64, len(columns[k]))
		for i, c := range columns {
			floats.AddScaled(v, inverse.At(i, k), c)
		}
		residuals[k] = v
	}
	return residuals
}

// lagOne is the lag-one correlation of the ranks of a series, and its two-sided p-value by the
// normal approximation to its distribution over all arrangements. Of a series from which so
// many smooth functions of the place were taken out the correlation is lower. A constant
// series, and none, have the correlation 0.
func lagOne(v []float64, smooth int) (r, p float64) {
	if len(v) == 0 {
		return 0, 1
	}
	z := ranks.Of(v)
	floats.AddConst(-float64(len(v)+1)/2, z)
	square := floats.Dot(z, z)
	if square == 0 {
		return 0, 1
	}
	sum := floats.Dot(z[1:], z[:len(z)-1])
	mean, variance := overArrangements(z)
	mean -= float64(smooth) * square / float64(len(v))
	return sum / square, math.Erfc(math.Abs(sum-mean) / math.Sqrt(2*variance))
}

// overArrangements are mean and variance of Σ z_i z_{i+1} over all arrangements of four numbers
// or more whose sum is 0. Of two pairs of neighbours that are multiplied, the second is the
// first, has one place in common with it, or none.
func overArrangements(z []float64) (mean, variance float64) {
	n, s2, s4 := float64(len(z)), 0.0, 0.0
	for _, x := range z {
		s2 += x * x
		s4 += x * x * x * x
	}
	mean = -s2 / n
	same := (s2*s2 - s4) / (n * (n - 1))
	one := (2*s4 - s2*s2) / (n * (n - 1) * (n - 2))
	none := (3*s2*s2 - 6*s4) / (n * (n - 1) * (n - 2) * (n - 3))
	return mean, (n-1)*same + 2*(n-2)*one + (n-2)*(n-3)*none - mean*mean
}
