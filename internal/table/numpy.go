package table

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/memory"
	"tobac/internal/numpy"
)

// readArray reads a NumPy array of one or two dimensions.
func readArray(r io.Reader, name string, layout Layout) (*Table, error) {
	a, err := numpy.Read(r)
	var x *mat.Dense
	if err == nil {
		x, err = a.Matrix()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fromMatrix(x, name, "NumPy array", arrayLayout, layout.Skip), nil
}

// fromMatrix is the table of a matrix without names.
func fromMatrix(x *mat.Dense, name, format string, takes []string, skip int) *Table {
	n, d := x.Dims()
	skip = min(skip, n)
	t := &Table{Source: name, Format: format, Rows: n - skip, unit: "row", takes: takes}
	for j := range d {
		t.Columns = append(t.Columns, numbersColumn("", j+1, mat.Col(nil, j, x)[skip:]))
	}
	return t
}

// numbersColumn is a column of numbers, of which NaN are missing, and infinities texts.
func numbersColumn(name string, position int, values []float64) *Column {
	c := &Column{Name: name, Position: position}
	if !slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) }) {
		c.set(values)
		return c
	}
	for i, v := range values {
		c.addFloat(v, i+1)
	}
	return c
}

// addFloat adds a number that may be NaN or infinite.
func (c *Column) addFloat(v float64, row int) {
	if math.IsInf(v, 0) {
		c.addText([]byte(spelled(v)), row)
		return
	}
	c.addNumber(v)
}

// An array is one of those in a file of several.
type array struct {
	key string
	x   *mat.Dense // nil for texts and others
	// texts of an array in one dimension
	texts []string
	why   error // there are neither
}

// readArchive reads a file of several NumPy arrays: a single matrix, the one that --sheet names, or
// vectors of the same length, which are the columns. An array of texts with one for each column
// holds their names.
func readArchive(z *zip.Reader, name string, layout Layout) (*Table, error) {
	var matrices, vectors, words []array
	var keys, without []string
	for _, f := range z.File {
		if !isArray(f) {
			continue
		}
		key := strings.TrimSuffix(f.Name, ".npy")
		keys = append(keys, key)
		a, err := openArray(f, key)
		if err != nil {
			return nil, &FormatError{name, "array " + short(key) + ": " + err.Error()}
		}
		switch {
		case a.x != nil && layout.Sheet == key:
			matrices, vectors = []array{a}, nil
		case a.texts != nil:
			words = append(words, a)
		case a.x == nil:
			without = append(without, fmt.Sprintf("array %s is left out: %v", short(key), a.why))
		case layout.Sheet != "":
		case a.isVector():
			vectors = append(vectors, a)
		default:
			matrices = append(matrices, a)
		}
		if layout.Sheet == key && a.x == nil {
			return nil, &FormatError{name,
				fmt.Sprintf("array %s is not a table of numbers", short(key))}
		}
	}
	if layout.Sheet != "" && (len(matrices) != 1 || matrices[0].key != layout.Sheet) {
		return nil, &OptionError{"sheet",
			fmt.Sprintf("%s has no array %s; allowed: %s", name, short(layout.Sheet), listed(keys))}
	}
	switch {
	case len(matrices) > 1:
		var all []string
		for _, a := range matrices {
			all = append(all, a.key)
		}
		return nil, &FormatError{name,
			fmt.Sprintf("holds %d tables (%s); data.sheet chooses one", len(all), listed(all))}
	case len(matrices) == 1:
		t := fromMatrix(matrices[0].x, name, "NumPy array "+short(matrices[0].key), archiveLayout,
			layout.Skip)
		t.nameBy(words)
		t.Warnings = append(t.Warnings, without...)
		return t, nil
	case len(vectors) > 0 || len(words) > 0:
		t, err := fromVectors(append(vectors, words...), keys, name, layout.Skip)
		if err == nil {
			t.Warnings = append(t.Warnings, without...)
		}
		return t, err
	}
	return nil, &FormatError{name,
		strings.Join(append([]string{"holds no array of numbers"},
			without[:min(1, len(without))]...), "; ")}
}

// isArray reports whether a file of an archive is a NumPy array.
func isArray(f *zip.File) bool {
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer r.Close() // only read
	begin := make([]byte, 6)
	_, err = io.ReadFull(r, begin)
	return err == nil && string(begin) == "\x93NUMPY"
}

func (a *array) isVector() bool {
	_, d := a.x.Dims()
	return d == 1
}

// nameBy takes the names of the columns from the array of texts that has one for each.
func (t *Table) nameBy(words []array) {
	for _, w := range words {
		if len(w.texts) == len(t.Columns) {
			for j, c := range t.Columns {
				c.Name = strings.TrimSpace(w.texts[j])
			}
			t.note("the names of the columns are those in the array %s", short(w.key))
			return
		}
	}
}

// fromVectors is the table whose columns are vectors.
func fromVectors(vectors []array, keys []string, name string, skip int) (*Table, error) {
	slices.SortStableFunc(vectors, func(a, b array) int {
		return slices.Index(keys, a.key) - slices.Index(keys, b.key)
	})
	t := &Table{Source: name, Format: "NumPy file of an array for each column", unit: "row",
		takes: archiveLayout}
	for j, v := range vectors {
		n := len(v.texts)
		if v.x != nil {
			n, _ = v.x.Dims()
		}
		if j == 0 {
			t.Rows = n
		}
		if n != t.Rows {
			return nil, &FormatError{name, fmt.Sprintf("arrays %s and %s have %d and %d values; "+
				"allowed: a matrix, or vectors of one length", short(vectors[0].key), short(v.key),
				t.Rows, n)}
		}
		if v.x != nil {
			t.Columns = append(t.Columns,
				numbersColumn(v.key, j+1, mat.Col(nil, 0, v.x)[min(skip, n):]))
			continue
		}
		c := &Column{Name: v.key, Position: j + 1}
		for i, text := range v.texts[min(skip, n):] {
			c.addText([]byte(text), i+1)
		}
		t.Columns = append(t.Columns, c)
	}
	t.Rows -= min(skip, t.Rows)
	return t, nil
}

// openArray reads an array: numbers in one or two dimensions, or texts in one.
func openArray(f *zip.File, key string) (a array, err error) {
	a.key = key
	r, err := openPart(f)
	if err != nil {
		return a, err
	}
	defer r.Close() // only read
	content, err := numpy.Read(r)
	switch {
	case errors.As(err, new(*memory.SizeError)):
		return a, err
	case err != nil:
		a.why = err
	case content.Texts != nil && len(content.Shape) == 1:
		a.texts = content.Texts
	default:
		a.x, a.why = content.Matrix()
	}
	return a, nil
}
