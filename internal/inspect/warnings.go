package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dataset"
	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// Limits beyond which data do not suit a model, or any. Each is far from what data of the models
// show, so that a warning means something.
const (
	// fraction of a column's variance that others leave, below which they determine it
	determined = 1e-6
	// excess kurtosis above which noise is not normal, that of Laplace's distribution, and
	heavyTails = 3
	errorsOff  = 8   // standard errors above which it must be, √(24/n) each for normal noise
	mostWork   = 4e9 // products of numbers that looking for dependences may take
)

// Warnings are reasons to distrust a model of the data: too few rows, columns that others
// determine, and for normal noise, values far from the rest.
func Warnings(data *dataset.Table, normal bool) []string {
	n, d := data.X.Dims()
	var w []string
	if n <= d+1 {
		// Dependences and tails cannot be told from so few.
		return append(w, fmt.Sprintf("%d rows of %d columns: an equation with all other columns "+
			"as parents fits any numbers exactly, so the result depends on the prior more than "+
			"on the data", n, d))
	}
	g := affordableCorrelations(data)
	text := dependent(data, g)
	if text != "" {
		w, g = append(w, text), nil // of which there is no inverse
	}
	if normal {
		if text := tails(data, g); text != "" {
			w = append(w, text)
		}
	}
	return append(w, grouped(data)...)
}

const (
	fewestGroups = 8 // fewer values are levels
	fewestOfEach = 3 // rows of a group, on average
)

// grouped says which columns have one value each for the same groups of rows, as those of schools
// have in a table of pupils.
func grouped(data *dataset.Table) (w []string) {
	n, d := data.X.Dims()
	var partitions [][]int // of the rows, numbered as they appear
	var columns [][]string
	var sizes []int
	for j := range d {
		number, of := map[float64]int{}, make([]int, n)
		for i := range n {
			v := data.X.At(i, j)
			if _, known := number[v]; !known {
				if number[v] = len(number); len(number)*fewestOfEach > n {
					break
				}
			}
			of[i] = number[v]
		}
		if m := len(number); m < fewestGroups || m*fewestOfEach > n {
			continue
		}
		k := slices.IndexFunc(partitions, func(p []int) bool { return slices.Equal(p, of) })
		if k < 0 {
			k, partitions, columns = len(partitions), append(partitions, of), append(columns, nil)
			sizes = append(sizes, len(number))
		}
		columns[k] = append(columns[k], data.Names[j])
	}
	for k, names := range columns {
		if len(names) > 1 {
			w = append(w, fmt.Sprintf("%s have one value for each of the same %d groups of rows: "+
				"what relates them rests on %[2]d observations, and counts as %d; fit them on a "+
				"table with a row for each group", Quoted(names), sizes[k], n))
		}
	}
	return w
}

// affordableCorrelations are the correlations; nil where they are too much work.
func affordableCorrelations(data *dataset.Table) *mat.SymDense {
	n, d := data.X.Dims()
	if float64(n)*float64(d)*float64(d) > mostWork {
		return nil
	}
	return Correlations(data)
}

// Determined names the first column that earlier ones determine, or nearly so, with those;
// "" if there is none, or where looking for it is too much work.
func Determined(data *dataset.Table) string {
	return dependent(data, affordableCorrelations(data))
}

// dependent names the first column that earlier ones determine, or nearly so, with those; "" if
// there is none. g is the matrix of correlations, nil where it is too much work.
func dependent(data *dataset.Table, g *mat.SymDense) string {
	if g == nil {
		return ""
	}
	d := len(data.Names)
	root := mat.NewTriDense(d, mat.Lower, nil)
	for j := range d {
		left := g.At(j, j)
		for a := range j {
			v := g.At(j, a)
			for b := range a {
				v -= root.At(j, b) * root.At(a, b)
			}
			v /= root.At(a, a)
			root.SetTri(j, a, v)
			left -= v * v
		}
		switch {
		case g.At(j, j) == 0: // constant
			root.SetTri(j, j, 1)
		case left < determined:
			of := combination(root, j)
			return fmt.Sprintf("column %s is a linear combination of %s%s: its causal role "+
				"cannot be identified; leave one out", strconv.Quote(data.Names[j]),
				Quoted(words.Of(data.Names, of)), smallFraction(left))
		default:
			root.SetTri(j, j, math.Sqrt(left))
		}
	}
	return ""
}

// Correlations is the matrix of correlations, with zeros for constant columns.
func Correlations(data *dataset.Table) *mat.SymDense {
	n, d := data.X.Dims()
	g := mat.NewSymDense(d, nil)
	inBlocks(data, func(z *mat.Dense, _, _ int) { g.SymRankK(g, 1/float64(n), z.T()) })
	return g
}

// inBlocks calls do for some rows at a time, from on, scaled to mean 0 and variance 1 but for
// constant columns, which are 0, as are rows of z beyond their number.
func inBlocks(data *dataset.Table, do func(z *mat.Dense, from, rows int)) {
	n, d := data.X.Dims()
	mean, sd := data.Moments()
	const block = 512
	z := mat.NewDense(block, d, nil)
	for from := 0; from < n; from += block {
		z.Zero()
		rows := min(block, n-from)
		for r := range rows {
			for j, v := range data.X.RawRowView(from + r) {
				if sd[j] > 1e-15*math.Abs(mean[j]) {
					z.Set(r, j, (v-mean[j])/sd[j])
				}
			}
		}
		do(z, from, rows)
	}
}

