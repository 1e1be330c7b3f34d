package parquet_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"tobac/internal/must"
	"tobac/internal/table"
	_ "tobac/parquet"
)

// A Parquet file that states sizes which it cannot have is refused before anything of these sizes
// is made.
func TestParquetSizes(t *testing.T) {
	encode := func(v any) []byte {
		return must.Get(thrift.Marshal(new(thrift.CompactProtocol), v))(t)
	}
	file := func(pages, metadata []byte, length int) []byte {
		b := append([]byte("PAR1"), pages...)
		return append(binary.LittleEndian.AppendUint32(append(b, metadata...), uint32(length)),
			"PAR1"...)
	}
	column := func(rows int64, page format.PageHeader, data int) []byte {
		pages := append(encode(&page), make([]byte, data)...)
		kind, repetition := format.Double, format.Optional
		m := format.FileMetaData{Version: 1, NumRows: rows}
		m.Schema = []format.SchemaElement{{Name: "t"}, {Name: "a"}}
		m.Schema[0].NumChildren.Set(1)
		m.Schema[1].Type.Set(kind)
		m.Schema[1].RepetitionType.Set(repetition)
		chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{Type: kind,
			PathInSchema: []string{"a"}, NumValues: rows, DataPageOffset: 4,
			TotalCompressedSize: int64(len(pages)), TotalUncompressedSize: int64(len(pages))}}
		m.RowGroups = []format.RowGroup{{Columns: []format.ColumnChunk{chunk}, NumRows: rows}}
		metadata := encode(&m)
		return file(pages, metadata, len(metadata))
	}
	page := func(values, stored, full int32) (h format.PageHeader) {
		h = format.PageHeader{Type: format.DataPage, CompressedPageSize: stored,
			UncompressedPageSize: full}
		h.DataPageHeader.Valid, h.DataPageHeader.V.NumValues = true, values
		return h
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"metadata longer than the file", "does not end with the list of its columns",
			file(nil, nil, 1<<31-1)},
		{"a list longer than the metadata", "a list of 2147483647 elements in 0 bytes",
			file(nil, []byte{0x15, 0x02, 0x19, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07}, 9)},
		{"a page outside of its column", "a page of 2147483647 bytes lies outside of its column",
			column(2, page(2, 1<<31-1, 20), 20)},
		{"a page larger than compression allows", "a page of 20 bytes cannot hold 2147483647 bytes",
			column(2, page(2, 20, 1<<31-1), 20)},
		{"more values than rows", "more values than its 2 rows",
			column(2, page(1<<31-1, 20, 20), 20)},
		{"more rows than the memory holds", "at least 10^9 GB and more are compressed to 136 bytes",
			column(1<<60, page(2, 20, 20), 20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := table.Read(bytes.NewReader(c.data), "t.parquet", table.Layout{})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<24 {
				t.Errorf("took %d bytes for a file of %d", taken, len(c.data))
			}
		})
	}
}
