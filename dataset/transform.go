package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Log returns the table of the natural logarithms. A number that is not positive
// is an error.
func (t *Table) Log() (*Table, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := t.asNumbers("logarithms"); err != nil {
		return nil, err
	}
	n, d := t.X.Dims()
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j, v := range t.X.RawRowView(i) {
			if v <= 0 {
				return nil, fmt.Errorf("dataset: row %d, column %q is %v, want a number above 0, "+
					"which has a logarithm", i+1, t.Names[j], v)
			}
			x.Set(i, j, math.Log(v))
		}
	}
	return t.with(x), nil
}

// NormalScores returns the table whose entries are the normal quantiles of their
// ranks r = 1, …, n within the column,
//
//	Φ⁻¹((r − ½)/n),
//
// where equal numbers share the mean of their ranks. It depends on the sequence of
// the numbers of a column only: a strictly increasing function of a column
// changes nothing. A constant column becomes 0.
func (t *Table) NormalScores() (*Table, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := t.asNumbers("normal scores"); err != nil {
		return nil, err
	}
	n, d := t.X.Dims()
	x := mat.NewDense(n, d, nil)
	for j := range d {
		x.SetCol(j, ColumnNormalScores(mat.Col(nil, j, t.X)))
	}
	return t.with(x), nil
}

// ColumnNormalScores are the normal scores of one column, as of [Table.NormalScores].
func ColumnNormalScores(column []float64) []float64 {
	scores, n := Ranks(column), float64(len(column))
	for i, r := range scores {
		scores[i] = math.Sqrt2 * math.Erfinv((2*r-1-n)/n) // Φ⁻¹(p) = √2 erf⁻¹(2p − 1)
	}
	return scores
}

// Ranks returns the rank of every number, from 1, equal ones with their mean rank.
func Ranks(column []float64) []float64 {
	n := len(column)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	slices.SortFunc(index, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
	out := make([]float64, n)
	for first := 0; first < n; {
		last := first + 1
		for last < n && column[index[last]] == column[index[first]] {
			last++
		}
		for _, i := range index[first:last] {
			out[i] = float64(first+last+1) / 2 // of the ranks first+1, …, last
		}
		first = last
	}
	return out
}
