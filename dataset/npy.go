package dataset

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/numpy"
)

// ReadNPY reads a two-dimensional NumPy array of numbers, rows × columns, as a table with columns
// X0, X1, …; source names r in errors. Floating-point numbers of 2, 4 and 8 bytes, integers of
// every size and truth values (as 0 and 1) are read, in both byte and both memory orders. Integers
// beyond ±2⁵³ are rounded to float64.
//
// Errors: anything that is no such array, an array without rows or columns, a file shorter or
// longer than its header says, NaN and infinities.
func ReadNPY(r io.Reader, source string) (*Table, error) {
	x, err := parseNPY(r, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	_, d := x.Dims()
	t := &Table{Names: defaultNames(d), X: x}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return t, nil
}

// ReadArrayNPY reads a NumPy array of numbers in one dimension, as a column, or two, rows ×
// columns; source names r in errors. It is [ReadNPY] without names, and for any numbers, NaN and
// infinities included.
func ReadArrayNPY(r io.Reader, source string) (*mat.Dense, error) {
	x, err := parseNPY(r, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return x, nil
}

// parseNPY reads a matrix, or also a vector as a column.
func parseNPY(r io.Reader, vectors bool) (*mat.Dense, error) {
	a, err := numpy.Read(r)
	if err != nil {
		return nil, err
	}
	if !vectors && len(a.Shape) == 1 {
		return nil, fmt.Errorf("NumPy array of shape %v; allowed: two dimensions, rows and columns, at least one of each", a.Shape)
	}
	return a.Matrix()
}
