package table

import (
	"errors"
	"fmt"
	"io"
)

// parquet reads Parquet files; nil if none is registered.
var parquet func(r io.ReaderAt, size int64, source string) (*Table, error)

// RegisterParquet sets what reads Parquet files: package tobac/parquet does, so that only
// programs that import it link its library.
func RegisterParquet(read func(r io.ReaderAt, size int64, source string) (*Table, error)) {
	parquet = read
}

// A Filler makes a table column by column, for readers in other packages.
type Filler struct{ t *Table }

// NewFiller begins a table of columns of the given names.
func NewFiller(source, format string, names []string) *Filler {
	t := &Table{Source: source, Format: format, unit: "row", takes: parquetLayout}
	for j, name := range names {
		t.Columns = append(t.Columns, &Column{Name: name, Position: j + 1})
	}
	return &Filler{t}
}

// Column is where the cells of column j go.
func (f *Filler) Column(j int) Cells { return Cells{f.t.Columns[j]} }

// Table is what has been filled: columns of different lengths are an error.
func (f *Filler) Table() (*Table, error) {
	t := f.t
	for j, c := range t.Columns {
		if j == 0 {
			t.Rows = c.rows
		}
		if c.rows != t.Rows {
			return nil, &FormatError{t.Source,
				fmt.Sprintf("columns %s and %s have %d and %d values", short(t.Columns[0].Name),
					short(c.Name), t.Rows, c.rows)}
		}
	}
	return t, nil
}

// Cells are those of a column, to which each method adds one.
type Cells struct{ c *Column }

// Number adds a number, NaN for an empty cell.
func (c Cells) Number(v float64) { c.c.addNumber(v) }

// Float adds a number; an infinity counts as a text.
func (c Cells) Float(v float64) { c.c.addFloat(v, c.c.rows+1) }

// Text adds a text.
func (c Cells) Text(t []byte) { c.c.addText(t, c.c.rows+1) }

// Gap adds an empty cell.
func (c Cells) Gap() { c.c.addGap() }

// Short is a name as messages show it.
func Short(name string) string { return short(name) }

// Inflated is an error if contents are much larger than the file that stores them.
func Inflated(contents, stored int64) error { return inflated(contents, stored) }

// IsInflation reports whether an error is one of [Inflated].
func IsInflation(err error) bool { return errors.As(err, new(*inflation)) }
