package graphfile_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/internal/delimited"
	"tobac/internal/graphfile"
	"tobac/internal/numpy"
)

// FuzzReadMatrix: a matrix that is read has as many names as rows and columns, and is the same when
// it is written with names and read again.
func FuzzReadMatrix(f *testing.F) {
	for _, text := range []string{"0,0.5\n0,0\n", "a,b\n0,1\n-1e300,0\n", ",a,b\na,0,1\nb,0,0\n",
		"\"1\";\"2\"\n0;1,5\n2;0\n", "1\n", "a\n1\n", "\"a\",b\n1,2\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, m, err := graphfile.ReadMatrix(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		rows, cols := m.Dims()
		if rows != cols || rows != len(names) {
			t.Fatalf("%d names of a %d×%d matrix", len(names), rows, cols)
		}
		written := append(delimited.AppendTexts([]byte(`"",`), names...), '\n')
		for i, name := range names {
			written = delimited.AppendTexts(written, name)
			for j := range cols {
				written = append(written, fmt.Sprintf(",%v", m.At(i, j))...)
			}
			written = append(written, '\n')
		}
		again, back, err := graphfile.ReadMatrix(bytes.NewReader(written), "again")
		if err != nil || !slices.Equal(names, again) {
			t.Fatalf("%q written as %q has the names %q, error %v", text, written, again, err)
		}
		for i := range rows {
			for j := range cols {
				if a, b := m.At(i, j), back.At(i, j); math.Float64bits(a) != math.Float64bits(b) {
					t.Fatalf("entry (%d,%d) is %v, then %v", i, j, a, b)
				}
			}
		}
	})
}

// FuzzReadProbabilitiesNPY: an array is read as valid edge probabilities that are its numbers, or
// refused.
func FuzzReadProbabilitiesNPY(f *testing.F) {
	for _, values := range [][]float64{{0, 0.5, 0.25, 0}, {0, 1.5, 0, 0}, {1, 0, 0, 0},
		{0, math.NaN(), 0, 0}} {
		var b bytes.Buffer
		if err := numpy.WriteNumbers(&b, []int{2, 2}, values); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := graphfile.ReadProbabilitiesNPY(bytes.NewReader(data), "fuzz", nil)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		a, err := numpy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if !slices.Equal(a.Numbers, p.Probabilities.RawMatrix().Data) {
			t.Fatalf("read %v from %v", p.Probabilities.RawMatrix().Data, a.Numbers)
		}
	})
}
