package table

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"codeberg.org/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/memory"
)

// readArray reads a NumPy array of one or two dimensions.
func readArray(r io.Reader, name string, layout Layout) (*Table, error) {
	x, err := dataset.ReadArrayNPY(r, name)
	if err != nil {
		return nil, err
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
	x   *mat.Dense // nil: of texts, or of something else
	// texts of an array in one dimension
	texts []string
	why   error // x and texts are nil
}

// largestArray bounds what is read of an array, against sizes that faulty archives state.
const largestArray = 1 << 33

// readArchive reads a file of several NumPy arrays: a single matrix, the one that --sheet names, or vectors of the same length, which are the columns. An array of
// texts with one for each column holds their names.
func readArchive(z *zip.Reader, name string, layout Layout) (*Table, error) {
	var matrices, vectors, words []array
	var keys []string
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
		case a.x == nil || layout.Sheet != "":
		case a.isVector():
			vectors = append(vectors, a)
		default:
			matrices = append(matrices, a)
		}
		if layout.Sheet == key && a.x == nil {
			return nil, &FormatError{name, fmt.Sprintf("array %s is no table of numbers", short(key))}
		}
	}
	if layout.Sheet != "" && (len(matrices) != 1 || matrices[0].key != layout.Sheet) {
		return nil, &OptionError{"sheet", fmt.Sprintf("%s has no array %s; allowed: %s", name, short(layout.Sheet), strings.Join(keys, ", "))}
	}
	switch {
	case len(matrices) > 1:
		var all []string
		for _, a := range matrices {
			all = append(all, a.key)
		}
		return nil, &FormatError{name, fmt.Sprintf("holds %d tables (%s); --sheet NAME chooses one", len(all), strings.Join(all, ", "))}
	case len(matrices) == 1:
		t := fromMatrix(matrices[0].x, name, "NumPy array "+short(matrices[0].key), archiveLayout, layout.Skip)
		t.nameBy(words)
		return t, nil
	case len(vectors) > 0 || len(words) > 0:
		return fromVectors(append(vectors, words...), keys, name, layout.Skip)
	}
	return nil, &FormatError{name, "holds no array of numbers"}
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
	slices.SortStableFunc(vectors, func(a, b array) int { return slices.Index(keys, a.key) - slices.Index(keys, b.key) })
	t := &Table{Source: name, Format: "NumPy file of an array for each column", unit: "row", takes: archiveLayout}
	for j, v := range vectors {
		n := len(v.texts)
		if v.x != nil {
			n, _ = v.x.Dims()
		}
		if j == 0 {
			t.Rows = n
		}
		if n != t.Rows {
			return nil, &FormatError{name, fmt.Sprintf("arrays %s and %s have %d and %d values; allowed: a matrix, or vectors of one length", short(vectors[0].key), short(v.key), t.Rows, n)}
		}
		if v.x != nil {
			t.Columns = append(t.Columns, numbersColumn(v.key, j+1, mat.Col(nil, 0, v.x)[min(skip, n):]))
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
	r, err := f.Open()
	if err != nil {
		return a, err
	}
	defer r.Close() // only read
	data, err := memory.ReadAll(io.LimitReader(r, largestArray), 2)
	if err != nil {
		return a, err
	}
	if a.texts = textArray(data); a.texts != nil {
		return a, nil
	}
	if a.x, err = dataset.ReadArrayNPY(bytes.NewReader(data), key); err != nil {
		a.x, a.why = nil, err // of another type or shape: nobody asked for it yet
	}
	return a, nil
}

// textArray reads an array of texts of fixed length in one dimension; nil if data is none.
func textArray(data []byte) (texts []string) {
	defer func() {
		if recover() != nil { // package npy panics on some faulty headers
			texts = nil
		}
	}()
	if len(data) >= 12 && data[6] > 1 && uint64(binary.LittleEndian.Uint32(data[8:12])) > uint64(len(data)) {
		return nil
	}
	body := bytes.NewReader(data)
	r, err := npy.NewReader(body)
	if err != nil || len(r.Header.Descr.Shape) != 1 {
		return nil
	}
	kind := strings.Trim(r.Header.Descr.Type, "'")
	var length int
	if _, err := fmt.Sscanf(strings.TrimLeft(kind, "<>|=")+" ", "U%d ", &length); err != nil {
		if _, err := fmt.Sscanf(strings.TrimLeft(kind, "<>|=")+" ", "S%d ", &length); err != nil {
			return nil
		}
		return fixedTexts(data[len(data)-body.Len():], r.Header.Descr.Shape[0], length, func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) })
	}
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(kind, ">") {
		order = binary.BigEndian
	}
	return fixedTexts(data[len(data)-body.Len():], r.Header.Descr.Shape[0], 4*length, func(b []byte) string {
		var s []byte
		for ; len(b) >= 4; b = b[4:] {
			if c := order.Uint32(b); c != 0 {
				s = utf8.AppendRune(s, rune(c))
			}
		}
		return string(s)
	})
}

// fixedTexts cuts data into texts of one size.
func fixedTexts(data []byte, n, size int, read func([]byte) string) []string {
	if n < 1 || size < 1 || n > len(data)/size {
		return nil
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.ToValidUTF8(read(data[i*size:(i+1)*size]), "\uFFFD")
	}
	return texts
}
