package models

import (
	"tobac/autograd"
	"tobac/internal/stream"
)

// seeded draws uniform noise from a separate stream for every purpose, step and particle: the noise
// of settings that hold a seed and no Noise.
type seeded uint64

var _ Noise = seeded(0)

// Fill implements [Noise].
func (s seeded) Fill(dst []float64, purpose Purpose, step, particle int) {
	autograd.FillUniform(dst, StreamSeed(uint64(s), purpose, step, particle))
}

// StreamSeed is the seed of the stream, as [autograd.FillUniform] takes it, from
// which a [TOBAC] without Noise draws for a purpose, step and particle.
func StreamSeed(seed uint64, purpose Purpose, step, particle int) uint64 {
	return stream.Seed(seed, stream.Purpose(purpose), step, particle)
}

// Purpose tells the random streams of one step and particle apart.
type Purpose uint64

const (
	SoftGraphs = Purpose(stream.SoftGraphs) // uniform noise of the soft graphs, for Z
	HardGraphs = Purpose(stream.HardGraphs) // uniform noise of the hard graphs, for Θ
	// uniform noise of the soft graphs of the acyclicity penalty
	penaltyGraphs = Purpose(stream.PenaltyGraphs)
)

// Noise supplies the uniform numbers of the Monte Carlo graphs: dst[e·S+s] in (0, 1) for pair e of
// sample s, pairs being numbered child by child, parents ascending, without those that [FixedEdges]
// fixes. A hard sample has edge e where the number is below the edge's probability. Fill must
// depend on its arguments only and may be called concurrently.
type Noise interface {
	Fill(dst []float64, purpose Purpose, step, particle int)
}
