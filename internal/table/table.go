package table

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"tobac/internal/file"
	"tobac/internal/memory"
)

// Header says whether the first record of a file holds the names of the columns.
type Header int

const (
	// HeaderAuto finds out: see the package comment.
	HeaderAuto Header = iota
	// HeaderYes takes the first record for names.
	HeaderYes
	// HeaderNo takes the first record for data.
	HeaderNo
)

// String implements fmt.Stringer.
func (h Header) String() string { return [...]string{"auto", "yes", "no"}[h] }

// Layout says how a file is laid out where that is not to be found out. Its zero value leaves everything to the reader.
type Layout struct {
	// Delimiter separates the fields of a text: ',', ';', '\t', '|', or ' ' for runs of blanks. 0: detected.
	Delimiter rune
	// Comment is how lines of a text begin that are left out. "": lines that begin with # at the top of the file are.
	Comment string
	// Skip is the number of lines at the beginning that are left out, rows of a sheet.
	Skip int
	// Header says whether there is a line of names.
	Header Header
	// Names are those of all columns, in place of the file's; nil: the file's.
	Names []string
	// Sheet is that of a workbook, by name or number counted from 1, or the name of an array in a file of several. "": the only or first one that holds a table.
	Sheet string
}

// A Table is what a file holds, cell by cell. It is not changed once it has been read, and any number of goroutines may read it.
type Table struct {
	Source  string    // name of the file, for messages
	Format  string    // of the file, in words
	Rows    int       // rows of data, under the header
	Columns []*Column // in the sequence of the file
	// Notes say what the reader decided and what it left out.
	Notes []string
	// Warnings say what the reader left out that may hold data.
	Warnings []string

	faults   []fault // rows of other lengths
	problems []Problem
	unit     string   // what places count: "line", or "row" of a sheet
	mark     rune     // of decimals in a text, 0 if no number has one
	commas   bool     // separate its fields
	takes    []string // options of a layout, by the names of their flags
}

// A fault is a row that does not have one value for each column.
type fault struct{ row, line, got int }

// A FormatError says that a file is none that can be read as a table.
type FormatError struct {
	Source  string
	Problem string
}

func (e *FormatError) Error() string { return e.Source + ": " + e.Problem }

// allowedFiles is what a path may lead to.
const allowedFiles = "a text table, a workbook (.xlsx), a Parquet file, a NumPy file (.npy, .npz), or one of these compressed by gzip or bzip2"

// ReadFile reads the table in a file. The format is recognised by the content, whatever the name.
func ReadFile(path string, layout Layout) (*Table, error) {
	f, err := file.Open(path, allowedFiles)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	return Read(f, path, layout)
}

// Read reads a table; source names r in messages.
//
// Formats: text, gzip and bzip2 of any format, workbooks (.xlsx), Parquet, NumPy (.npy, .npz). Text and gzip of text are read in one pass; the others are
// held in memory unless r is an [*os.File].
//
// An error says that r holds no table, or that reading failed. What is wrong with single columns and rows is no error here, but a problem when the table is prepared
// for an analysis: see [Prepare].
func Read(r io.Reader, source string, layout Layout) (*Table, error) {
	whole := newCounter(r)
	t, err := read(whole, source, layout, whole, 0)
	if err != nil {
		return nil, err
	}
	if t.Rows == 0 && layout.Skip > 0 {
		return nil, &OptionError{"skip", fmt.Sprintf("%d leaves no row of data in %s", layout.Skip, source)}
	}
	if t.Rows == 0 {
		return nil, &FormatError{source, "header without any row of data after it"}
	}
	t.completeNames()
	if layout.Names != nil && len(layout.Names) != len(t.Columns) {
		return nil, &FormatError{source, fmt.Sprintf("got %d names for %d columns; allowed: one name for each", len(layout.Names), len(t.Columns))}
	}
	for j, name := range layout.Names {
		t.Columns[j].Name = name
	}
	return t, nil
}

// completeNames names the columns that the file gives no name, but for one at the front, which may hold names of rows.
func (t *Table) completeNames() {
	nameless := true
	for _, c := range t.Columns {
		nameless = nameless && c.Name == ""
	}
	for j, c := range t.Columns {
		switch {
		case nameless:
			c.Name = fmt.Sprintf("X%d", j)
		case c.Name == "" && j > 0 && !c.empty():
			c.Name = fmt.Sprintf("column%d", j+1)
			t.note("column %d has no name: it is called %s", j+1, c.Name)
		}
	}
}

func (c *Column) empty() bool {
	if len(c.texts) > 0 {
		return false
	}
	for _, block := range c.blocks {
		for _, v := range block {
			if v == v {
				return false
			}
		}
	}
	return true
}

func (t *Table) names() []string {
	names := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		names[j] = c.Name
	}
	return names
}

func (t *Table) warn(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// inMemory returns what formats need that are not read from front to end: the file itself, or all that is left in b, which reads r.
func inMemory(r, b io.Reader) (at io.ReaderAt, size int64, err error) {
	if c, ok := r.(*counter); ok {
		if f, ok := c.r.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				return f, info.Size(), nil
			}
		}
	}
	const contents = 4 // times the file
	data, err := memory.ReadAll(b, contents)
	if err != nil {
		return nil, 0, err
	}
	return bytes.NewReader(data), int64(len(data)), nil
}
