package mcmc

import (
	"math"

	"tobac/diagnostics"
)

// Trace describes the chains as they are, at the cost of a look at each variable.
// It changes nothing.
func (m *Sampler) Trace() diagnostics.GraphTrace {
	t := diagnostics.GraphTrace{RHat: math.NaN()}
	var moves counter
	var all []series
	for _, c := range m.chains {
		t.LogP += c.lastLogScore() / float64(len(m.chains))
		n := c.counts[0]
		for _, k := range []counter{n.Relocate, n.Swap, n.SplitMerge, n.Reverse} {
			moves.Tried += k.Tried
			moves.Accepted += k.Accepted
		}
		all = append(all, c.record.series)
	}
	t.RHat = quantity(all, len(m.chains[0].record.values)-1, 0).RHat
	t.Acceptance = math.NaN()
	if moves.Tried > 0 {
		t.Acceptance = moves.rate()
	}
	return t
}
