package vm

import (
	"math"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// Element-wise operations compute on all special numbers what Go's own arithmetic does,
// with every kernel set: the sign of zero, infinities, subnormal numbers and NaN.
func TestSpecialValues(t *testing.T) {
	nan := math.NaN()
	indicator := func(holds, unordered bool) float64 {
		switch {
		case unordered:
			return nan
		case holds:
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		code Code
		want func(a, b float64) float64
	}{
		{Copy, func(a, _ float64) float64 { return a }},
		{Neg, func(a, _ float64) float64 { return math.Copysign(a, -math.Copysign(1, a)) }},
		{Add, func(a, b float64) float64 { return a + b }},
		{Sub, func(a, b float64) float64 { return a - b }},
		{Mul, func(a, b float64) float64 { return a * b }},
		{Scale, func(a, b float64) float64 { return b * a }},
		{NegScale, func(a, b float64) float64 { return -b * a }},
		{AddS, func(a, b float64) float64 { return a + b }},
		{SubS, func(a, b float64) float64 { return a - b }},
		{RSubS, func(a, b float64) float64 { return b - a }},
		{Relu, func(a, _ float64) float64 { return math.Max(a, 0) }},
		{Positive, func(a, _ float64) float64 { return indicator(a > 0, a != a) }},
		{Less, func(a, b float64) float64 { return indicator(a < b, a != a || b != b) }},
	} {
		for _, set := range vector.Available() {
			for _, b := range special {
				n := (len(special) + VectorLen - 1) / VectorLen * VectorLen
				x := New(set, []float64{b}, Size{Width: n, Full: 3})
				copy(x.Full, special)
				for i := range n {
					x.Full[n+i] = b
				}
				op := Op{Code: c.code, Dst: 2, A: 0, B: 1}
				if table[c.code].b == number {
					op.B = 0
				}
				x.Run(&Group{Code: []Op{op, {Code: End}}}, n)
				for i, a := range special {
					if got, want := x.Full[2*n+i], c.want(a, b); !same(got, want) {
						t.Errorf("%v: %v of %v and %v: got %v, want %v", set, c.code, a, b, got,
							want)
					}
				}
			}
		}
	}
}

// A tile's relu is that of the operation: of a sum −0 it is +0, of NaN it is NaN.
func TestTileRelu(t *testing.T) {
	const n = 5 * VectorLen
	negative := math.Copysign(0, -1)
	for _, set := range vector.Available() {
		rows := RowsPerTile(set)
		args := make([]int32, TileHead, TileHead+1)
		args[TileJoint], args[TileRows], args[TilePanel] = 1, int32(rows), 1
		args = append(args, 0)
		for r := range rows {
			args[TileDst+r] = int32(1 + r)
		}
		// biases and factors
		arena := append([]float64{negative}, slices.Repeat([]float64{1}, rows)...)
		x := New(set, arena, Size{Width: n, Full: 1 + rows})
		values := []float64{negative, 0, math.NaN(), -1, 2, math.Inf(1), math.Inf(-1), 5e-324,
			-5e-324}
		for i := range n {
			x.Full[i] = values[i%len(values)]
		}
		x.Run(&Group{Code: []Op{{Code: TileRelu}, {Code: End}}, Args: args}, n)
		for i := range rows * n {
			if got, want := x.Full[n+i], math.Max(x.Full[i%n], 0); !same(got, want) {
				t.Errorf("%v: row %d, lane %d: relu of %v is %v, want %v", set, i/n, i%n,
					x.Full[i%n], got, want)
			}
		}
	}
}
