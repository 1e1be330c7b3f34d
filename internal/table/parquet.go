package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"tobac/internal/memory"
	"tobac/internal/numpy"
)

// readParquet reads a Parquet file whose columns are not nested.
func readParquet(r io.ReaderAt, size int64, name string) (t *Table, err error) {
	defer func() {
		if cause := recover(); cause != nil { // the reader panics on some damaged files
			t, err = nil, &FormatError{name, fmt.Sprintf("is a damaged Parquet file: %v", cause)}
		}
	}()
	if err := checkSizes(r, size); errors.As(err, new(*memory.SizeError)) {
		return nil, withPath(name, err)
	} else if errors.As(err, new(*inflation)) || errors.As(err, new(nestedColumn)) {
		return nil, &FormatError{name, err.Error()}
	} else if err != nil {
		return nil, &FormatError{name, "is a damaged Parquet file: " + err.Error()}
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, &FormatError{name, "is a damaged Parquet file: " + err.Error()}
	}
	t = &Table{Source: name, Format: "Parquet file", unit: "row", takes: parquetLayout}
	for _, column := range f.Root().Columns() {
		c := &Column{Name: strings.TrimSpace(column.Name()), Position: len(t.Columns) + 1}
		t.Columns = append(t.Columns, c)
	}
	for _, group := range f.RowGroups() {
		for j, chunk := range group.ColumnChunks() {
			if err := readChunk(t.Columns[j], chunk, size, converter(f.Root().Columns()[j])); err != nil {
				return nil, &FormatError{name, fmt.Sprintf("column %s: %v", short(t.Columns[j].Name), err)}
			}
		}
	}
	for j, c := range t.Columns {
		if j == 0 {
			t.Rows = c.rows
		}
		if c.rows != t.Rows {
			return nil, &FormatError{name, fmt.Sprintf("columns %s and %s have %d and %d values", short(t.Columns[0].Name), short(c.Name), t.Rows, c.rows)}
		}
	}
	return t, nil
}

// readChunk appends the values of a part of a column.
func readChunk(c *Column, chunk parquet.ColumnChunk, size int64, add func(c *Column, v parquet.Value)) error {
	pages := chunk.Pages()
	defer pages.Close() // only read
	buffer := make([]parquet.Value, 1024)
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
				if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
					texts += int64(len(v.ByteArray()))
				}
				if err := inflated(texts, size); err != nil {
					return err
				}
				if v.IsNull() {
					c.addGap()
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
		parquet.Release(page)
	}
}

// converter says how the values of a column become cells.
func converter(column *parquet.Column) func(c *Column, v parquet.Value) {
	var logical format.LogicalTypeValue
	if l := column.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DateType:
		return func(c *Column, v parquet.Value) {
			c.addText([]byte(time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly)), c.rows+1)
		}
	case *format.TimestampType:
		unit := time.Nanosecond
		if l.Unit.Value != nil {
			unit = l.Unit.Value.Duration()
		}
		return func(c *Column, v parquet.Value) {
			per := int64(time.Second / unit)
			whole := v.Int64() / per
			c.addText([]byte(time.Unix(whole, (v.Int64()-whole*per)*int64(unit)).UTC().Format(time.DateTime)), c.rows+1)
		}
	case *format.TimeType:
		unit := time.Nanosecond
		if l.Unit.Value != nil {
			unit = l.Unit.Value.Duration()
		}
		return func(c *Column, v parquet.Value) {
			count := v.Int64()
			if v.Kind() == parquet.Int32 {
				count = int64(v.Int32())
			}
			c.addText([]byte(time.Unix(0, 0).UTC().Add(time.Duration(count)*unit).Format(time.TimeOnly)), c.rows+1)
		}
	case *format.DecimalType:
		scale := math.Pow10(int(l.Scale))
		return func(c *Column, v parquet.Value) { c.addFloat(decimal(v)/scale, c.rows+1) }
	case *format.Float16Type:
		return func(c *Column, v parquet.Value) {
			c.addFloat(numpy.Half(binary.LittleEndian.Uint16(v.ByteArray())), c.rows+1)
		}
	case *format.IntType:
		if !l.IsSigned && column.Type().Kind() == parquet.Int64 {
			return func(c *Column, v parquet.Value) { c.addNumber(float64(v.Uint64())) }
		}
		if !l.IsSigned {
			return func(c *Column, v parquet.Value) { c.addNumber(float64(v.Uint32())) }
		}
	}
	switch column.Type().Kind() {
	case parquet.Boolean:
		return func(c *Column, v parquet.Value) { c.addText(fmt.Append(nil, v.Boolean()), c.rows+1) }
	case parquet.Int32:
		return func(c *Column, v parquet.Value) { c.addNumber(float64(v.Int32())) }
	case parquet.Int64:
		return func(c *Column, v parquet.Value) { c.addNumber(float64(v.Int64())) }
	case parquet.Float:
		return func(c *Column, v parquet.Value) { c.addFloat(float64(v.Float()), c.rows+1) }
	case parquet.Double:
		return func(c *Column, v parquet.Value) { c.addFloat(v.Double(), c.rows+1) }
	case parquet.Int96: // days and nanoseconds of older programs
		return func(c *Column, v parquet.Value) {
			days := int64(v.Int96()[2]) - 2440588 // Julian day of 1970-01-01
			c.addText([]byte(time.Unix(days*86400, 0).UTC().Format(time.DateOnly)), c.rows+1)
		}
	}
	return func(c *Column, v parquet.Value) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(v.ByteArray()), "\uFFFD"))
		if text == "" {
			c.addGap()
			return
		}
		c.addText([]byte(text), c.rows+1)
	}
}

// decimal is the unscaled number of a decimal.
func decimal(v parquet.Value) float64 {
	switch v.Kind() {
	case parquet.Int32:
		return float64(v.Int32())
	case parquet.Int64:
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
