package vm

import (
	"math"
	"slices"
	"testing"

	"tobac/internal/vector"
)

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
