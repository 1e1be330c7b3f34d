package table

import (
	"fmt"
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

// Layout says how a file is laid out where that is not to be found out. Its zero value leaves
// everything to the reader.
type Layout struct {
	// Delimiter separates the fields of a text: ',', ';', '\t', '|', or ' ' for runs of blanks. 0:
	// detected.
	Delimiter rune
	// Comment is how lines of a text begin that are left out. "": lines that begin with # at the
	// top of the file are.
	Comment string
	// Skip is the number of lines at the beginning that are left out, rows of a sheet.
	Skip int
	// Header says whether there is a line of names.
	Header Header
	// Names are those of all columns, in place of the file's; nil means the file's.
	Names []string
	// Sheet is that of a workbook, by name or number counted from 1, or the name of an array in a
	// file of several. "": the only or first one that holds a table.
	Sheet string
}

// A Table is what a file holds, cell by cell. It is not changed once it has been read, and any
// number of goroutines may read it.
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

// allowedFiles is what a path may lead to.
const allowedFiles = "a text table, a workbook (.xlsx), a Parquet file, a NumPy file (.npy, " +
	".npz), or one of these compressed by gzip or bzip2"

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
