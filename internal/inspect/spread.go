package inspect

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/internal/delimited"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A value is no rounded number but an atom, such as no rain or a round sum, if it has at least
// atomRows rows, more than atomPart of all, and more than atomFactor times as many as either
// neighbour, or, at an end of the values, as many as its neighbour.
const (
	atomRows   = 20
	atomPart   = 0.02
	atomFactor = 3
)

// hasAtom reports whether one of the runs of equal values is an atom.
func hasAtom(lengths []int, n int) bool {
	for k, length := range lengths {
		around, factor := 0, atomFactor
		if k > 0 {
			around = lengths[k-1]
		}
		if k+1 < len(lengths) {
			around = max(around, lengths[k+1])
		}
		if k == 0 || k+1 == len(lengths) {
			factor = 1
		}
		if length >= atomRows && float64(length) > atomPart*float64(n) && length > factor*around {
			return true
		}
	}
	return false
}

// WithoutDensity are the columns that have no density, rounded or not: those of few values, and
// with atoms.
func WithoutDensity(data *dataset.Table) (list []int) {
	n, d := data.X.Dims()
	for j := range d {
		v := mat.Col(nil, j, data.X)
		slices.Sort(v)
		if fewValues(data, j) > 0 || hasAtom(runs(v), n) {
			list = append(list, j)
		}
	}
	return list
}

// Spread is a table whose equal values are spread over what was rounded to them, and the columns
// that have no density all the same, [WithoutDensity]. A density of a rounded number would count
// its repetitions as certainty.
func Spread(data *dataset.Table) (*dataset.Table, []int) {
	n, d := data.X.Dims()
	x := mat.DenseCopyOf(data.X)
	plain := WithoutDensity(data)
	changed := false
	for j := range d {
		if _, without := slices.BinarySearch(plain, j); without {
			continue
		}
		v := mat.Col(nil, j, data.X)
		at := make([]int, n)
		floats.Argsort(v, at)
		lengths := runs(v)
		distinct := slices.Compact(slices.Clone(v))
		if len(distinct) < 2 || len(distinct) == n {
			continue
		}
		changed = true
		rng := rand.New(rand.NewPCG(uint64(j), uint64(n)))
		// where in its cell a row is put; turned with the sign of the column
		keys := make([]float64, n)
		for i := range keys {
			keys[i] = rng.Float64()
		}
		up := stat.Mean(v, nil) >= stat.Quantile(0.5, stat.Empirical, v, nil)
		gaps := make([]float64, len(distinct)-1)
		for k := range gaps {
			gaps[k] = distinct[k+1] - distinct[k]
		}
		usual := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
		from := 0
		for k, length := range lengths {
			if length > 1 {
				low, high := usual, usual
				if k > 0 {
					low = min(low, gaps[k-1])
				}
				if k < len(gaps) {
					high = min(high, gaps[k])
				}
				rows := at[from : from+length]
				slices.SortFunc(rows, func(a, b int) int {
					if !up {
						a, b = b, a
					}
					return cmp.Compare(keys[a], keys[b])
				})
				for r, row := range rows {
					part := (float64(r) + 0.5) / float64(length)
					x.Set(row, j, distinct[k]-low/2+part*(low+high)/2)
				}
			}
			from += length
		}
	}
	if !changed {
		return data, plain
	}
	out := *data
	out.X = x
	return &out, plain
}

// Levels is the largest number of distinct values of a column that counts as
// discrete if each of them stands in five rows on average.
const Levels = 10

// Discrete names a column with few distinct values, such as 0 and 1, codes of levels or
// years; "" if every column is continuous. NaN counts as missing.
func Discrete(data *dataset.Table) string {
	for j, name := range data.Names {
		if k := fewValues(data, j); k > 0 {
			return fmt.Sprintf("column %s takes %d values", delimited.Excerpt(name), k)
		}
	}
	return ""
}

