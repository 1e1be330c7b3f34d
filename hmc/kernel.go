package hmc

import (
	"fmt"
	"math"

	"tobac/chain"
	"tobac/internal/hamiltonian"
)

// Kernel has the settings of Hamiltonian Monte Carlo, which a [chain.Sampler] runs. With one leap
// it is the Metropolis-adjusted Langevin algorithm (MALA).
type Kernel struct {
	Acceptance float64      // mean acceptance aimed at, defaults to 0.8; to 0.574 for one leap
	Leaps      int          // greatest number of leapfrog steps, defaults to 20
	Metric     chain.Metric // defaults to chain.Automatic
}

var _ chain.Kernel = Kernel{}

// Check implements [chain.Kernel].
func (k Kernel) Check() error {
	if k.Leaps < 0 {
		return fmt.Errorf("hmc: %d leaps, want at least 1", k.Leaps)
	}
	return hamiltonian.Check("hmc", k.Acceptance, k.Metric)
}

// Mass implements [chain.Kernel].
func (k Kernel) Mass() chain.Metric { return k.Metric }

// Moves implements [chain.Kernel].
func (k Kernel) Moves(w *chain.Walk) func() bool {
	if k.Leaps == 0 {
		k.Leaps = 20
	}
	if k.Acceptance == 0 {
		if k.Acceptance = 0.8; k.Leaps == 1 {
			k.Acceptance = 0.574
		}
	}
	h, z := hamiltonian.New(w, k.Acceptance), chain.NewPoint(len(w.Chain.X))
	return func() bool {
		c := w.Chain
		if !h.Begin() {
			return false
		}
		z.Set(w.Here())
		h.Momentum(&z)
		start := z.Energy
		for range 1 + w.Rand.IntN(k.Leaps) {
			if h.Leap(&z, c.Step); w.Stopped() {
				return false
			}
			if z.Energy-start > 1000 {
				c.Divergent = true
				break
			}
		}
		c.Accepted, c.Energy = math.Exp(math.Min(0, start-z.Energy)), start
		if accept := w.Rand.Float64() < c.Accepted; accept && !c.Divergent {
			c.Energy = z.Energy
			w.Move(&z)
		} else {
			here := *w.Here()
			w.Move(&here)
		}
		return h.Adapt()
	}
}
