package nuts_test

import "math/rand/v2"

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
