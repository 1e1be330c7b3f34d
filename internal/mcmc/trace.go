package mcmc

import "math"

// A Trace says where the chains are, for a reader who waits for them.
type Trace struct {
	// LogP is the mean over the chains of ln p(D, G) of their current graphs.
	LogP float64
	// RHat is the split R̂ of ln p(D, G) over what has been recorded; NaN with fewer
	// than four blocks of samples per chain.
	RHat float64
	// Acceptance is the part of the proposals at inverse temperature 1 that changed the partition or
	// turned an edge around, over all chains; NaN without proposals.
	Acceptance float64
}

// Trace describes the chains as they are, at the cost of a look at each variable.
// It changes nothing.
func (m *Sampler) Trace() Trace {
	t := Trace{RHat: math.NaN()}
	var moves counter
	var all []series
	for _, c := range m.chains {
		t.LogP += c.logScore() / float64(len(m.chains))
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
