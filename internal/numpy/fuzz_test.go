package numpy_test

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npy"

	"tobac/internal/must"
	"tobac/internal/numpy"
)

// FuzzRoundTrip: what is read is written, unless it cannot be, and read again as the same array.
func FuzzRoundTrip(f *testing.F) {
	for _, array := range [][]byte{file("<f8", "False", "1,", "12345678"),
		file("<f4", "True", "2, 1", "12345678"), file("|b1", "False", "2, 2", "\x00\x01\x01\x00"),
		file("<U2", "False", "2,", strings.Repeat("a\x00\x00\x00", 4)),
		file("<i8", "False", "0, 3", "")} {
		f.Add(array)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := numpy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var written bytes.Buffer
		if a.Texts == nil {
			err = numpy.WriteNumbers(&written, a.Shape, a.Numbers)
		} else if len(a.Shape) != 1 {
			return // texts are written in one dimension
		} else if err = numpy.WriteTexts(&written, a.Texts); err != nil &&
			!slices.ContainsFunc(a.Texts, func(s string) bool {
				return strings.HasSuffix(s, "\x00")
			}) {
			t.Fatalf("texts %q are read, and not written: %v", a.Texts, err)
		} else if err != nil {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b := must.Get(numpy.Read(&written))(t)
		same := func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
		}
		if !slices.Equal(a.Shape, b.Shape) || !slices.EqualFunc(a.Numbers, b.Numbers, same) ||
			!slices.Equal(a.Texts, b.Texts) {
			t.Fatalf("read %v, written and read again %v", a, b)
		}
	})
}

// asNumPyWrites is a header that package npy, of others, reads rightly; it takes others too, and
// reads another shape from some of them.
var asNumPyWrites = regexp.MustCompile(
	`^\{'descr': '[<>|](?:f[48]|[iu][1248])', 'fortran_order': (True|False), 'shape': \(\d+, \d+\), \} *\n$`)

// FuzzReadersAgree: both readers of a file as NumPy writes it find the same numbers.
func FuzzReadersAgree(f *testing.F) {
	for _, array := range [][]byte{file("<f8", "False", "2, 1", "12345678abcdefgh"),
		file(">f4", "True", "1, 3", "123456789abc"), file("|i1", "True", "2, 2",
			"\x00\xff\x7f\x80"), file("<u8", "False", "1, 1", "\x00\x00\x00\x00\x00\x00\x00\x80")} {
		f.Add(array)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := numpy.Read(bytes.NewReader(data))
		if err != nil || data[6] != 1 ||
			!asNumPyWrites.Match(data[10:10+int(data[8])+int(data[9])<<8]) || len(a.Numbers) == 0 {
			return
		}
		r := must.Get(npy.NewReader(bytes.NewReader(data)))(t)
		if !slices.Equal(r.Header.Descr.Shape, a.Shape) {
			t.Fatalf("shapes %v and %v", a.Shape, r.Header.Descr.Shape)
		}
		theirs := numbersOf[r.Header.Descr.Type[2:4]](t, r, len(a.Numbers))
		n, d := a.Shape[0], a.Shape[1]
		for i := range n {
			for j := range d {
				k := i*d + j
				if r.Header.Descr.Fortran {
					k = j*n + i
				}
				if got, want := a.Numbers[i*d+j], theirs[k]; got != want &&
					(got == got || want == want) {
					t.Fatalf("number (%d, %d) is %v and %v", i, j, got, want)
				}
			}
		}
	})
}

// numbersOf are how package npy reads the numbers of each type.
var numbersOf = map[string]func(t *testing.T, r *npy.Reader, count int) []float64{
	"f4": numbers[float32], "f8": numbers[float64], "i1": numbers[int8], "i2": numbers[int16],
	"i4": numbers[int32], "i8": numbers[int64],
	"u1": numbers[uint8], "u2": numbers[uint16], "u4": numbers[uint32], "u8": numbers[uint64],
}

func numbers[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 |
	uint64](t *testing.T, r *npy.Reader, count int) []float64 {
	raw := make([]T, count)
	must.Do(t, r.Read(&raw))
	out := make([]float64, count)
	for i, v := range raw {
		out[i] = float64(v)
	}
	return out
}
