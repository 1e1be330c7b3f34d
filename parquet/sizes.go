package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"tobac/internal/memory"
	"tobac/internal/table"
)

// checkSizes compares the sizes that a Parquet file states with those that it can have, before
// package parquet allocates what they say: of the metadata, of lists in it, and of pages. A file of
// sixty bytes may ask for terabytes.
func checkSizes(r io.ReaderAt, size int64) error {
	metadata, err := readMetadata(r, size)
	if err != nil {
		return err
	}
	for _, column := range metadata.Schema[min(1, len(metadata.Schema)):] { // behind the root
		if column.NumChildren.V > 0 || column.RepetitionType.V == format.Repeated {
			return nestedColumn(column.Name)
		}
	}
	rows, columns, largest := 0.0, 0, int64(0)
	for _, group := range metadata.RowGroups {
		rows, columns = rows+float64(group.NumRows), max(columns, len(group.Columns))
		for _, chunk := range group.Columns {
			page, err := checkPages(r, size, &chunk.MetaData, group.NumRows)
			if err != nil {
				return err
			}
			largest = max(largest, page)
		}
	}
	if err := table.Inflated(int64(min(table.BytesEachBlank*rows*float64(columns), 1<<62)),
		size); err != nil {
		return err
	}
	return memory.Check(fmt.Sprintf("%.0f rows of %d columns", rows, columns),
		table.BytesEach*rows*float64(columns)+float64(largest))
}

// A nestedColumn is an error: the name of a column of lists or of other columns.
type nestedColumn string

func (n nestedColumn) Error() string {
	return fmt.Sprintf("column %s is nested; allowed: columns of numbers, texts, truth values "+
		"and dates", table.Short(string(n)))
}

// readMetadata reads what stands at the end of a Parquet file.
func readMetadata(r io.ReaderAt, size int64) (m format.FileMetaData, err error) {
	const magic = "PAR1"
	end := make([]byte, 4+len(magic))
	if size < int64(2*len(magic)+4) {
		return m, errors.New("it is cut short")
	}
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil {
		return m, err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != magic || length > size-int64(len(end)+len(magic)) {
		return m, errors.New("it does not end with the list of its columns")
	}
	m, _, err = decodeThrift[format.FileMetaData](r, size-int64(len(end))-length, length)
	return m, err
}

// mostCompressed is how many times larger than its file a page may be: more than any of the
// format's compressions reaches.
const mostCompressed = 1 << 16

// checkPages goes through the pages of a part of a column, a header and what it states for each,
// and returns the size of the largest.
func checkPages(r io.ReaderAt, size int64, c *format.ColumnMetaData, rows int64) (largest int64,
	err error) {
	at := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		at = min(at, c.DictionaryPageOffset)
	}
	if at < 0 || c.TotalCompressedSize < 0 || at > size || c.TotalCompressedSize > size-at {
		return 0, errors.New("a column lies outside of it")
	}
	for end, values := at+c.TotalCompressedSize, int64(0); at < end; {
		const longest = 1 << 24 // a header may hold the smallest and the largest text of its page
		h, n, err := decodeThrift[format.PageHeader](r, at, min(end-at, longest))
		if err != nil {
			return 0, err
		}
		at += int64(n)
		stored, page := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		here := int64(h.DataPageHeader.V.NumValues)
		if h.DataPageHeaderV2.Valid {
			here = int64(h.DataPageHeaderV2.V.NumValues)
		}
		values += here
		switch distinct := int64(h.DictionaryPageHeader.V.NumValues); {
		case stored < 0 || stored > end-at:
			return 0, fmt.Errorf("a page of %d bytes lies outside of its column", stored)
		case page < 0 || page > mostCompressed*(stored+1):
			return 0, fmt.Errorf("a page of %d bytes cannot hold %d bytes", stored, page)
		case here < 0 || values > rows:
			return 0, fmt.Errorf("a column has more values than its %d rows", rows)
		case table.Inflated(page, size) != nil:
			return 0, table.Inflated(page, size)
		case distinct < 0 || distinct > 8*(page+1):
			return 0, fmt.Errorf("a page of %d bytes cannot have %d values", page, distinct)
		}
		at, largest = at+stored, max(largest, page)
	}
	return largest, nil
}

// decodeThrift decodes a value that begins at a place and takes n bytes at most, and says how many
// it takes.
func decodeThrift[T any](r io.ReaderAt, at, n int64) (value T, taken int, err error) {
	const first = 1 << 12 // most values are short
	for part := min(n, first); ; part = n {
		data := make([]byte, part)
		if _, err = r.ReadAt(data, at); err != nil && !errors.Is(err, io.EOF) {
			return value, 0, err
		}
		var v T
		in := bounded{new(thrift.CompactProtocol).NewReaderFromBytes(data), len(data)}
		if err = thrift.NewDecoder(in).Decode(&v); err == nil || part == n {
			return v, in.BytesRead(), err
		}
	}
}

// bounded refuses collections with more elements than bytes are left.
type bounded struct {
	thrift.BytesReader
	size int
}

func (b bounded) check(elements int32, err error) error {
	if left := b.size - b.BytesRead(); err == nil && int(elements) > left {
		return fmt.Errorf("a list of %d elements in %d bytes", elements, left)
	}
	return err
}

func (b bounded) ReadList() (thrift.List, error) {
	l, err := b.BytesReader.ReadList()
	return l, b.check(l.Size, err)
}

func (b bounded) ReadSet() (thrift.Set, error) {
	l, err := b.BytesReader.ReadSet()
	return l, b.check(l.Size, err)
}

func (b bounded) ReadMap() (thrift.Map, error) {
	m, err := b.BytesReader.ReadMap()
	return m, b.check(m.Size, err)
}