// combination are the columns before j of which the least squares for it, by the rows of the
// Cholesky factor, have weights.
func combination(root *mat.TriDense, j int) (of []int) {
	beta := make([]float64, j)
	for a := j - 1; a >= 0; a-- {
		beta[a] = root.At(j, a)
		for b := a + 1; b < j; b++ {
			beta[a] -= root.At(b, a) * beta[b]
		}
		beta[a] /= root.At(a, a)
	}
	for a, v := range beta {
		if math.Abs(v) > 0.01 {
			of = append(of, a)
		}
	}
	return of
}

// smallFraction is a small part of 1 in words.
func smallFraction(part float64) string {
	if part < 1e-12 {
		return ""
	}
	return fmt.Sprintf(", except for %.0e of its variance", part)
}

// Quoted lists at most five names.
func Quoted(names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, strconv.Quote(name))
	}
	return words.Some(list, 5)
}

// tails names the columns with heavy tails, those of its own or of what a linear equation in all
// others leaves of it, and the measure of the heaviest; "" if there are none. Columns of few
// values, which are no measurements, do not count, nor do tables of less than twenty rows. g is the
// matrix of correlations.
func tails(data *dataset.Table, g *mat.SymDense) string {
	n, d := data.X.Dims()
	if n < 20 {
		return ""
	}
	var inverse mat.SymDense
	var root mat.Cholesky
	linear := g != nil && root.Factorize(g) && root.InverseTo(&inverse) == nil
	column, rest := make([]tail, d), make([]tail, d)
	var e mat.Dense
	inBlocks(data, func(z *mat.Dense, from, rows int) {
		if linear {
			e.Mul(z, &inverse)
		}
		for r := range rows {
			for j, v := range z.RawRowView(r) {
				column[j].add(v, from+r)
				if linear {
					rest[j].add(e.At(r, j)/math.Sqrt(inverse.At(j, j)), from+r) // of variance 1
				}
			}
		}
	})
	least := math.Max(heavyTails, errorsOff*math.Sqrt(24/float64(n)))
	var names []string
	worst, at := tail{}, 0
	for j := range d {
		t := column[j]
		if rest[j].excess(n) > t.excess(n) {
			t = rest[j]
		}
		if t.excess(n) > least && fewValues(data, j) == 0 {
			if names = append(names, data.Names[j]); t.excess(n) > worst.excess(n) ||
				len(names) == 1 {
				worst, at = t, j
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	of := strconv.Quote(data.Names[at])
	if worst == rest[at] {
		of = "what a linear equation leaves of " + of
	}
	return fmt.Sprintf("normal noise does not fit the tails of %s: the excess kurtosis of %s is "+
		"%.1f, 0 for a normal distribution, and row %d of the %d used, %.0f standard deviations "+
		"out, has %.0f %% of the variance: check such rows, or transform the columns, unless "+
		"curved relations explain them",
		Quoted(names), of, worst.excess(n), worst.row+1, n, worst.largest,
		100*worst.largest*worst.largest/float64(n))
}

// A tail are sums over the rows of numbers of variance 1.
type tail struct {
	fourth, largest float64
	row             int // of the largest
}

func (t *tail) add(z float64, row int) {
	t.fourth += z * z * z * z
	if z = math.Abs(z); z > t.largest {
		t.largest, t.row = z, row
	}
}

// excess is the excess kurtosis over n rows.
func (t tail) excess(n int) float64 { return t.fourth/float64(n) - 3 }

// UnitsApart is the ratio of the greatest to the least standard deviation of the columns, with
// these; constant columns do not count.
func UnitsApart(data *dataset.Table) (ratio float64, least, greatest int) {
	_, sd := data.Moments()
	least, greatest = -1, -1
	for j, v := range sd {
		if v > 0 && (least < 0 || v < sd[least]) {
			least = j
		}
		if v > 0 && (greatest < 0 || v > sd[greatest]) {
			greatest = j
		}
	}
	if least < 0 {
		return 1, 0, 0
	}
	return sd[greatest] / sd[least], least, greatest
}

// Ratios of standard deviations of columns.
const (
	ApartUnits = 1e3 // from which a common noise variance, or unit, is doubtful
	// from which a model with one is left out; such scores also leave the range of sums
	noUnits = 1e5
)

// NoCommonUnit says why a model with a noise variance or a unit in common is left out of a
// comparison; "" if it is not.
func NoCommonUnit(data *dataset.Table) string {
	ratio, least, greatest := UnitsApart(data)
	if ratio < noUnits {
		return ""
	}
	return fmt.Sprintf("the standard deviations of %q and %q differ by a factor of %.0e, and it "+
		"has one noise variance for all",
		data.Names[least], data.Names[greatest], ratio)
}