// fewValues is the number of values of a discrete column, 0 for a continuous one.
func fewValues(data *dataset.Table, j int) int {
	n, _ := data.X.Dims()
	seen := map[float64]bool{}
	rows := 0
	for i := 0; i < n && len(seen) <= Levels; i++ {
		if v := data.X.At(i, j); !math.IsNaN(v) {
			seen[v] = true
			rows++
		}
	}
	if k := len(seen); k == 2 || k <= Levels && rows >= 5*k {
		return k
	}
	return 0
}

// repeatedPart is the part of the rows with one and the same value from which on a column has
// no density.
const repeatedPart = 0.05

// Repeated lists the columns whose values are repeated, such as counts and codes of levels: a
// density of continuous noise would be certain of what follows from the repetitions alone.
func Repeated(data *dataset.Table) []int {
	n, d := data.X.Dims()
	var list []int
	for j := range d {
		v := mat.Col(nil, j, data.X)
		slices.Sort(v)
		if most := slices.Max(runs(v)); fewValues(data, j) > 0 || most > 2 &&
			float64(most) > repeatedPart*float64(n) {
			list = append(list, j)
		}
	}
	return list
}

// Values of a measurement are recorded with few digits, so that some of them are equal.
const (
	tiedPart       = 0.05 // part of the rows whose value another row has
	recordedDigits = 5
)

// Recorded reports whether a column of many values holds measurements: three quarters of its values
// have few significant digits, or some are equal. Scaling keeps what is equal.
func Recorded(data *dataset.Table) bool {
	n, d := data.X.Dims()
	for j := range d {
		if fewValues(data, j) > 0 {
			continue
		}
		v := mat.Col(nil, j, data.X)
		short := 0
		for _, x := range v {
			if digits(x) <= recordedDigits {
				short++
			}
		}
		if 4*short >= 3*n || tied(v) {
			return true
		}
	}
	return false
}

// Tied reports whether a column holds measurements of which some are equal: one of many values that
// are no counts, or one whose kind is that of numbers, however few their values are.
func Tied(data *dataset.Table) bool {
	_, d := data.X.Dims()
	for j := range d {
		number := fewValues(data, j) == 0 || data.Variables != nil && !data.Kind(j).Levelled()
		if number && data.Kind(j) != dataset.Count && tied(mat.Col(nil, j, data.X)) {
			return true
		}
	}
	return false
}

// tied reports whether many values are equal to others. It sorts them.
func tied(v []float64) bool {
	slices.Sort(v)
	equal := 0
	for _, k := range runs(v) {
		if k > 1 {
			equal += k
		}
	}
	return float64(equal) >= tiedPart*float64(len(v))
}

// digits is the number of significant decimal digits of a number.
func digits(x float64) int {
	s := strconv.FormatFloat(math.Abs(x), 'e', -1, 64)
	mantissa, _, _ := strings.Cut(s, "e")
	return max(1, len(mantissa)-1)
}

// CheckColumns refuses columns of which no model says anything, whatever the engine: constant ones,
// and those whose squares leave the range of float64 in sums and products.
func CheckColumns(t *dataset.Table) error {
	n, d := t.X.Dims()
	low, high := make([]float64, d), make([]float64, d)
	copy(low, t.X.RawRowView(0))
	copy(high, low)
	for i := 1; i < n; i++ {
		for j, v := range t.X.RawRowView(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	for j, name := range t.Names {
		if low[j] == high[j] {
			return fmt.Errorf(
				"column %q is constant, want at least two different values; remove it", name)
		}
		if problem := OutOfRange(low[j], high[j]); problem != "" {
			return fmt.Errorf("column %q %s; give it in another unit", name, problem)
		}
	}
	return nil
}

// OutOfRange says what keeps a column whose values go from low to high from an analysis, as the end
// of a sentence about it; "" means nothing does. A constant column is in range.
func OutOfRange(low, high float64) string {
	switch {
	case !(max(math.Abs(low), math.Abs(high)) <= dataset.Largest):
		return fmt.Sprintf("has values of magnitude %.2g; allowed: magnitudes up to %g",
			max(math.Abs(low), math.Abs(high)), dataset.Largest)
	case low < high && high-low < 1/dataset.Largest:
		return fmt.Sprintf(
			"has values that differ by %.2g at most; allowed: differences from %g on", high-low,
			1/dataset.Largest)
	}
	return ""
}
