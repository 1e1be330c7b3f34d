package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"tobac/dag"
	"tobac/internal/delimited"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Table is n observations of d variables.
type Table struct {
	Names []string   // d distinct names, none blank
	X     *mat.Dense // n×d, all finite
	// Intervened is n×d, 1 where a value was set by intervention and 0 where the
	// system produced it. nil means no interventions.
	Intervened *mat.Dense
	// Variables are the kinds of the columns, nil if all are [Real].
	Variables []Variable
}

// Validate returns nil if the table has at least one row and one column, a distinct name for each
// column, only finite numbers, and 0 or 1 for each of them in Intervened, unless that is nil.
func (t *Table) Validate() error {
	if err := t.check(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

func (t *Table) check() error {
	if t == nil || t.X == nil || t.X.IsEmpty() {
		return errors.New("table has no numbers")
	}
	n, d := t.X.Dims()
	if len(t.Names) != d {
		return fmt.Errorf("table has %d names for %d columns", len(t.Names), d)
	}
	if err := checkNames(t.Names); err != nil {
		return err
	}
	for i := range n {
		for j, v := range t.X.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %q is %v, want a finite number", i+1, t.Names[j],
					v)
			}
		}
	}
	if err := t.checkVariables(); err != nil {
		return err
	}
	return t.checkIntervened()
}

func checkNames(names []string) error {
	first := make(map[string]int, len(names))
	for j, name := range names {
		switch before, taken := first[name]; {
		case strings.TrimSpace(name) == "":
			return fmt.Errorf("column %d has no name", j+1)
		case !utf8.ValidString(name):
			return fmt.Errorf("name %q of column %d is not UTF-8", name, j+1)
		case taken:
			return fmt.Errorf("columns %d and %d are both named %s", before+1, j+1,
				delimited.Excerpt(name))
		}
		first[name] = j
	}
	return nil
}

// defaultNames returns X0, …, X{d−1}.
func defaultNames(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("X%d", j)
	}
	return names
}

// Moments returns the mean and the population standard deviation (divisor n) of every column. It
// panics if the table is not valid.
func (t *Table) Moments() (mean, sd []float64) {
	if err := t.Validate(); err != nil {
		panic(err.Error())
	}
	return t.moments()
}

func (t *Table) moments() (mean, sd []float64) {
	n, d := t.X.Dims()
	mean, sd = make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		mean[j], sd[j] = stat.PopMeanStdDev(mat.Col(column, j, t.X), nil)
	}
	return mean, sd
}

// Standardize returns the table with each column shifted to mean 0 and scaled to population
// standard deviation 1; [Table.Moments] of the original has what was subtracted and divided by. A
// constant column and a column whose spread float64 cannot hold are errors.
func (t *Table) Standardize() (*Table, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := t.asNumbers("standard units"); err != nil {
		return nil, err
	}
	mean, sd := t.moments()
	n, d := t.X.Dims()
	z := mat.NewDense(n, d, nil)
	for j, name := range t.Names {
		if column := mat.Col(nil, j, t.X); constant(column) {
			return nil, fmt.Errorf("dataset: column %s cannot be standardised: all %d values are "+
				"%v, want at least two different ones", delimited.Excerpt(name), n, column[0])
		}
		if !(sd[j] > 0) || math.IsInf(sd[j], 0) || math.IsInf(mean[j], 0) {
			return nil, fmt.Errorf("dataset: column %s cannot be standardised: mean %v, standard "+
				"deviation %v, want finite ones, the latter above 0", delimited.Excerpt(name),
				mean[j], sd[j])
		}
		for i := range n {
			z.Set(i, j, (t.X.At(i, j)-mean[j])/sd[j])
		}
	}
	return t.with(z), nil
}

func constant(column []float64) bool {
	for _, v := range column {
		if v != column[0] {
			return false
		}
	}
	return true
}

// Select returns the table with the named columns only, in the sequence of names. No name, a name
// without a column and a repeated name are errors.
func (t *Table) Select(names []string) (*Table, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("dataset: no column selected; allowed: %s",
			delimited.Excerpts(t.Names))
	}
	index := make(map[string]int, len(t.Names))
	for j, name := range t.Names {
		index[name] = j
	}
	columns := make([]int, len(names))
	for a, name := range names {
		j, known := index[name]
		if !known {
			return nil, fmt.Errorf("dataset: no column is named %s; allowed: %s",
				delimited.Excerpt(name), delimited.Excerpts(t.Names))
		}
		columns[a] = j
	}
	if err := checkNames(names); err != nil {
		return nil, fmt.Errorf("dataset: selection: %w", err)
	}
	return t.columns(columns), nil
}

