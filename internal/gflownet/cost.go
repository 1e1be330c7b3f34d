package gflownet

import ad "tobac/autograd"

// Bytes is about the memory that a fit of d variables takes at most, with the scores
// that are remembered and the transitions that are kept.
func Bytes(d int, set Settings, workers int) int64 {
	set = set.WithDefaults(d)
	if set.Policy == Exact {
		graphs := [...]float64{1, 1, 3, 25, 543, 29_281}
		return int64(graphs[min(d, MaxExact)] * float64(16*d+16*d*d+200))
	}
	l := &layers{b: ad.NewBuilder("shapes")}
	set.network(l, l.b.Input("seen", ad.Shape{set.Logits.channels(), d, d}))
	weights := 0
	for _, p := range l.parameters {
		weights += size(p.shape)
	}
	// Weights, moments, gradients, and what the programs keep of them; their gradients of
	// every state of a batch. The factors are measured.
	total := 8*weights*(30+set.Batch+set.Batch/2) + cacheBytes + set.Buffer*transitionBytes(d)
	return int64(total) + int64(8*activations(d, set)*float64(set.Batch)) + int64(workers)<<24
}

// activations is about the number of values that the gradient of one state keeps.
func activations(d int, set Settings) float64 {
	n := float64(d)
	block := func(tokens, width, side float64) float64 { return tokens * 2 * (12*width + 4*(width+side)) }
	switch set.Policy {
	case Graph:
		return n * (30*float64(set.Width) + 30*n)
	case Small:
		return 3 * block(n*n, 64, 32)
	default:
		return 7 * block(n*n, 256, 128)
	}
}
