package numpy_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npy"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/internal/numpy"
)

// file is an NPY file of version 1.
func file(descr, order, shape, body string) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order,
		shape)
	return []byte(numpy.Magic + "\x01\x00" +
		string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + body)
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want numpy.Array
	}{
		{"int8", file("|i1", "False", "2, 2", "\x00\xff\x7f\x80"),
			numpy.Array{Shape: []int{2, 2}, Numbers: []float64{0, -1, 127, -128}}},
		{"Fortran's order", file("|u1", "True", "2, 3", "\x01\x02\x03\x04\x05\x06"),
			numpy.Array{Shape: []int{2, 3}, Numbers: []float64{1, 3, 5, 2, 4, 6}}},
		{"three dimensions in Fortran's order", file("|u1", "True", "2, 1, 2", "\x01\x02\x03\x04"),
			numpy.Array{Shape: []int{2, 1, 2}, Numbers: []float64{1, 3, 2, 4}}},
		{"big endian", file(">i2", "False", "2,", "\x01\x00\xff\xfe"),
			numpy.Array{Shape: []int{2}, Numbers: []float64{256, -2}}},
		{"little endian", file("<u4", "False", "1,", "\x01\x00\x00\x80"),
			numpy.Array{Shape: []int{1}, Numbers: []float64{1<<31 + 1}}},
		{"largest", file("<u8", "False", "1,", "\xff\xff\xff\xff\xff\xff\xff\xff"),
			numpy.Array{Shape: []int{1}, Numbers: []float64{math.MaxUint64}}},
		{"int64", file("<i8", "False", "1,", "\xfe\xff\xff\xff\xff\xff\xff\xff"),
			numpy.Array{Shape: []int{1}, Numbers: []float64{-2}}},
		{"truth values", file("|b1", "False", "3,", "\x00\x01\x02"),
			numpy.Array{Shape: []int{3}, Numbers: []float64{0, 1, 1}}},
		{"single precision", file("<f4", "False", "2,", "\x00\x00\xc0\x3f\x00\x00\x80\x7f"),
			numpy.Array{Shape: []int{2}, Numbers: []float64{1.5, math.Inf(1)}}},
		{"half precision",
			file(">f2", "False", "8,",
				"\x3c\x01\xc0\x00\x7b\xff\x7c\x00\xfc\x00\x7e\x00\x00\x01\x83\xff"),
			numpy.Array{Shape: []int{8},
				Numbers: []float64{1 + 1./1024, -2, 65504, math.Inf(1), math.Inf(-1), math.NaN(),
					1. / (1 << 24), -1023. / (1 << 24)}}},
		{"a number", file("<i4", "False", "", "\x07\x00\x00\x00"),
			numpy.Array{Numbers: []float64{7}}},
		{"nothing", file("<f8", "False", "0, 3", ""),
			numpy.Array{Shape: []int{0, 3}, Numbers: []float64{}}},
		{"bytes", file("|S3", "False", "2,", "ab\x00\xc3\xa9\x00"),
			numpy.Array{Shape: []int{2}, Texts: []string{"ab", "é"}}},
		{"texts", file("<U2", "False", "1,", "a\x00\x00\x00\xe9\x00\x00\x00"),
			numpy.Array{Shape: []int{1}, Texts: []string{"aé"}}},
		{"texts, big endian", file(">U2", "False", "1,", "\x00\x01\xd4\xb3\x00\x00\x00\x00"),
			numpy.Array{Shape: []int{1}, Texts: []string{"𝒳"}}},
		{"texts without characters", file("<U0", "False", "1,", ""),
			numpy.Array{Shape: []int{1}, Texts: []string{""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get(numpy.Read(bytes.NewReader(c.data)))(t)
			if diff := cmp.Diff(c.want, *got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not a NumPy file"},
		{"text", []byte("1,2\n3,4\n5,6\n"), "not a NumPy file"},
		{"cut short in the header", file("<f8", "False", "1,", "")[:30], "ends in the header"},
		{"cut short", file("<f8", "False", "2, 2", "12345678"),
			"shape [2 2] is cut short: 8 bytes after the header, want 8 of each element"},
		{"bytes after it", file("<f8", "False", "1,", "123456789"),
			"shape [1] ends before the file does"},
		{"long header", []byte(numpy.Magic + "\x02\x00\xff\xff\xff\xff{}"),
			"header of 4294967295 bytes, want at most 65536"},
		{"much of nothing", file("<U0", "False", "2000000000,", ""), "texts without characters"},
		{"many dimensions", file("<f8", "False", strings.Repeat("1, ", 65), "12345678"),
			"array of 65 dimensions, want at most 64"},
		{"negative", file("<f8", "False", "-1, 2", "x"), "header is malformed"},
		{"huge", file("<f8", "False", "99999999, 99999999", ""),
			"want at most 2147483647 elements"},
		{"huge, but for a zero", file("<f8", "False", "0, 99999999999999999999", ""),
			"want at most 2147483647 elements"},
		{"much in little", file("|i1", "False", "2000000000,", "x"), "array of shape [2000000000]"},
		{"pickled", file("|O", "False", "1,", "x"), `NumPy type "O"`},
		{"complex", file("<c16", "False", "1,", strings.Repeat("x", 16)),
			`NumPy type "c16"; allowed: f2, f4`},
		{"structure", bytes.Replace(file("f", "False", "1,", "x"), []byte("'f'"), []byte("[ ]"), 1),
			"with the header"},
		{"no character", file("<U1", "False", "1,", "\xff\xff\xff\xff"),
			"character 0xffffffff, which Unicode lacks"},
		{"no UTF-8", file("|S1", "False", "1,", "\xff"), "is not UTF-8"},
		{"version 9", []byte(numpy.Magic + "\x09\x00\x00\x00\x00\x00"),
			"version 9, want 1, 2 or 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := numpy.Read(bytes.NewReader(c.data)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, error %v, want %q", got, err, c.want)
			}
		})
	}
}

