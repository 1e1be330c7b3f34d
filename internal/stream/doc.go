// Package stream is where all random numbers of the module begin. A stream is a
// function of a seed, a [Purpose] and places, whole numbers from 0 such as the
// step and the particle; what is drawn from one stream never changes what
// another one gives, and no result depends on which worker draws, or when.
//
// # Derivations
//
// Results that were published stay what they are, so that there are four
// derivations. The table in purpose.go says which purpose has which; a new
// purpose takes the first. With m(x) the output of SplitMix64 for the state x,
// see [Mix], and γ = 0x9e3779b97f4a7c15,
//
//	keyed    ChaCha8, key: seed, then the places, 8 bytes each, little-endian, then the text of the purpose, zeros
//	chained  PCG(k, m(k)),   k = m(…m(m(m(seed) + purpose) + place_1)… + place_n)
//	jumped   PCG(k, m(k)),   k = m(seed + (place−1)·γ), or the seed itself for place 0
//	plain    PCG(seed, place), or PCG(seed, number of the purpose) without a place
//
// Two keyed streams of a seed never share a key if places are below 2⁵⁶: texts
// are not empty and hold no zero byte. The first numbers of every stream are
// frozen by a test.
//
// Nothing here reads a clock, a global generator or the number of processors. All
// functions are safe for concurrent use; a stream belongs to one goroutine.
package stream
