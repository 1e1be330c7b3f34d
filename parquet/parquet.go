package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"tobac/internal/file"
	"tobac/internal/memory"
	"tobac/internal/numpy"
	"tobac/internal/table"
)

func init() { table.RegisterParquet(read) }

// read reads a Parquet file whose columns are not nested.
func read(r io.ReaderAt, size int64, name string) (t *table.Table, err error) {
	defer func() {
		if cause := recover(); cause != nil { // the reader panics on some damaged files
			t, err = nil, &table.FormatError{Source: name, Problem: "is a damaged Parquet file"}
		}
	}()
	if err := checkSizes(r, size); errors.As(err, new(*memory.SizeError)) {
		return nil, file.WithPath(name, err)
	} else if table.IsInflation(err) || errors.As(err, new(nestedColumn)) {
		return nil, &table.FormatError{Source: name, Problem: err.Error()}
	} else if err != nil {
		return nil, &table.FormatError{Source: name, Problem: "is a damaged Parquet file: " +
			err.Error()}
	}
	f, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, &table.FormatError{Source: name, Problem: "is a damaged Parquet file: " +
			err.Error()}
	}
	var names []string
	for _, column := range f.Root().Columns() {
		names = append(names, strings.TrimSpace(column.Name()))
	}
	filler := table.NewFiller(name, "Parquet file", names)
	for _, group := range f.RowGroups() {
		for j, chunk := range group.ColumnChunks() {
			if err := readChunk(filler.Column(j), chunk, size,
				converter(f.Root().Columns()[j])); err != nil {
				return nil, &table.FormatError{Source: name,
					Problem: fmt.Sprintf("column %s: %v", table.Short(names[j]), err)}
			}
		}
	}
	return filler.Table()
}

// readChunk appends the values of a part of a column.
func readChunk(c table.Cells, chunk pq.ColumnChunk, size int64,
	add func(c table.Cells, v pq.Value)) error {
	pages := chunk.Pages()
	defer pages.Close() // only read
	buffer := make([]pq.Value, 1024)
	texts := int64(0) // bytes of the values
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(buffer)
			for _, v := range buffer[:n] {
				if k := v.Kind(); k == pq.ByteArray || k == pq.FixedLenByteArray {
					texts += int64(len(v.ByteArray()))
				}
				if err := table.Inflated(texts, size); err != nil {
					return err
				}
				if v.IsNull() {
					c.Gap()
				} else {
					add(c, v)
				}
			}
			if errors.Is(err, io.EOF) || err == nil && n == 0 {
				break
			}
			if err != nil {
				return err
			}
		}
		pq.Release(page)
	}
}

// converter says how the values of a column become cells.
func converter(column *pq.Column) func(c table.Cells, v pq.Value) {
	var logical format.LogicalTypeValue
	if l := column.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DateType:
		return func(c table.Cells, v pq.Value) {
			c.Text([]byte(time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)))
		}
	case *format.TimestampType:
		unit := time.Nanosecond
		if l.Unit.Value != nil {
			unit = l.Unit.Value.Duration()
		}
		return func(c table.Cells, v pq.Value) {
			per := int64(time.Second / unit)
			whole := v.Int64() / per
			c.Text([]byte(
				time.Unix(whole, (v.Int64()-whole*per)*int64(unit)).UTC().Format(time.DateTime)))
		}
	case *format.TimeType:
		unit := time.Nanosecond
		if l.Unit.Value != nil {
			unit = l.Unit.Value.Duration()
		}
		return func(c table.Cells, v pq.Value) {
			count := v.Int64()
			if v.Kind() == pq.Int32 {
				count = int64(v.Int32())
			}
			c.Text([]byte(
				time.Unix(0, 0).UTC().Add(time.Duration(count) * unit).Format(time.TimeOnly)))
		}
	case *format.DecimalType:
		scale := math.Pow10(int(l.Scale))
		return func(c table.Cells, v pq.Value) { c.Float(decimal(v) / scale) }
	case *format.Float16Type:
		return func(c table.Cells, v pq.Value) {
			c.Float(numpy.Half(binary.LittleEndian.Uint16(v.ByteArray())))
		}
	case *format.IntType:
		if !l.IsSigned && column.Type().Kind() == pq.Int64 {
			return func(c table.Cells, v pq.Value) { c.Number(float64(v.Uint64())) }
		}
		if !l.IsSigned {
			return func(c table.Cells, v pq.Value) { c.Number(float64(v.Uint32())) }
		}
	}
	switch column.Type().Kind() {
	case pq.Boolean:
		return func(c table.Cells, v pq.Value) { c.Text(fmt.Append(nil, v.Boolean())) }
	case pq.Int32:
		return func(c table.Cells, v pq.Value) { c.Number(float64(v.Int32())) }
	case pq.Int64:
		return func(c table.Cells, v pq.Value) { c.Number(float64(v.Int64())) }
	case pq.Float:
		return func(c table.Cells, v pq.Value) { c.Float(float64(v.Float())) }
	case pq.Double:
		return func(c table.Cells, v pq.Value) { c.Float(v.Double()) }
	case pq.Int96: // days and nanoseconds of older programs
		return func(c table.Cells, v pq.Value) {
			days := int64(v.Int96()[2]) - 2440588 // Julian day of 1970-01-01
			c.Text([]byte(time.Unix(days*86400, 0).UTC().Format(time.DateOnly)))
		}
	}
	return func(c table.Cells, v pq.Value) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(v.ByteArray()), "\uFFFD"))
		if text == "" {
			c.Gap()
			return
		}
		c.Text([]byte(text))
	}
}

// decimal is the unscaled number of a decimal.
func decimal(v pq.Value) float64 {
	switch v.Kind() {
	case pq.Int32:
		return float64(v.Int32())
	case pq.Int64:
		return float64(v.Int64())
	}
	digits := v.ByteArray() // two's complement, most significant first
	n := new(big.Int).SetBytes(digits)
	if len(digits) > 0 && digits[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
	}
	out, _ := new(big.Float).SetInt(n).Float64()
	return out
}
