package scoring

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
	return fmt.Sprintf("score: column %d is constant, want at least two different values to "+
		"standardise it", e.Column+1)
}

// A table is checked data by column, with the rows that count for each variable.
type Table struct {
	N, D   int
	Column [][]float64 // d columns of n numbers
	Groups []RowGroup
	Of     []int // index of a variable's group
}

// A RowGroup is a set of variables observed, not set, in the same rows.
type RowGroup struct {
	Children []int
	Rows     []int // ascending
}

// NewTable checks and copies data x, n×d, and intervened, nil or n×d of 0 and 1.
func NewTable(model string, x, intervened mat.Matrix) (*Table, error) {
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("score: %s: got %d rows of %d variables, want at least one of each",
			model, n, d)
	}
	t := &Table{N: n, D: d, Column: make([][]float64, d)}
	for j := range d {
		t.Column[j] = mat.Col(nil, j, x)
		for i, v := range t.Column[j] {
			if math.IsNaN(v) || math.Abs(v) > 1e150 { // squares must be finite too
				return nil, fmt.Errorf("score: %s: row %d, column %d is %v, want a finite number "+
					"of magnitude up to 1e150", model, i+1, j+1, v)
			}
		}
	}
	var err error
	if t.Groups, t.Of, err = GroupRows(n, d, intervened); err != nil {
		return nil, fmt.Errorf("score: %s: %w", model, err)
	}
	return t, nil
}

// GroupRows collects the variables of n×d data that are observed in the same rows, and says of
// each which group it is in. intervened is nil or n×d with 1 where the entry was set.
func GroupRows(n, d int, intervened mat.Matrix) (groups []RowGroup, of []int, err error) {
	of = make([]int, d)
	if intervened == nil {
		all := RowGroup{Children: make([]int, d), Rows: make([]int, n)}
		for j := range d {
			all.Children[j] = j
		}
		for i := range n {
			all.Rows[i] = i
		}
		return []RowGroup{all}, of, nil
	}
	if r, c := intervened.Dims(); r != n || c != d {
		return nil, nil,
			fmt.Errorf("mask of interventions is %d×%d, want %d×%d as the data", r, c, n, d)
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
				return nil, nil,
					fmt.Errorf("mask of interventions in row %d, column %d is %v, want 0 or 1", i+1,
						j+1, v)
			}
		}
		g, ok := index[string(key)]
		if !ok {
			g = len(groups)
			index[string(key)] = g
			groups = append(groups, RowGroup{Rows: rows})
		}
		groups[g].Children = append(groups[g].Children, j)
		of[j] = g
	}
	return groups, of, nil
}

// RowsOf are the rows in which variable j was not set.
func (t *Table) RowsOf(j int) []int { return t.Groups[t.Of[j]].Rows }

// moments are centre and standard deviation (divisor n−1) of column j over the
// rows in which it was not set, or over all rows if those are fewer than two.
func (t *Table) moments(j int) (centre, sd float64, err error) {
	rows := t.RowsOf(j)
	var v []float64
	if len(rows) < 2 {
		v = append(v, t.Column[j]...)
	} else {
		v = Pick(nil, t.Column[j], rows)
	}
	if floats.Min(v) == floats.Max(v) {
		return 0, 0, &ConstantColumnError{Column: j}
	}
	centre = Mean(v)
	floats.AddConst(-centre, v)
	largest := max(floats.Max(v), -floats.Min(v))
	floats.Scale(1/largest, v) // keeps the squares from under- and overflow
	return centre, largest * math.Sqrt(floats.Dot(v, v)/float64(len(v)-1)), nil
}

// AllMoments are those of every column.
func (t *Table) AllMoments() (centre, sd []float64, err error) {
	centre, sd = make([]float64, t.D), make([]float64, t.D)
	for j := range t.D {
		if centre[j], sd[j], err = t.moments(j); err != nil {
			return nil, nil, err
		}
	}
	return centre, sd, nil
}

// Standardise replaces every column by (x − centre)/sd and returns both. Whatever
// the columns were multiplied with and shifted by, the result is the same.
func (t *Table) Standardise() (centre, sd []float64, err error) {
	if centre, sd, err = t.AllMoments(); err == nil {
		t.Rescale(centre, sd)
	}
	return centre, sd, err
}

// Rescale replaces every column by (x − centre)/scale.
func (t *Table) Rescale(centre, scale []float64) {
	for j, column := range t.Column {
		for i := range column {
			column[i] = (column[i] - centre[j]) / scale[j]
		}
	}
}

// A gram holds the first two moments of the rows of one group.
type Gram struct {
	N       int
	Mean    []float64 // d
	Scatter []float64 // d×d, Σ (x − mean)(x − mean)ᵀ
}

// Gram computes the moments of all columns over the rows of group g. Where all
// variables have all rows it centres the columns of the table, which is of no use
// afterwards: a copy of a large one would take as much memory again.
func (t *Table) Gram(g int) Gram {
	rows := t.Groups[g].Rows
	m := Gram{N: len(rows), Mean: make([]float64, t.D), Scatter: make([]float64, t.D*t.D)}
	if len(rows) == 0 {
		return m
	}
	centred := make([][]float64, t.D)
	for j := range t.D {
		if centred[j] = t.Column[j]; len(t.Groups) > 1 || len(rows) < t.N {
			centred[j] = Pick(nil, t.Column[j], rows)
		}
		m.Mean[j] = Mean(centred[j])
		floats.AddConst(-m.Mean[j], centred[j])
		for i := range j + 1 {
			v := floats.Dot(centred[i], centred[j])
			m.Scatter[i*t.D+j], m.Scatter[j*t.D+i] = v, v
		}
	}
	return m
}

// Pick appends the elements of v with the given indices to dst.
func Pick[T any](dst, v []T, rows []int) []T {
	dst = slices.Grow(dst, len(rows))
	for _, i := range rows {
		dst = append(dst, v[i])
	}
	return dst
}

// Mean is the arithmetic mean, corrected once for rounding: a shift of all
// numbers shifts it to the last digits.
func Mean(v []float64) float64 {
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

// CheckParents panics unless parents are ascending variables other than j.
func CheckParents(d, j int, parents []int) {
	if j < 0 || j >= d {
		panic(fmt.Sprintf("score: variable %d of %d", j, d))
	}
	for k, i := range parents {
		if i < 0 || i >= d || i == j || k > 0 && i <= parents[k-1] {
			panic(fmt.Sprintf("score: parents %v of variable %d of %d, want other variables in "+
				"ascending sequence", parents, j, d))
		}
	}
}

// NormalWishart gives zero hyperparameters of the score BGe on d variables their defaults, α_μ = 1
// and α_λ = d+2, refuses those without a density, and returns t = α_μ(α_λ−d−1)/(α_μ+1).
func NormalWishart(d int, alphaMu, alphaLambda *float64) (t float64, err error) {
	if *alphaMu == 0 {
		*alphaMu = 1
	}
	if *alphaLambda == 0 {
		*alphaLambda = float64(d + 2)
	}
	mu, lambda := *alphaMu, *alphaLambda
	if !(mu > 0) || !(lambda > float64(d+1)) || math.IsInf(mu+lambda, 0) {
		return 0, fmt.Errorf("alpha mu %v and alpha lambda %v on %d variables, want alpha mu > 0 "+
			"and alpha lambda > %d", mu, lambda, d, d+1)
	}
	return mu * (lambda - float64(d) - 1) / (mu + 1), nil
}
