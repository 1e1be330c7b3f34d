package dataset

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/numpy"

	"gonum.org/v1/gonum/mat"
)

// ReadCSV reads a table of numbers from text; source names r in errors. Package delimited describes
// the text, which is read as package table reads one: separators, line ends, quotes, empty lines,
// encodings, decimal commas where commas separate no fields.
//
// The first line is a header of column names unless all its values are numbers (missing ones
// aside); then the file has no header, all lines are data, and the columns are X0, X1, …. A quoted
// number in the first line is a name if the value below it is not quoted, so numbers can serve as
// names. NaN and 1e999 count as numbers here, and so do repeated values: such a first line is a
// line of data.
//
// Errors: an empty file, a header without data, lines of different lengths, blank or repeated
// column names, and values that are missing, not numbers, not finite or too large.
func ReadCSV(r io.Reader, source string) (*Table, error) {
	f, err := delimited.Read(r, source, delimited.Syntax{})
	if err != nil {
		return nil, err
	}
	d := len(f.Records[0].Fields)
	names, rows := defaultNames(d), f.Records
	if hasHeader(f) {
		rows = rows[1:]
		for j, field := range f.Records[0].Fields {
			names[j] = field.Text
		}
		if err := checkHeader(f, names, len(rows)); err != nil {
			return nil, err
		}
	}
	numbers := f.Numbers()
	values := make([]float64, 0, len(rows)*d)
	for _, record := range rows {
		if got := len(record.Fields); got != d {
			problem := fmt.Sprintf("got %d values, want %d as on line %d", got, d,
				f.Records[0].Line)
			return nil, &delimited.Error{Source: source, Line: record.Line, Problem: problem}
		}
		for j, field := range record.Fields {
			v, err := numbers.Parse(field.Text, record.Line, names[j])
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	return &Table{Names: names, X: mat.NewDense(len(rows), d, values)}, nil
}

// hasHeader reports whether the first record has a name in it, or nothing at all.
func hasHeader(f *delimited.File) bool {
	numbers := 0
	for j, field := range f.Records[0].Fields {
		switch {
		case field.Text == "" && !field.Quoted:
			continue
		case !delimited.IsNumber(field.Text, f.Separator) || field.Quoted && !quotedBelow(f, j):
			return true
		}
		numbers++
	}
	return numbers == 0
}

// quotedBelow reports whether the second record quotes value j, so that quotes say nothing about
// the first.
func quotedBelow(f *delimited.File, j int) bool {
	return len(f.Records) > 1 && j < len(f.Records[1].Fields) && f.Records[1].Fields[j].Quoted
}

func checkHeader(f *delimited.File, names []string, rows int) error {
	fault := &delimited.Error{Source: f.Source, Line: f.Records[0].Line}
	if err := checkNames(names); err != nil {
		fault.Problem, fault.Allowed = err.Error(), "a different name for each column"
		return fault
	}
	if rows == 0 {
		fault.Problem = "header without any row of numbers after it"
		return fault
	}
	return nil
}

// WriteCSV writes the table with a header, commas and LF after each line. Numbers have the shortest
// form that reads back exactly, and names that [ReadCSV] would not give back as they are, or take
// for numbers, are quoted. Marks of interventions are not written. A table that is not valid is an
// error.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.Validate(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	line := append(delimited.AppendTexts(nil, t.Names...), '\n')
	b.Write(line) // which keeps its error
	n, _ := t.X.Dims()
	for i := range n {
		line = line[:0]
		for j, v := range t.X.RawRowView(i) {
			if j > 0 {
				line = append(line, ',')
			}
			line = delimited.AppendNumber(line, v)
		}
		if _, err := b.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return b.Flush()
}

// ReadFile reads the table in a file: a NumPy array if the name ends in .npy ([ReadNPY]), text
// otherwise ([ReadCSV]). Errors begin with the path.
func ReadFile(path string) (*Table, error) {
	f, err := file.Open(path, "a text table or a NumPy file (.npy)")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	if strings.EqualFold(filepath.Ext(path), ".npy") {
		return ReadNPY(f, path)
	}
	return ReadCSV(f, path)
}

// ReadNPY reads a two-dimensional NumPy array of numbers, rows × columns, as a table with columns
// X0, X1, …; source names r in errors. Floating-point numbers of 2, 4 and 8 bytes, integers of
// every size and truth values (as 0 and 1) are read, in both byte and both memory orders. Integers
// beyond ±2⁵³ are rounded to float64.
//
// Errors: anything that is not such an array, an array without rows or columns, a file shorter or
// longer than its header says, NaN and infinities.
func ReadNPY(r io.Reader, source string) (*Table, error) {
	a, err := numpy.Read(r)
	if err == nil && len(a.Shape) == 1 {
		err = fmt.Errorf("NumPy array of shape %v; allowed: two dimensions, rows and columns, at "+
			"least one of each", a.Shape)
	}
	var x *mat.Dense
	if err == nil {
		x, err = a.Matrix()
	}
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
