package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"codeberg.org/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/memory"
	"tobac/internal/numpy"
)

// ReadNPY reads a two-dimensional NumPy array of numbers, rows × columns, as a table with columns X0, X1, …; source names r in errors. Floating-point
// numbers of 4 and 8 bytes, integers of every size and truth values (as 0 and 1) are read, in both byte and both memory orders. Integers beyond ±2⁵³ are rounded to float64.
//
// Errors: anything that is no such array, an array without rows or columns, a file shorter than its header says, NaN and infinities.
func ReadNPY(r io.Reader, source string) (*Table, error) {
	data, err := memory.ReadAll(r, 2)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	x, err := parseNPY(data, false)
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

// ReadArrayNPY reads a NumPy array of numbers in one dimension, as a column, or two, rows × columns; source names r in errors. It is [ReadNPY] without names, and for any
// numbers, NaN and infinities included.
func ReadArrayNPY(r io.Reader, source string) (*mat.Dense, error) {
	data, err := memory.ReadAll(r, 2)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	x, err := parseNPY(data, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return x, nil
}

// parseNPY reads a matrix, or also a vector as a column.
func parseNPY(data []byte, vectors bool) (*mat.Dense, error) {
	body := bytes.NewReader(data)
	r, err := npyHeader(data, body)
	if err != nil {
		return nil, err
	}
	descr := r.Header.Descr
	descr.Type = strings.Trim(descr.Type, "'")
	kind, known := npyTypes[strings.TrimLeft(descr.Type, "<>|=")]
	if !known {
		return nil, fmt.Errorf("NumPy type %q; allowed: %s", descr.Type, strings.Join(slices.Sorted(maps.Keys(npyTypes)), ", "))
	}
	r.Header.Descr.Type = "'" + descr.Type + "'" // package npy reads it once more, and panics on further quotes
	if vectors && len(descr.Shape) == 1 {
		descr.Shape = []int{descr.Shape[0], 1}
	}
	if len(descr.Shape) != 2 || min(descr.Shape[0], descr.Shape[1]) < 1 {
		return nil, fmt.Errorf("NumPy array of shape %v; allowed: two dimensions, rows and columns, at least one of each", descr.Shape)
	}
	n, d := descr.Shape[0], descr.Shape[1]
	// Divisions, because a product of sizes from a faulty header may overflow.
	if left := body.Len(); n > left/kind.size/d {
		return nil, fmt.Errorf("NumPy array of shape %v and type %q is cut short: %d bytes after the header", descr.Shape, descr.Type, left)
	}
	values, err := kind.read(r, n*d)
	if err != nil {
		return nil, err
	}
	if descr.Fortran {
		return mat.DenseCopyOf(mat.NewDense(d, n, values).T()), nil
	}
	return mat.NewDense(n, d, values), nil
}

// npyHeader reads the header from body, a reader of data. Package npy panics on some headers that are cut short or scrambled, and trusts the
// length, the number of braces and the shape in the others.
func npyHeader(data []byte, body io.Reader) (r *npy.Reader, err error) {
	defer func() {
		if recover() != nil {
			r, err = nil, errors.New("not a NumPy file: header is malformed")
		}
	}()
	if _, _, err = numpy.Header(data); err != nil {
		return nil, err
	}
	if r, err = npy.NewReader(body); err != nil {
		return nil, fmt.Errorf("not a NumPy file: %w", err)
	}
	return r, nil
}

// npyType is how to read one type of number.
type npyType struct {
	size int // bytes
	read func(r *npy.Reader, count int) ([]float64, error)
}

var npyTypes = map[string]npyType{
	"f4": {4, readNPY[float32]}, "f8": {8, readNPY[float64]},
	"i1": {1, readNPY[int8]}, "i2": {2, readNPY[int16]}, "i4": {4, readNPY[int32]}, "i8": {8, readNPY[int64]},
	"b1": {1, readBooleanNPY},
	"u1": {1, readNPY[uint8]}, "u2": {2, readNPY[uint16]}, "u4": {4, readNPY[uint32]}, "u8": {8, readNPY[uint64]},
}

func readNPY[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](r *npy.Reader, count int) ([]float64, error) {
	raw := make([]T, count)
	if err := r.Read(&raw); err != nil {
		return nil, err
	}
	values := make([]float64, count)
	for i, v := range raw {
		values[i] = float64(v)
	}
	return values, nil
}

func readBooleanNPY(r *npy.Reader, count int) ([]float64, error) {
	raw := make([]bool, count)
	if err := r.Read(&raw); err != nil {
		return nil, err
	}
	values := make([]float64, count)
	for i, v := range raw {
		if v {
			values[i] = 1
		}
	}
	return values, nil
}
