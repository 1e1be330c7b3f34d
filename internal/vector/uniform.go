package vector

import "math/bits"

// FillUniform writes independent uniform numbers, strictly inside (0, 1), from
// the stream that seed selects: xoshiro256++ in eight interleaved lanes, whose
// states SplitMix64 draws from the seed. The numbers are the same for every set
// and processor.
func (s Set) FillUniform(dst []float64, seed uint64) {
	var state [4 * block]uint64
	for i := range state {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		state[i] = z ^ z>>31
	}
	n := len(dst) &^ (block - 1)
	if n > 0 {
		s.draw(dst[:n], &state)
	}
	if n < len(dst) {
		var rest [block]float64
		s.draw(rest[:], &state)
		copy(dst[n:], rest[:])
	}
}

func (s Set) draw(dst []float64, state *[4 * block]uint64) {
	switch s {
	case Portable:
		uniform(dst, state)
	case AVX512:
		uniformAVX512(&dst[0], len(dst), state)
	default:
		uniformAVX2(&dst[0], len(dst), state)
	}
}

// uniform advances lane l = i mod 8 for number i; state word w of lane l is
// state[8w+l]. A draw k of 52 bits becomes (k+½)·2⁻⁵². Two lanes go together,
// since each is a chain of dependent operations.
func uniform(dst []float64, state *[4 * block]uint64) {
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
