package dataset_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"codeberg.org/sbinet/npyio/npy"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
)

// npyFile writes a version 1 file as NumPy does; values are written one after the other in the
// given byte order.
func npyFile(descr, fortran, shape string, order binary.ByteOrder, values any) []byte {
	return written(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
		fortran, shape), order, values)
}

// headed is a file with another header, little-endian.
func headed(header string, values any) []byte {
	return written(header, binary.LittleEndian, values)
}

func written(header string, order binary.ByteOrder, values any) []byte {
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header))) // a bytes.Buffer does not fail
	b.WriteString(header)
	binary.Write(&b, order, values)
	return b.Bytes()
}

func TestReadNPY(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	little, big := binary.LittleEndian, binary.BigEndian
	tests := []struct {
		name string
		data []byte
	}{
		{"float64", npyFile("<f8", "False", "(2, 3)", little, []float64{1, 2, 3, 4, 5, 6})},
		{"float32", npyFile("<f4", "False", "(2, 3)", little, []float32{1, 2, 3, 4, 5, 6})},
		{"big-endian", npyFile(">f8", "False", "(2, 3)", big, []float64{1, 2, 3, 4, 5, 6})},
		{"column-major", npyFile("<f8", "True", "(2, 3)", little, []float64{1, 4, 2, 5, 3, 6})},
		{"int8", npyFile("|i1", "False", "(2, 3)", little, []int8{1, 2, 3, 4, 5, 6})},
		{"int16", npyFile("<i2", "False", "(2, 3)", little, []int16{1, 2, 3, 4, 5, 6})},
		{"int32", npyFile(">i4", "False", "(2, 3)", big, []int32{1, 2, 3, 4, 5, 6})},
		{"int64", npyFile("<i8", "True", "(2, 3)", little, []int64{1, 4, 2, 5, 3, 6})},
		{"uint8", npyFile("|u1", "False", "(2, 3)", little, []uint8{1, 2, 3, 4, 5, 6})},
		{"uint64", npyFile("<u8", "False", "(2, 3)", little, []uint64{1, 2, 3, 4, 5, 6})},
		{"no comma behind the shape",
			headed("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
				[]float64{1, 2, 3, 4, 5, 6})},
		{"entries in another sequence",
			headed(`{"shape":(2,3),"descr":"<f8","fortran_order":False}`,
				[]float64{1, 2, 3, 4, 5, 6})},
		{"float16", npyFile("<f2", "False", "(2, 3)", little,
			[]uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := dataset.ReadNPY(bytes.NewReader(test.data), "x.npy")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"X0", "X1", "X2"}, got.Names); diff != "" ||
				!mat.Equal(got.X, want) {
				t.Errorf("got %v, names (-want +got):\n%s", got.X, diff)
			}
		})
	}
	t.Run("written by npyio", func(t *testing.T) {
		var b bytes.Buffer
		if err := npy.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := dataset.ReadNPY(&b, "x.npy")
		if err != nil || !mat.Equal(got.X, want) {
			t.Errorf("got %v, error %v", got, err)
		}
	})
}

func TestReadNPYErrors(t *testing.T) {
	little := binary.LittleEndian
	good := npyFile("<f8", "False", "(2, 2)", little, []float64{1, 2, 3, 4})
	const types = "; allowed: f2, f4, f8, i1 to i8, u1 to u8, b1, U and S"
	const shapes = "; allowed: two dimensions, rows and columns, at least one of each"
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "x.npy: not a NumPy file: it does not begin as one"},
		{"text", []byte("a,b\n1,2\n"), "x.npy: not a NumPy file: it does not begin as one"},
		{"header cut short", good[:30], "x.npy: not a NumPy file: it ends in the header"},
		{"header of four gigabytes", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"),
			"x.npy: NumPy header of 4294967295 bytes, want at most 65536"},
		{"data cut short", good[:len(good)-1], "x.npy: NumPy array of shape [2 2] is cut short: " +
			"31 bytes after the header, want 8 of each element"},
		{"trailing bytes", append(bytes.Clone(good), 7), "x.npy: NumPy array of shape [2 2] ends " +
			"before the file does; allowed: a single array in a file"},
		{"size overflows", npyFile("<f8", "False", "(4294967296, 4294967296)", little, []float64{}),
			"x.npy: NumPy array of shape (4294967296, 4294967296), want at most " +
				"2147483647 elements"},
		{"one dimension", npyFile("<f8", "False", "(4,)", little, []float64{1, 2, 3, 4}),
			"x.npy: NumPy array of shape [4]" + shapes},
		{"three dimensions", npyFile("<f8", "False", "(1, 2, 2)", little, []float64{1, 2, 3, 4}),
			"x.npy: NumPy array of shape [1 2 2]" + shapes},
		{"no rows", npyFile("<f8", "False", "(0, 2)", little, []float64{}),
			"x.npy: NumPy array of shape [0 2]" + shapes},
		{"texts", npyFile("<U1", "False", "(1, 1)", little, []int32{'a'}),
			"x.npy: NumPy array of texts; allowed: numbers"},
		{"two shapes",
			headed("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'shape': (4, 1), }",
				[]float64{1, 2, 3, 4}), "x.npy: not a NumPy file: header is malformed"},
		{"complex", npyFile("<c16", "False", "(1, 1)", little, []float64{1, 2}),
			`x.npy: NumPy type "c16"` + types},
		{"objects", npyFile("|O", "False", "(1, 1)", little, []float64{1}),
			`x.npy: NumPy type "O"` + types},
		{"NaN", npyFile("<f8", "False", "(2, 2)", little, []float64{1, 2, math.NaN(), 4}),
			`x.npy: row 2, column "X0" is NaN, want a finite number`},
		{"infinity", npyFile("<f4", "False", "(2, 2)", little,
			[]float32{1, float32(math.Inf(-1)), 3, 4}),
			`x.npy: row 1, column "X1" is -Inf, want a finite number`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := dataset.ReadNPY(bytes.NewReader(test.data), "x.npy")
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
	t.Run("failing reader", func(t *testing.T) {
		if _, err := dataset.ReadNPY(failingReader{}, "x.npy"); err == nil ||
			err.Error() != "x.npy: no data today" {
			t.Errorf("error %v", err)
		}
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, fmt.Errorf("no data today") }

// FuzzReadNPY: any bytes give an error or a valid table.
func FuzzReadNPY(f *testing.F) {
	f.Add(npyFile("<f8", "False", "(2, 2)", binary.LittleEndian, []float64{1, 2, 3, 4}))
	f.Add(npyFile("|i1", "True", "(1, 2)", binary.LittleEndian, []int8{1, 2}))
	f.Add([]byte("\x93NUMPY\x02\x00\x10\x00\x00\x00{'descr': }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := dataset.ReadNPY(bytes.NewReader(data), "fuzz.npy")
		if err != nil {
			return
		}
		if err := table.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
