package gflownet

import (
	"fmt"
	"math"
	"time"

	ad "tobac/autograd"
)

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

// Forecast is about the number of seconds that an iteration of d variables takes on this
// machine now, from the time of gradients of a small network of the same kind: it takes up to
// some seconds for Paper, and says beforehand what could take days.
func Forecast(d int, set Settings, workers int) (float64, error) {
	set = set.WithDefaults(d)
	if set.Policy == Exact {
		return 0, nil
	}
	small, states := min(d, 4), set.Batch
	set.Batch = min(states, 4)
	p, parameters, err := set.lossProgram(small, workers)
	if err != nil {
		return math.NaN(), fmt.Errorf("gflownet: forecast: %w", err)
	}
	defer p.run.Close()
	weights := draw(parameters, 0)
	for i := range p.allowed {
		p.allowed[i] = 1
	}
	best := math.Inf(1)
	for range 3 { // the first one also allocates
		start := time.Now()
		if err := p.eval(weights); err != nil {
			return math.NaN(), fmt.Errorf("gflownet: forecast: %w", err)
		}
		best = min(best, time.Since(start).Seconds())
	}
	tokens := float64(d) / float64(small)
	if set.Policy != Graph {
		tokens *= tokens
	}
	// A value takes a third of the time of value and gradient; those of the target network and the
	// environments come on top.
	equivalent := float64(states) + float64(states+set.Environments)/3
	return best / float64(set.Batch) * equivalent * tokens, nil
}
