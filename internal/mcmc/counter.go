package mcmc

// A counter counts proposals and those that were accepted.
type counter struct{ Tried, Accepted int }

func (c *counter) add(accepted bool) {
	c.Tried++
	if accepted {
		c.Accepted++
	}
}

// rate is the accepted part of the proposals, zero without any.
func (c counter) rate() float64 {
	if c.Tried == 0 {
		return 0
	}
	return float64(c.Accepted) / float64(c.Tried)
}

// moveCounts counts the moves of each kind.
type moveCounts struct{ Relocate, Swap, SplitMerge, Reverse counter }
