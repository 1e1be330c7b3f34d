package stream

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Golden is the step γ of SplitMix64 from state to state, 2⁶⁴ divided by the
// golden ratio.
const Golden = 0x9e3779b97f4a7c15

// Mix is the output of SplitMix64 for the state x, a bijection that spreads every
// bit. The generator's next state is x + [Golden].
func Mix(x uint64) uint64 {
	x += Golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Place is one place for several numbers from 0, such as the members of a set: their hash by
// Fowler, Noll and Vo, below 2⁶².
func Place(numbers ...int) int {
	h := uint64(14695981039346656037)
	for _, i := range numbers {
		h = (h ^ uint64(i+1)) * 1099511628211
	}
	return int(h >> 2)
}

// Choose draws a place in a list of weights whose sum is 1 but for rounding.
func Choose(rng *rand.Rand, weights []float64) int {
	u := rng.Float64()
	for k, w := range weights {
		if u -= w; u < 0 {
			return k
		}
	}
	return len(weights) - 1
}

// New is the stream of a seed for a purpose at places. It panics unless there are
// as many places as the purpose has.
func New(seed uint64, p Purpose, places ...int) *rand.Rand {
	return rand.New(NewSource(seed, p, places...))
}

// A Source is a stream whose state can be saved and restored, for a run that is
// interrupted in the middle of one.
type Source interface {
	rand.Source
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// NewSource is the stream of [New] as a source of bits.
func NewSource(seed uint64, p Purpose, places ...int) Source {
	checkPlaces(p, places)
	switch row := purposes[p]; row.derivation {
	case keyed:
		return rand.NewChaCha8(key(seed, row.text, places))
	case plain:
		return rand.NewPCG(seed, plainNumber(p, places))
	default:
		k := Seed(seed, p, places...)
		return rand.NewPCG(k, Mix(k))
	}
}

// Seed is one number in place of the stream of [New], for what takes a seed of
// its own: k of the derivations that have one, and the first number of the
// stream for the others. It panics unless there are as many places as the
// purpose has.
func Seed(seed uint64, p Purpose, places ...int) uint64 {
	checkPlaces(p, places)
	switch row := purposes[p]; row.derivation {
	case keyed:
		return rand.NewChaCha8(key(seed, row.text, places)).Uint64()
	case plain:
		return rand.NewPCG(seed, plainNumber(p, places)).Uint64()
	case jumped:
		if places[0] == 0 {
			return seed
		}
		return Mix(seed + uint64(places[0]-1)*Golden)
	default:
		k := Mix(Mix(seed) + row.number)
		for _, place := range places {
			k = Mix(k + uint64(place))
		}
		return k
	}
}

// key is the key of a keyed stream.
func key(seed uint64, text string, places []int) (key [32]byte) {
	binary.LittleEndian.PutUint64(key[:], seed)
	at := 8
	for _, place := range places {
		binary.LittleEndian.PutUint64(key[at:], uint64(place))
		at += 8
	}
	copy(key[at:], text) // the whole text: a test looks
	return key
}

// plainNumber is the second number of a plain stream.
func plainNumber(p Purpose, places []int) uint64 {
	if len(places) > 0 {
		return uint64(places[0])
	}
	return purposes[p].number
}

func checkPlaces(p Purpose, places []int) {
	if want := purposes[p].places; len(places) != want {
		panicPlaces(p, len(places), want)
	}
}

// panicPlaces is apart so that formatting does not move places to the heap.
func panicPlaces(p Purpose, got, want int) {
	panic(fmt.Sprintf("stream: got %d places for %q, want %d", got, p, want))
}
