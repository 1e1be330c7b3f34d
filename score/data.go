package score

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A ConstantColumnError says that a column does not vary in the rows in which it
// was not set by intervention, so that it cannot be standardised.
type ConstantColumnError struct{ Column int }

func (e *ConstantColumnError) Error() string {
	return fmt.Sprintf("score: column %d is constant, want at least two different values to standardise it", e.Column+1)
}

// A table is checked data by column, with the rows that count for each variable.
type table struct {
	n, d   int
	column [][]float64 // d columns of n numbers
	groups []rowGroup
	of     []int // index of a variable's group
}

// A rowGroup is a set of variables observed, not set, in the same rows.
type rowGroup struct {
	children []int
	rows     []int // ascending
}

// newTable checks and copies data x, n×d, and intervened, nil or n×d of 0 and 1.
func newTable(model string, x, intervened mat.Matrix) (*table, error) {
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("score: %s: got %d rows of %d variables, want at least one of each", model, n, d)
	}
	t := &table{n: n, d: d, column: make([][]float64, d), of: make([]int, d)}
	for j := range d {
		t.column[j] = mat.Col(nil, j, x)
		for i, v := range t.column[j] {
			if math.IsNaN(v) || math.Abs(v) > 1e150 { // squares must be finite too
				return nil, fmt.Errorf("score: %s: row %d, column %d is %v, want a finite number of magnitude up to 1e150", model, i+1, j+1, v)
			}
		}
	}
	if intervened != nil {
		if r, c := intervened.Dims(); r != n || c != d {
			return nil, fmt.Errorf("score: %s: mask of interventions is %d×%d, want %d×%d as the data", model, r, c, n, d)
		}
	}
	if intervened == nil {
		t.groups = []rowGroup{{children: make([]int, d), rows: make([]int, n)}}
		for j := range d {
			t.groups[0].children[j] = j
		}
		for i := range n {
			t.groups[0].rows[i] = i
		}
		return t, nil
	}
	index := map[string]int{}
	key := make([]byte, n)
	for j := range d {
		var rows []int
		for i := range n {
			switch v := intervened.At(i, j); v {
			case 0:
				key[i] = 0
				rows = append(rows, i)
			case 1:
				key[i] = 1
			default:
				return nil, fmt.Errorf("score: %s: mask of interventions in row %d, column %d is %v, want 0 or 1", model, i+1, j+1, v)
			}
		}
		g, ok := index[string(key)]
		if !ok {
			g = len(t.groups)
			index[string(key)] = g
			t.groups = append(t.groups, rowGroup{rows: rows})
		}
		t.groups[g].children = append(t.groups[g].children, j)
		t.of[j] = g
	}
	return t, nil
}

// rowsOf are the rows in which variable j was not set.
func (t *table) rowsOf(j int) []int { return t.groups[t.of[j]].rows }

// moments are centre and standard deviation (divisor n−1) of column j over the
// rows in which it was not set, or over all rows if those are fewer than two.
func (t *table) moments(j int) (centre, sd float64, err error) {
	rows := t.rowsOf(j)
	var v []float64
	if len(rows) < 2 {
		v = append(v, t.column[j]...)
	} else {
		v = pick(nil, t.column[j], rows)
	}
	if floats.Min(v) == floats.Max(v) {
		return 0, 0, &ConstantColumnError{Column: j}
	}
	centre = mean(v)
	floats.AddConst(-centre, v)
	largest := max(floats.Max(v), -floats.Min(v))
	floats.Scale(1/largest, v) // keeps the squares from under- and overflow
	return centre, largest * math.Sqrt(floats.Dot(v, v)/float64(len(v)-1)), nil
}

// allMoments are those of every column.
func (t *table) allMoments() (centre, sd []float64, err error) {
	centre, sd = make([]float64, t.d), make([]float64, t.d)
	for j := range t.d {
		if centre[j], sd[j], err = t.moments(j); err != nil {
			return nil, nil, err
		}
	}
	return centre, sd, nil
}

// standardise replaces every column by (x − centre)/sd and returns both. Whatever
// the columns were multiplied with and shifted by, the result is the same.
func (t *table) standardise() (centre, sd []float64, err error) {
	if centre, sd, err = t.allMoments(); err == nil {
		t.rescale(centre, sd)
	}
	return centre, sd, err
}

// rescale replaces every column by (x − centre)/scale.
func (t *table) rescale(centre, scale []float64) {
	for j, column := range t.column {
		for i := range column {
			column[i] = (column[i] - centre[j]) / scale[j]
		}
	}
}

// A gram holds the first two moments of the rows of one group.
type gram struct {
	n       int
	mean    []float64 // d
	scatter []float64 // d×d, Σ (x − mean)(x − mean)ᵀ
}

// gram computes the moments of all columns over the rows of group g. Where all
// variables have all rows it centres the columns of the table, which is of no use
// afterwards: a copy of a large one would take as much memory again.
func (t *table) gram(g int) gram {
	rows := t.groups[g].rows
	m := gram{n: len(rows), mean: make([]float64, t.d), scatter: make([]float64, t.d*t.d)}
	if len(rows) == 0 {
		return m
	}
	centred := make([][]float64, t.d)
	for j := range t.d {
		if centred[j] = t.column[j]; len(t.groups) > 1 || len(rows) < t.n {
			centred[j] = pick(nil, t.column[j], rows)
		}
		m.mean[j] = mean(centred[j])
		floats.AddConst(-m.mean[j], centred[j])
		for i := range j + 1 {
			v := floats.Dot(centred[i], centred[j])
			m.scatter[i*t.d+j], m.scatter[j*t.d+i] = v, v
		}
	}
	return m
}

// pick appends the elements of v with the given indices to dst.
func pick(dst, v []float64, rows []int) []float64 {
	dst = slices.Grow(dst, len(rows))
	for _, i := range rows {
		dst = append(dst, v[i])
	}
	return dst
}

// mean is the arithmetic mean, corrected once for rounding: a shift of all
// numbers shifts it to the last digits.
func mean(v []float64) float64 {
	n := float64(len(v))
	first := 0.0
	for _, x := range v {
		first += x / n
	}
	rest := 0.0
	for _, x := range v {
		rest += x - first
	}
	return first + rest/n
}

// checkParents panics unless parents are ascending variables other than j.
func checkParents(d, j int, parents []int) {
	if j < 0 || j >= d {
		panic(fmt.Sprintf("score: variable %d of %d", j, d))
	}
	for k, i := range parents {
		if i < 0 || i >= d || i == j || k > 0 && i <= parents[k-1] {
			panic(fmt.Sprintf("score: parents %v of variable %d of %d, want other variables in ascending sequence", parents, j, d))
		}
	}
}
