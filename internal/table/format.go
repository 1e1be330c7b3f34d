package table

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"tobac/internal/file"
	"tobac/internal/memory"
)

// A signature is how files of a format begin.
type signature struct {
	begin string
	name  string
}

// foreign formats are recognised to be refused by name, with what to do.
var foreign = []signature{
	{"\xfd7zXZ\x00", "is compressed by xz; decompress it first (xz -d)"},
	{"\x28\xb5\x2f\xfd", "is compressed by zstd; decompress it first (zstd -d)"},
	{"7z\xbc\xaf\x27\x1c", "is an archive of 7-Zip; extract the table first"},
	{"\xd0\xcf\x11\xe0", "is a workbook in the format .xls, or one with a password; save it as " +
		".xlsx without a password, or as CSV"},
	{"\x89HDF\r\n", "is an HDF5 file; save the table as Parquet or CSV"},
	{"ARROW1", "is an Arrow or Feather file; save the table as Parquet or CSV"},
	{"RDX", "is a file of R; save the table by write.csv"},
	{"%PDF", "is a PDF document; save the table as CSV"},
	{"\x80\x04\x95", "is a pickle of Python; save the table by to_csv"},
	{"\x80\x05\x95", "is a pickle of Python; save the table by to_csv"},
	{"SQLite format 3", "is a database of SQLite; save the table as CSV"},
	{"$FL2", "is a file of SPSS; save the table as CSV"},
	{"<stata_dta>", "is a file of Stata; save the table as CSV"},
}

// deepest is how many compressions may lie around a table.
const deepest = 3

// read recognises the format by the first bytes; whole counts those of the file, in which r may be
// compressed.
func read(r io.Reader, source string, layout Layout, whole *counter, depth int) (*Table, error) {
	if depth > deepest {
		return nil, &FormatError{source, "is compressed more than three times"}
	}
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, withPath(source, err)
	}
	starts := func(begin string) bool { return bytes.HasPrefix(head, []byte(begin)) }
	if len(head) == 0 {
		return nil, &FormatError{source, "file is empty"}
	}
	for _, s := range foreign {
		if starts(s.begin) {
			return nil, &FormatError{source, s.name}
		}
	}
	var t *Table
	switch {
	case starts("\x1f\x8b"):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &FormatError{source, "compression by gzip is damaged: " + err.Error()}
		}
		if t, err = read(&unpacked{r: z, source: source, file: whole}, source, layout, whole,
			depth+1); err == nil {
			t.Format += ", compressed by gzip"
		}
		return t, err
	case starts("BZh"):
		if t, err = read(&unpacked{r: bzip2.NewReader(b), source: source, file: whole}, source,
			layout, whole, depth+1); err == nil {
			t.Format += ", compressed by bzip2"
		}
		return t, err
	case starts("\x93NUMPY"):
		return readArray(b, source, layout)
	case starts("PK\x03\x04"), starts("PAR1"):
		return readRandomAccess(r, b, source, layout, starts("PAR1"))
	}
	// which begin a text in UTF-16
	if bytes.IndexByte(head, 0) >= 0 && !starts("\xff\xfe") && !starts("\xfe\xff") {
		return nil, &FormatError{source, "is not text, and its format is unknown; allowed: " +
			allowedFiles}
	}
	return readText(b, source, layout)
}

// readRandomAccess reads a format whose contents are listed at its end.
func readRandomAccess(r io.Reader, b *bufio.Reader, source string, layout Layout,
	isParquet bool) (*Table, error) {
	at, size, err := inMemory(r, b)
	if err != nil {
		return nil, withPath(source, err)
	}
	switch {
	case isParquet && parquet == nil:
		return nil, &FormatError{source,
			"is a Parquet file, which this program does not read: import tobac/parquet"}
	case isParquet:
		return parquet(at, size, source)
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return nil, &FormatError{source, "is a damaged archive: " + err.Error()}
	}
	for _, f := range z.File {
		switch {
		case f.Name == "[Content_Types].xml":
			return readWorkbook(z, size, source, layout)
		case f.Name == "content.xml":
			return nil, &FormatError{source,
				"is a document of OpenOffice or LibreOffice; save its table as .xlsx or CSV"}
		case isArray(f):
			return readArchive(z, source, layout)
		}
	}
	return nil, &FormatError{source,
		fmt.Sprintf("is an archive without a table; allowed: %s", allowedFiles)}
}

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
// Formats: text, gzip and bzip2 of any format, workbooks (.xlsx), Parquet, NumPy (.npy, .npz). Text
// and gzip of text are read in one pass; the others are held in memory unless r is an [*os.File].
//
// An error says that r holds no table, or that reading failed. What is wrong with single columns
// and rows is no error here, but a problem when the table is prepared for an analysis: see
// [Prepare].
func Read(r io.Reader, source string, layout Layout) (*Table, error) {
	whole := newCounter(r)
	t, err := read(whole, source, layout, whole, 0)
	if err != nil {
		return nil, err
	}
	if t.Rows == 0 && layout.Skip > 0 {
		return nil, &OptionError{"skip",
			fmt.Sprintf("%d leaves no row of data in %s", layout.Skip, source)}
	}
	if t.Rows == 0 {
		return nil, &FormatError{source, "header without any row of data after it"}
	}
	t.completeNames()
	if layout.Names != nil && len(layout.Names) != len(t.Columns) {
		return nil, &FormatError{source,
			fmt.Sprintf("data.names has %d of %d names; allowed: one for each column",
				len(layout.Names), len(t.Columns))}
	}
	for j, name := range layout.Names {
		t.Columns[j].Name = name
	}
	return t, nil
}

// completeNames names the columns that the file gives no name, but for one at the front, which may
// hold names of rows.
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

// inMemory returns what formats need that are not read from front to end: the file itself, or all
// that is left in b, which reads r.
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
