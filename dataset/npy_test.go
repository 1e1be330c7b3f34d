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
	"tobac/internal/must"
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
	little := binary.LittleEndian
	tests := []struct {
		name string
		data []byte
	}{
		{"float64", npyFile("<f8", "False", "(2, 3)", little, []float64{1, 2, 3, 4, 5, 6})},
		{"column-major", npyFile("<f8", "True", "(2, 3)", little, []float64{1, 4, 2, 5, 3, 6})},
		{"int64", npyFile("<i8", "True", "(2, 3)", little, []int64{1, 4, 2, 5, 3, 6})},
		{"no comma behind the shape",
			headed("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
				[]float64{1, 2, 3, 4, 5, 6})},
		{"entries in another sequence",
			headed(`{"shape":(2,3),"descr":"<f8","fortran_order":False}`,
				[]float64{1, 2, 3, 4, 5, 6})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := must.Get(dataset.ReadNPY(bytes.NewReader(test.data), "x.npy"))(t)
			if diff := cmp.Diff([]string{"X0", "X1", "X2"}, got.Names); diff != "" ||
				!mat.Equal(got.X, want) {
				t.Errorf("got %v, names (-want +got):\n%s", got.X, diff)
			}
		})
	}
	t.Run("written by npyio", func(t *testing.T) {
		var b bytes.Buffer
		must.Do(t, npy.Write(&b, want))
		got, err := dataset.ReadNPY(&b, "x.npy")
		if err != nil || !mat.Equal(got.X, want) {
			t.Errorf("got %v, error %v", got, err)
		}
	})
}

func TestReadNPYErrors(t *testing.T) {
	little := binary.LittleEndian
	const shapes = "; allowed: two dimensions, rows and columns, at least one of each"
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "x.npy: not a NumPy file: it does not begin as one"},
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
		must.Do(t, table.Validate())
	})
}
