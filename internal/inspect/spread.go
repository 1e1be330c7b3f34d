package inspect

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"tobac/dataset"

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
		keys := make([]float64, n) // where in its cell a row is put; turned with the sign of the column
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
