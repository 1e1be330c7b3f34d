//go:build !purego

package vm

import (
	"unsafe"

	"tobac/internal/vector"
)

// What the assembly takes for granted: the bytes of an operation and of a stream, lanes
// that fill a line of the cache, the sides of tiles and blocks, and the order of codes.
// It does not compile otherwise.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Op{})-16]
	_ = [1]struct{}{}[unsafe.Sizeof(vector.Stream{})-256]
	_ = [1]struct{}{}[VectorLen-8]
	_ = [1]struct{}{}[MaxTileRows-4]
	_ = [1]struct{}{}[BlockSide-4]
	_ = [1]struct{}{}[TileRelu-Tile-1]
	_ = [1]struct{}{}[TileSquares-TileRelu-1]
	_ = [1]struct{}{}[BlockHead-BlockDst-2*BlockTerm]
)

//go:noescape
func runAVX2(x *state, pc int) int

//go:noescape
func runAVX512(x *state, pc int) int

// assembled runs operations of a group, from number pc on, up to the first one
// that the kernels of the set leave to Go, and returns that one's number.
func assembled(set vector.Set, x *state, pc int) int {
	switch set {
	case vector.AVX512:
		return runAVX512(x, pc)
	case vector.AVX2:
		return runAVX2(x, pc)
	}
	return pc
}

// scalePanels is to[4i+r] = from[4i+r]·m[offsets[i]] for i < n, r < 4.
//
//go:noescape
func scalePanels(to, from, m *float64, offsets *int32, n int)
