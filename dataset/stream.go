package dataset

import (
	"encoding/binary"
	"math/rand/v2"
)

// purpose is what a stream of random numbers is for, in at most 24 bytes.
type purpose string

const (
	forGraph      purpose = "simulate graph"
	forParameters purpose = "simulate parameters"
	forTrain      purpose = "simulate train"
	forHeldout    purpose = "simulate heldout"
)

// stream returns the random numbers of one purpose: ChaCha8 keyed with the seed, 8 bytes little-endian, and then the purpose, padded with zeros.
func stream(seed uint64, p purpose) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:8], seed)
	copy(key[8:], p)
	return rand.New(rand.NewChaCha8(key))
}
