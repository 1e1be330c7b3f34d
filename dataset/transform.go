package dataset

import (
	"fmt"
	"math"

	"tobac/internal/ranks"

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
		x.SetCol(j, ranks.NormalScores(mat.Col(nil, j, t.X)))
	}
	return t.with(x), nil
}
