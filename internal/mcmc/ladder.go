package mcmc

import (
	"math"
	"math/rand/v2"

	"tobac/internal/stream"
)

// A chain is a ladder of partitions, each tempered by its own inverse
// temperature, of which the first, with 1, is that of the posterior.
type chain struct {
	*mover
	source    stream.Source // of rng
	iteration int
	warmUp    int
	betas     []float64 // falling, from 1
	rungs     []*partition
	counts    []moveCounts // by rung, after the warm-up
	swaps     []counter    // between rungs r and r+1, after the warm-up
	recent    []counter    // since the last change of betas
	record    record
	restored  float64 // see lastLogScore
}

func newChain(p *problem, o Options, k int) *chain {
	c := &chain{
		source: stream.NewSource(o.Seed, stream.MCMCMoves, k),
		warmUp: o.WarmUp, betas: make([]float64, o.Rungs), counts: make([]moveCounts, o.Rungs),
		swaps: make([]counter, o.Rungs-1), recent: make([]counter, o.Rungs-1),
	}
	c.mover = newMover(p, rand.New(c.source))
	for r := range o.Rungs {
		c.betas[r] = 1
		if o.Rungs > 1 { // geometric
			c.betas[r] = math.Pow(o.Hottest, float64(r)/float64(o.Rungs-1))
		}
	}
	return c
}

// step makes one iteration: moves of every rung, then exchanges between
// neighbours, of even and of odd rungs in turn. After the warm-up it records the
// first rung.
func (c *chain) step() {
	for r := len(c.rungs) - 1; r >= 0; r-- {
		c.sweep(r, c.betas[r])
	}
	if c.iteration >= c.warmUp {
		c.record.add(c) // the graph is that of the first rung
	}
	for r := c.iteration % 2; r+1 < len(c.rungs); r += 2 {
		c.exchange(r)
	}
	c.iteration++
	if c.iteration > c.warmUp {
		return
	}
	if quarter := c.warmUp / 4; quarter > 0 && c.iteration%quarter == 0 &&
		c.iteration <= 3*quarter {
		c.adapt()
	}
	if c.iteration == c.warmUp {
		c.clearCounts()
	}
}

func (c *chain) clearCounts() {
	clear(c.counts)
	clear(c.swaps)
}

// sweep moves the partition of rung r, in expectation each node more than once.
func (c *chain) sweep(r int, beta float64) {
	s, count := c.rungs[r], &c.counts[r]
	for k := range c.d {
		count.Relocate.add(c.relocate(s, c.rng.IntN(c.d), beta))
		if k%8 == 0 {
			count.Swap.add(c.swap(s, beta))
			count.SplitMerge.add(c.splitOrMerge(s, beta))
		}
	}
	switch {
	case r == 0:
		outside := c.looks()
		if outside > 0 {
			outside += 3
		}
		c.edgeMoves(s, c.d/2+1, outside, beta, count)
	case (c.iteration+r)%4 == 0:
		c.edgeMoves(s, c.d/2+1, 0, beta, count) // extra parents come by exchanges
	}
}

// exchange swaps the partitions of rungs r and r+1 with probability
// min(1, (p(r+1)/p(r))^(beta_r − beta_(r+1))).
func (c *chain) exchange(r int) {
	a, b := c.rungs[r].log(), c.rungs[r+1].log()
	ratio := (c.betas[r] - c.betas[r+1]) * (b - a)
	accepted := c.accepts(ratio)
	if accepted {
		c.rungs[r], c.rungs[r+1] = c.rungs[r+1], c.rungs[r]
	}
	c.swaps[r].add(accepted)
	c.recent[r].add(accepted)
}

// adapt moves the inverse temperatures but the first and the last so that
// exchanges between all neighbours would be rejected equally often, with the
// sum of the rates of rejection as a linear function between the present ones
// (Syed and others 2022).
func (c *chain) adapt() {
	last := len(c.betas) - 1
	if last < 2 {
		return
	}
	sum := make([]float64, last+1)
	for r, k := range c.recent {
		sum[r+1] = sum[r] + max(1-k.rate(), 0.01)
	}
	old := append([]float64(nil), c.betas...)
	at := 0
	for r := 1; r < last; r++ {
		want := sum[last] * float64(r) / float64(last)
		for sum[at+1] < want {
			at++
		}
		part := (want - sum[at]) / (sum[at+1] - sum[at])
		c.betas[r] = old[at] + part*(old[at+1]-old[at])
	}
	clear(c.recent)
}

// lastLogScore is ln p(D, G) of the last graph, which a chain without steps since it was restored
// has been told.
func (c *chain) lastLogScore() float64 {
	if c.graph.tables == nil {
		return c.restored
	}
	return c.logScore()
}
