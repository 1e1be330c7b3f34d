package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// blockRows is the number of rows whose products are summed at a time: enough
// for a long inner product, few enough that d = 1,000 columns stay near 8 MB.
const blockRows = 1024

// smallestNormal is the smallest positive float64 with full precision.
const smallestNormal = 0x1p-1022

// column summarises one column of the data.
type column struct {
	mean     float64
	constant bool // all values are equal
}

// summarise checks the shape of x and that its values are finite, and returns
// one column each. It fails if x is nil, d = 0 or n = 0, or with a
// [ColumnError] for the first value, row by row, that is NaN or infinite.
func summarise(w *work, x mat.Matrix) ([]column, error) {
	if x == nil {
		return nil, fmt.Errorf("ordering: no data: nil matrix")
	}
	n, d := x.Dims()
	if d == 0 {
		return nil, fmt.Errorf("ordering: no data: %d rows of 0 columns", n)
	}
	if n == 0 {
		return nil, fmt.Errorf("ordering: %w: 0 rows of %d columns", ErrTooFewRows, d)
	}

	columns := make([]column, d)
	first := mat.Row(nil, 0, x)
	row := make([]float64, d)
	for j := range columns {
		columns[j].constant = true
	}
	for i := range n {
		if i%blockRows == 0 && w.done() {
			return nil, w.err
		}
		mat.Row(row, i, x)
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &ColumnError{Column: j, Row: i, Err: errNotFinite,
					Detail: fmt.Sprint(v)}
			}
			columns[j].mean += v
			columns[j].constant = columns[j].constant && v == first[j]
		}
	}
	for j := range columns {
		columns[j].mean /= float64(n)
	}
	// Rounding of the sum leaves an error in the mean that grows with n; the
	// mean of the centred values removes it.
	correction := make([]float64, d)
	for i := range n {
		mat.Row(row, i, x)
		for j, v := range row {
			correction[j] += v - columns[j].mean
		}
	}
	for j := range columns {
		columns[j].mean += correction[j] / float64(n)
	}
	return columns, nil
}

// columnsForOrder checks x for an estimator that needs the given number of rows
// for two columns or more. For one column it returns the finished result.
func columnsForOrder(w *work, x mat.Matrix, method string, least func(d int) int) (columns []column,
	single *Result, err error) {
	if columns, err = summarise(w, x); err != nil {
		return nil, nil, err
	}
	n, d := x.Dims()
	switch {
	case d == 1:
		return nil, singleton(method), nil
	case n < least(d):
		return nil, nil, tooFewRows(method, n, d, least(d))
	}
	return columns, nil, nil
}

// rowsAtLeast is a number of rows that does not depend on that of the columns.
func rowsAtLeast(n int) func(d int) int { return func(int) int { return n } }

// centredBlocks calls visit with the centred rows of x, transposed, in blocks
// of at most blockRows: row j of a block holds column j. The block is reused.
func centredBlocks(w *work, x mat.Matrix, columns []column, visit func(block blas64.General)) {
	n, d := x.Dims()
	stride := min(n, blockRows)
	block := blas64.General{Rows: d, Stride: stride, Data: make([]float64, d*stride)}
	row := make([]float64, d)
	for start := 0; start < n && !w.done(); start += blockRows {
		block.Cols = min(blockRows, n-start)
		for i := range block.Cols {
			mat.Row(row, start+i, x)
			for j, v := range row {
				block.Data[j*stride+i] = v - columns[j].mean
			}
		}
		visit(block)
	}
}

// variances returns the sample variance (divisor n−1) of every column, 0 for a
// constant one.
func variances(w *work, x mat.Matrix, columns []column) []float64 {
	n, d := x.Dims()
	v := make([]float64, d)
	centredBlocks(w, x, columns, func(block blas64.General) {
		for j := range v {
			c := blas64.Vector{N: block.Cols, Inc: 1, Data: block.Data[j*block.Stride:]}
			v[j] += blas64.Dot(c, c)
		}
	})
	for j := range v {
		v[j] /= float64(n - 1)
		if columns[j].constant {
			v[j] = 0 // the rounded mean may differ from the constant
		}
	}
	return v
}

// covariance returns the sample covariance (divisor n−1), d×d, both triangles
// filled.
func covariance(w *work, x mat.Matrix, columns []column) blas64.General {
	n, d := x.Dims()
	c := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	centredBlocks(w, x, columns, func(block blas64.General) {
		w.square(block, c)
	})
	for i := range d {
		for j := i; j < d; j++ {
			c.Data[i*d+j] /= float64(n - 1)
			c.Data[j*d+i] = c.Data[i*d+j]
		}
	}
	return c
}

// checkScale returns an error for a column that varies but whose variance v is
// not a normal positive float64.
func checkScale(j int, v float64) error {
	if v >= smallestNormal && v <= math.MaxFloat64 {
		return nil
	}
	return &ColumnError{Column: j, Row: -1, Err: errScale,
		Detail: fmt.Sprintf("%g, want %g to %g; multiply all data by one constant", v,
			smallestNormal, math.MaxFloat64)}
}

// checkScales calls checkScale for every column that varies.
func checkScales(v []float64, columns []column) error {
	for j, c := range columns {
		if c.constant {
			continue
		}
		if err := checkScale(j, v[j]); err != nil {
			return err
		}
	}
	return nil
}

// checkVaries returns an error for the first constant column.
func checkVaries(x mat.Matrix, columns []column) error {
	for j, c := range columns {
		if c.constant {
			return &ColumnError{Column: j, Row: -1, Err: errConstant,
				Detail: fmt.Sprintf("every row is %g; remove the column or use another estimator",
					x.At(0, j))}
		}
	}
	return nil
}

// warnOfScale adds the warnings that the marginal variances v raise by themselves:
// columns that are constant, and variances all within 5 per cent of the
// smallest. It needs at least two columns.
func (r *Result) warnOfScale(v []float64, columns []column) {
	lo, hi := v[0], v[0]
	for j, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
		if columns[j].constant {
			r.warn(Warning{kind: warningConstant, Columns: []int{j}, Position: -1})
		}
	}
	if lo > 0 && hi <= 1.05*lo {
		r.warn(Warning{kind: warningStandardised, Position: -1, Values: []float64{lo, hi}})
	}
}

// indices returns 0, 1, …, d−1.
func indices(d int) []int {
	all := make([]int, d)
	for j := range all {
		all[j] = j
	}
	return all
}

// without returns the columns but j, in a new slice.
func without(columns []int, j int) []int {
	out := make([]int, 0, len(columns))
	for _, k := range columns {
		if k != j {
			out = append(out, k)
		}
	}
	return out
}