// What is written reads back, bit by bit; package npy, of others, reads the numbers too.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		values := rapid.SliceOfN(rapid.Float64(), rows*cols, rows*cols).Draw(t, "values")
		var b bytes.Buffer
		must.Do(t, numpy.WriteNumbers(&b, []int{rows, cols}, values))
		got, err := numpy.Read(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&numpy.Array{Shape: []int{rows, cols}, Numbers: values},
			got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		var m mat.Dense
		if err := npy.Read(&b, &m); err != nil || !mat.Equal(&m, mat.NewDense(rows, cols, values)) {
			t.Fatalf("npy reads %v, error %v, want %v", m.RawMatrix().Data, err, values)
		}
		bits := rapid.SliceOfN(rapid.Int8(), rows*cols, rows*cols).Draw(t, "bytes")
		b.Reset()
		must.Do(t, numpy.WriteBytes(&b, []int{rows, cols}, bits))
		if got, err = numpy.Read(bytes.NewReader(b.Bytes())); err != nil {
			t.Fatal(err)
		}
		for k, v := range bits {
			if got.Numbers[k] != float64(v) {
				t.Fatalf("got %v, want %v", got.Numbers, bits)
			}
		}
	})
}

func TestTextsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		var b bytes.Buffer
		err := numpy.WriteTexts(&b, want)
		for _, text := range want {
			if strings.HasSuffix(text, "\x00") {
				if err == nil {
					t.Fatalf("wrote %q, which a file cannot tell from a shorter text", want)
				}
				return
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		got := must.Get(numpy.Read(bytes.NewReader(b.Bytes())))(t)
		if diff := cmp.Diff(want, got.Texts, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(file("<f8", "False", "1,", "12345678"))
	f.Add(file("<U1", "True", "1, 1", "a\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := numpy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		count := 1
		for _, n := range a.Shape {
			count *= n
		}
		if len(a.Numbers)+len(a.Texts) != count {
			t.Fatalf("%d numbers and %d texts in shape %v", len(a.Numbers), len(a.Texts), a.Shape)
		}
	})
}

// Arrays of numbers in two dimensions are matrices, those in one columns, and no others.
func TestMatrix(t *testing.T) {
	numbers := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		array      numpy.Array
		rows, cols int // 0: an error
	}{
		{numpy.Array{Shape: []int{2, 3}, Numbers: numbers}, 2, 3},
		{numpy.Array{Shape: []int{6, 1}, Numbers: numbers}, 6, 1},
		{numpy.Array{Shape: []int{6}, Numbers: numbers}, 6, 1},
		{numpy.Array{Shape: []int{1}, Numbers: numbers[:1]}, 1, 1},
		{numpy.Array{Shape: []int{}, Numbers: numbers[:1]}, 0, 0},
		{numpy.Array{Shape: []int{0}}, 0, 0},
		{numpy.Array{Shape: []int{0, 3}}, 0, 0},
		{numpy.Array{Shape: []int{3, 0}}, 0, 0},
		{numpy.Array{Shape: []int{1, 2, 3}, Numbers: numbers}, 0, 0},
		{numpy.Array{Shape: []int{2}, Texts: []string{"a", "b"}}, 0, 0},
	} {
		m, err := c.array.Matrix()
		if (err == nil) != (c.rows > 0) {
			t.Errorf("shape %v: error %v", c.array.Shape, err)
		}
		if err != nil {
			continue
		}
		if rows, cols := m.Dims(); rows != c.rows || cols != c.cols ||
			!slices.Equal(m.RawMatrix().Data, c.array.Numbers) {
			t.Errorf("shape %v: %d×%d, %v", c.array.Shape, rows, cols, m.RawMatrix().Data)
		}
	}
}