// Relabel returns the table whose column a is column order[a] of t, the counterpart of
// [dag.Graph.Relabel]. It panics if order is not a permutation of the columns.
func (t *Table) Relabel(order []int) *Table {
	if len(order) != len(t.Names) {
		panic(fmt.Sprintf("dataset: order of %d columns for a table with %d", len(order),
			len(t.Names)))
	}
	dag.Inverse(order) // panics unless order is a permutation
	return t.columns(order)
}

// columns returns the table of the given columns of t.
func (t *Table) columns(columns []int) *Table {
	n, _ := t.X.Dims()
	u := &Table{Names: make([]string, len(columns)), X: mat.NewDense(n, len(columns), nil)}
	if t.Intervened != nil {
		u.Intervened = mat.NewDense(n, len(columns), nil)
	}
	for a, j := range columns {
		u.Names[a] = t.Names[j]
		if t.Variables != nil {
			u.Variables = append(u.Variables, t.Variables[j])
		}
		u.X.SetCol(a, mat.Col(nil, j, t.X))
		if t.Intervened != nil {
			u.Intervened.SetCol(a, mat.Col(nil, j, t.Intervened))
		}
	}
	return u
}

// Rows returns the table of the given rows of t, counted from 0, in that sequence. There is at
// least one, and one that is named twice is there twice. It does not check the numbers, so that a
// table with missing values (NaN) has rows too.
func (t *Table) Rows(rows []int) *Table {
	_, d := t.X.Dims()
	u := &Table{Names: slices.Clone(t.Names), X: mat.NewDense(len(rows), d, nil),
		Variables: slices.Clone(t.Variables)}
	if t.Intervened != nil {
		u.Intervened = mat.NewDense(len(rows), d, nil)
	}
	for a, i := range rows {
		u.X.SetRow(a, t.X.RawRowView(i))
		if t.Intervened != nil {
			u.Intervened.SetRow(a, t.Intervened.RawRowView(i))
		}
	}
	return u
}

// with returns the table with other numbers in the place of X, whose kind is [Real].
func (t *Table) with(x *mat.Dense) *Table {
	u := &Table{Names: slices.Clone(t.Names), X: x}
	if t.Intervened != nil {
		u.Intervened = mat.DenseCopyOf(t.Intervened)
	}
	return u
}

// Largest is the greatest absolute value of a column that an analysis takes, and 1/Largest the
// least difference between its greatest and its smallest value. Sums of fourth powers then stay
// within float64.
const Largest = 1e50

// Digest is the SHA-256, in hexadecimal, of the names and of all bits of the numbers of x, n×d.
func Digest(names []string, x mat.Matrix) string {
	h := sha256.New() // its Write never fails
	for _, name := range names {
		fmt.Fprintf(h, "%q,", name)
	}
	n, d := x.Dims()
	fmt.Fprintf(h, "%d×%d:", n, d)
	row := make([]byte, 0, 8*d)
	for i := range n {
		row = row[:0]
		for j := range d {
			row = binary.LittleEndian.AppendUint64(row, math.Float64bits(x.At(i, j)))
		}
		h.Write(row)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Split permutes the n rows at random; the first int((1−fraction)·n) become train and the others
// heldout: with fraction 0.1, 853 rows give 767 and 86. The product is meant in decimals: 0.9 of 10
// rows leaves one row for training although 1−0.9 falls short of 0.1 in binary. A fraction that is
// not between 0 and 1, or leaves either part empty, is an error.
func (t *Table) Split(fraction float64, rng *rand.Rand) (train, heldout *Table, err error) {
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	if !(fraction > 0 && fraction < 1) {
		return nil, nil,
			fmt.Errorf("dataset: held-out fraction %v; allowed: numbers above 0 and below 1",
				fraction)
	}
	n, _ := t.X.Dims()
	size := trainSize(n, fraction)
	if size == 0 || size == n {
		return nil, nil, fmt.Errorf("dataset: held-out fraction %v of %d rows leaves %d for "+
			"training and %d held out, want at least one of each", fraction, n, size, n-size)
	}
	order := rng.Perm(n)
	return t.Rows(order[:size]), t.Rows(order[size:]), nil
}

// trainSize is int((1−fraction)·n), rounded up if only rounding errors separate the product from
// the next integer.
func trainSize(n int, fraction float64) int {
	// thousands of times the rounding errors, and far below the steps of 1/n between products that
	// differ
	const slack = 1e-12
	return int(math.Floor((1 - fraction + slack) * float64(n)))
}
