package dataset_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"tobac/dataset"
	"tobac/internal/numpy"
)

// FuzzNPYReadersAgree: a file that both readers of NumPy's format take has the same numbers for both.
func FuzzNPYReadersAgree(f *testing.F) {
	f.Add(npyFile("<f8", "False", "(2, 2)", binary.LittleEndian, []float64{1, 2, 3, math.NaN()}))
	f.Add(npyFile(">f4", "True", "(1, 3)", binary.BigEndian, []float32{1, 2, 3}))
	f.Add(npyFile("|i1", "True", "(2, 2)", binary.LittleEndian, []int8{1, 2, -3, 4}))
	f.Add(npyFile("<u8", "False", "(1, 1)", binary.LittleEndian, []uint64{1 << 63}))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := dataset.ReadArrayNPY(bytes.NewReader(data), "fuzz.npy")
		if err != nil {
			return
		}
		n, d := x.Dims()
		a, err := numpy.Read(data)
		if err != nil {
			return // it takes fewer kinds of numbers
		}
		if !slices.Equal(a.Shape, []int{n, d}) && !(d == 1 && slices.Equal(a.Shape, []int{n})) {
			t.Fatalf("shapes %v and %d×%d", a.Shape, n, d)
		}
		for i, want := range a.Numbers {
			if got := x.At(i/d, i%d); got != want && (got == got || want == want) {
				t.Fatalf("number %d is %v and %v", i, got, want)
			}
		}
	})
}
