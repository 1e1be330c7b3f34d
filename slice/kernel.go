package slice

import (
	"math"

	"tobac/chain"
)

// Kernel is a sweep over the coordinates, which a [chain.Sampler] runs.
type Kernel struct{}

var _ chain.Kernel = Kernel{}

// Check implements [chain.Kernel].
func (Kernel) Check() error { return nil }

// Mass implements [chain.Kernel].
func (Kernel) Mass() chain.Metric { return chain.Diagonal }

// Moves implements [chain.Kernel].
func (Kernel) Moves(w *chain.Walk) func() bool {
	d := len(w.Chain.X)
	now, trial := chain.NewPoint(d), chain.NewPoint(d)
	return func() bool {
		c := w.Chain
		now.Set(w.Here())
		for i := range d {
			width := 2 * math.Sqrt(c.Metric[i])
			level := now.LogDensity - w.Rand.ExpFloat64()
			at := now.X[i]
			// above evaluates coordinate i; false too if the run stops
			above := func(v float64) bool {
				copy(trial.X, now.X)
				trial.X[i] = v
				c.Leaps++
				return w.Eval(&trial) && trial.LogDensity > level
			}
			low := at - width*w.Rand.Float64()
			high := low + width
			left := w.Rand.IntN(10) // extensions to each side, nine in all
			right := 9 - left
			for ; left > 0 && above(low); left-- {
				low -= width
			}
			for ; right > 0 && above(high); right-- {
				high += width
			}
			for !w.Stopped() {
				v := low + (high-low)*w.Rand.Float64()
				if above(v) || high-low < 1e-14*(1+math.Abs(at)) {
					break
				}
				if v < at {
					low = v
				} else {
					high = v
				}
			}
			if w.Stopped() {
				return false
			}
			if trial.LogDensity > level {
				now.Set(&trial)
			}
		}
		c.Accepted = 1
		w.Move(&now)
		w.Learn()
		return true
	}
}
