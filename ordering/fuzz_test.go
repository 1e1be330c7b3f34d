package ordering_test

import (
	"context"
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
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 1e155, 5e-324,
		-1e-160, 1e-155, 0, math.Copysign(0, -1)}
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
		for _, e := range estimators {
			got, err := e.orderer.Order(context.Background(), x, nil, 1)
			if err != nil {
				if got != nil {
					t.Errorf("%s: a result beside the error %v", e.name, err)
				}
				continue
			}
			if err := ordering.Validate(got.Order, d); err != nil {
				t.Errorf("%s: %v", e.name, err)
			}
			for c, v := range got.Criterion {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Errorf("%s: criterion %d is %g", e.name, c, v)
				}
			}
			for c, v := range got.Gaps {
				if math.IsNaN(v) || v < 0 {
					t.Errorf("%s: gap %d is %g", e.name, c, v)
				}
			}
			if d > 1 && (len(got.Criterion) != d || len(got.Gaps) != d) ||
				math.IsNaN(got.MinRelGap) || got.MinRelGap < 0 {
				t.Errorf("%s: %+v", e.name, got)
			}
			checkSortability(t, x, got.Order)
		}
		if b, err := ordering.Bootstrap(t.Context(), ordering.MethodEqVar, x, 3,
			ordering.BootstrapOptions{Workers: 2}); err == nil {
			if s := b.Stability(); !(s >= 0.5 && s <= 1) {
				t.Errorf("stability %g", s)
			}
		}
	})
}

// checkSortability asserts shares from 0 to 1 for the complete graph of an order.
func checkSortability(t *testing.T, x mat.Matrix, order []int) {
	g := mat.NewDense(len(order), len(order), nil)
	for c, i := range order {
		for _, j := range order[c+1:] {
			g.Set(i, j, 1)
		}
	}
	for _, measure := range []func(x, g mat.Matrix) (float64, error){ordering.Varsortability,
		ordering.R2Sortability} {
		if v, err := measure(x, g); err == nil && !(v >= 0 && v <= 1) {
			t.Errorf("sortability %g", v)
		}
	}
}
