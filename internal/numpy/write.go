package numpy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteNumbers writes values, row-major, as an array of float64. It panics if their number is not
// the product of shape.
func WriteNumbers(w io.Writer, shape []int, values []float64) error {
	data := appendHeader(nil, "<f8", shape, len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	_, err := w.Write(data)
	return err
}

// WriteBytes writes values, row-major, as an array of int8. It panics if their number is not the
// product of shape.
func WriteBytes(w io.Writer, shape []int, values []int8) error {
	data := appendHeader(nil, "|i1", shape, len(values))
	for _, v := range values {
		data = append(data, byte(v))
	}
	_, err := w.Write(data)
	return err
}

// WriteTexts writes texts as an array of one dimension. The file cannot tell a text from one with
// characters U+0000 after it, so texts that end with one are an error, and so are texts that are
// not UTF-8.
func WriteTexts(w io.Writer, texts []string) error {
	longest := 1
	for _, text := range texts {
		if strings.HasSuffix(text, "\x00") || !utf8.ValidString(text) {
			return fmt.Errorf("NumPy cannot hold the text %.60q; allowed: UTF-8 that does not "+
				"end with a zero character", text)
		}
		longest = max(longest, utf8.RuneCountInString(text))
	}
	data := appendHeader(nil, "<U"+strconv.Itoa(longest), []int{len(texts)}, len(texts))
	for _, text := range texts {
		unused := longest
		for _, c := range text {
			data = binary.LittleEndian.AppendUint32(data, uint32(c))
			unused--
		}
		data = append(data, make([]byte, 4*unused)...)
	}
	_, err := w.Write(data)
	return err
}

// appendHeader appends a header of version 1, which ends at a multiple of 64 bytes.
func appendHeader(data []byte, descr string, shape []int, count int) []byte {
	product, dims := 1, ""
	for _, n := range shape {
		product *= n
		dims += strconv.Itoa(n) + ", "
	}
	if product != count {
		panic(fmt.Sprintf("numpy: %d elements for the shape %v", count, shape))
	}
	if len(shape) > 1 {
		dims = strings.TrimSuffix(dims, ", ")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	data = append(append(data, Magic...), 1, 0)
	data = binary.LittleEndian.AppendUint16(data, uint16(len(text)))
	return append(data, text...)
}
