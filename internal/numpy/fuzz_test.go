package numpy_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/internal/numpy"
)

// FuzzRoundTrip: what is read is written, unless it cannot be, and read again as the same array.
func FuzzRoundTrip(f *testing.F) {
	for _, array := range [][]byte{file("<f8", "False", "1,", "12345678"), file("<f4", "True", "2, 1", "12345678"), file("|b1", "False", "2, 2", "\x00\x01\x01\x00"), file("<U2", "False", "2,", strings.Repeat("a\x00\x00\x00", 4)), file("<i8", "False", "0, 3", "")} {
		f.Add(array)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := numpy.Read(data)
		if err != nil {
			return
		}
		var written bytes.Buffer
		if a.Texts == nil {
			err = numpy.WriteNumbers(&written, a.Shape, a.Numbers)
		} else if len(a.Shape) != 1 {
			return // texts are written in one dimension
		} else if err = numpy.WriteTexts(&written, a.Texts); err != nil && !slices.ContainsFunc(a.Texts, func(s string) bool { return strings.HasSuffix(s, "\x00") }) {
			t.Fatalf("texts %q are read, and not written: %v", a.Texts, err)
		} else if err != nil {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := numpy.Read(written.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
		if !slices.Equal(a.Shape, b.Shape) || !slices.EqualFunc(a.Numbers, b.Numbers, same) || !slices.Equal(a.Texts, b.Texts) {
			t.Fatalf("read %v, written and read again %v", a, b)
		}
	})
}
