package ordering_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/ordering"
)

// FuzzOrder asserts that every estimator returns a permutation with finite
// criteria or an error, for any values at all.
func FuzzOrder(f *testing.F) {
	f.Add(uint8(3), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add(uint8(2), []byte{255, 254, 253, 252, 251, 250, 249, 248})
	f.Add(uint8(4), []byte(strings.Repeat("\x10\x83\x27\x91\x55\x02\xf0", 9)))
	f.Add(uint8(1), []byte{0})
	f.Add(uint8(0), []byte{})
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 1e155, 5e-324, -1e-160, 1e-155, 0, math.Copysign(0, -1)}
	f.Fuzz(func(t *testing.T, width uint8, codes []byte) {
		d := int(width % 7)
		n := 0
		x := &mat.Dense{}
		if d > 0 {
			n = len(codes) / d
		}
		if n > 0 {
			x = mat.NewDense(n, d, nil)
			for i := range n * d {
				v := float64(int8(codes[i])) / 8
				if k := 255 - int(codes[i]); k < len(special) {
					v = special[k]
				}
				x.Set(i/d, i%d, v)
			}
		}
		for _, m := range ordering.Methods() {
			got, err := m.Order(x)
			if err != nil {
				if got != nil {
					t.Errorf("%v: a result beside the error %v", m, err)
				}
				continue
			}
			if err := ordering.Validate(got.Order, d); err != nil {
				t.Errorf("%v: %v", m, err)
			}
			for c, v := range got.Criterion {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Errorf("%v: criterion %d is %g", m, c, v)
				}
			}
			if d > 1 && len(got.Criterion) != d || math.IsNaN(got.MinRelGap) || got.MinRelGap < 0 {
				t.Errorf("%v: %+v", m, got)
			}
		}
	})
}
