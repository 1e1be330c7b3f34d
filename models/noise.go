package models

import (
	"tobac/autograd"
	"tobac/internal/stream"
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

// StreamSeed is the seed of the stream, as [autograd.FillUniform] takes it, from
// which [SeededNoise] draws for a purpose, step and particle.
func StreamSeed(seed uint64, purpose Purpose, step, particle int) uint64 {
	return stream.Seed(seed, stream.Purpose(purpose), step, particle)
}
