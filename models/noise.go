package models

import (
	"math/rand/v2"

	"tobac/autograd"
)

// seeded draws uniform noise from streams of its own for every purpose, step
// and particle.
type seeded uint64

var _ Noise = seeded(0)

// SeededNoise is the noise of a [TOBAC] whose settings hold this seed and no
// Noise of their own.
func SeededNoise(seed uint64) Noise { return seeded(seed) }

// Fill implements [Noise].
func (s seeded) Fill(dst []float64, purpose Purpose, step, particle int) {
	autograd.FillUniform(dst, StreamSeed(uint64(s), purpose, step, particle))
}

// stream is the random stream of a seed, purpose, step and particle.
func stream(seed uint64, purpose Purpose, step, particle int) (src rand.PCG) {
	k := StreamSeed(seed, purpose, step, particle)
	src.Seed(k, mix(k))
	return src
}

// StreamSeed is the seed of the stream, as [autograd.FillUniform] takes it, from
// which [SeededNoise] draws for a purpose, step and particle.
func StreamSeed(seed uint64, purpose Purpose, step, particle int) uint64 {
	return mix(mix(mix(mix(seed)+uint64(purpose))+uint64(step)) + uint64(particle))
}

// mix is the finaliser of SplitMix64: a bijection that spreads every bit.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
