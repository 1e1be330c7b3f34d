package vector

import (
	"math/bits"

	"tobac/internal/stream"
)

// A Stream is the state of a generator of uniform numbers: xoshiro256++ in eight
// interleaved lanes; word w of lane l is element 8w+l.
type Stream [4 * block]uint64

// NewStream is the stream that seed selects: SplitMix64 draws its state.
func NewStream(seed uint64) (st Stream) {
	for i := range st {
		st[i] = stream.Mix(seed + uint64(i)*stream.Golden)
	}
	return st
}

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects. The numbers are the same for every set and
// processor.
func (s Set) FillUniform(dst []float64, seed uint64) {
	st := NewStream(seed)
	n := len(dst) &^ (block - 1)
	if n > 0 {
		s.Draw(dst[:n], &st)
	}
	if n < len(dst) {
		var rest [block]float64
		s.Draw(rest[:], &st)
		copy(dst[n:], rest[:])
	}
}

// Draw writes the next numbers of a stream, a positive multiple of 8 of them.
func (s Set) Draw(dst []float64, st *Stream) {
	if s == Portable {
		uniform(dst, st)
		return
	}
	uniformAVX2(&dst[0], len(dst), st)
}

// uniform advances lane l = i mod 8 for number i; state word w of lane l is
// state[8w+l]. A draw k of 52 bits becomes (k+½)·2⁻⁵². Two lanes go together,
// since each is a chain of dependent operations.
func uniform(dst []float64, state *Stream) {
	for l := 0; l < block; l += 2 {
		a, b, c, d := state[l], state[8+l], state[16+l], state[24+l]
		e, f, g, h := state[l+1], state[9+l], state[17+l], state[25+l]
		for i := l; i+1 < len(dst); i += block {
			o, p := bits.RotateLeft64(a+d, 23)+a, bits.RotateLeft64(e+h, 23)+e
			t, u := b<<17, f<<17
			c ^= a
			g ^= e
			d ^= b
			h ^= f
			b ^= c
			f ^= g
			a ^= d
			e ^= h
			c ^= t
			g ^= u
			d = bits.RotateLeft64(d, 45)
			h = bits.RotateLeft64(h, 45)
			dst[i] = (float64(int64(o>>12)) + 0.5) * 0x1p-52
			dst[i+1] = (float64(int64(p>>12)) + 0.5) * 0x1p-52
		}
		state[l], state[8+l], state[16+l], state[24+l] = a, b, c, d
		state[l+1], state[9+l], state[17+l], state[25+l] = e, f, g, h
	}
}
