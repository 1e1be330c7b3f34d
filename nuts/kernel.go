package nuts

import (
	"fmt"

	"tobac/chain"
	"tobac/internal/hamiltonian"
)

// Kernel has the settings of the no-U-turn sampler, which a [chain.Sampler] runs.
type Kernel struct {
	Acceptance float64      // mean acceptance aimed at, defaults to 0.8
	Depth      int          // greatest number of doublings, defaults to 10
	Metric     chain.Metric // defaults to chain.Automatic
}

var _ chain.Kernel = Kernel{}

// Check implements [chain.Kernel].
func (k Kernel) Check() error {
	if k.Depth < 0 || k.Depth > 30 {
		return fmt.Errorf("nuts: depth %d, want 1 to 30", k.Depth)
	}
	return hamiltonian.Check("nuts", k.Acceptance, k.Metric)
}

// Mass implements [chain.Kernel].
func (k Kernel) Mass() chain.Metric { return k.Metric }

// Moves implements [chain.Kernel].
func (k Kernel) Moves(w *chain.Walk) func() bool {
	if k.Acceptance == 0 {
		k.Acceptance = 0.8
	}
	if k.Depth == 0 {
		k.Depth = 10
	}
	return newWalk(k, w).iterate
}
