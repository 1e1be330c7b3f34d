package mcmc

import "math"

// A mover moves partitions. It has the scratch space of one goroutine.
type mover struct {
	*problem
	rng random

	// For relocate; see there. Layers are those without the node that moves.
	rest           []int    // layer of each other node
	members        []uint32 // by layer, possible parents of the node
	own            []number // by layer, weight of the node
	absent, behind []number // by layer, products of weights
	joined, alone  []number
	others         []int    // by layer, nodes that are no children of the node
	tail           []number // products of behind over this and all later layers
	logs           []float64
	kids           []kid

	// For accept: new layers, and masks and weights of the affected nodes.
	layer    []int
	affected []int
	stamp    []int // stamp[j] is stamps if j is affected
	stamps   int
	moved    *partition
	subset   []int

	graph   graph
	spare   *partition // of graph
	total   float64    // its log
	chances []float64  // of edges to a child
}

func newMover(p *problem, rng random) *mover {
	d := p.d
	numbers := func() []number { return make([]number, d+3) }
	return &mover{
		problem: p, rng: rng,
		rest: make([]int, d), members: make([]uint32, d+2), own: numbers(),
		absent: numbers(), behind: numbers(), joined: numbers(), alone: numbers(), tail: numbers(),
		others: make([]int, d+2), logs: make([]float64, 2*d+2), kids: make([]kid, 0, d),
		layer: make([]int, d), affected: make([]int, 0, d), stamp: make([]int, d),
		moved: newPartition(p), subset: make([]int, 0, d),
		graph: newGraph(d), spare: newPartition(p),
		chances: make([]float64, d),
	}
}

// accepts is true with probability min(1, e^ratio). It always draws a number: under a score of
// equivalence classes many ratios are 1 but for rounding, which changes with the units of the data
// and must not shift the stream.
func (c *mover) accepts(ratio float64) bool { return c.rng.Float64() < math.Exp(ratio) }

// choose draws an index in proportion to exp(beta·logs), and overwrites logs.
func (c *mover) choose(logs []float64, beta float64) int {
	best, sum := math.Inf(-1), 0.
	for _, l := range logs {
		best = max(best, l)
	}
	for k, l := range logs {
		logs[k] = 0
		if l = beta * (l - best); l > -50 {
			logs[k] = math.Exp(l)
			sum += logs[k]
		}
	}
	u, last := c.rng.Float64()*sum, 0
	for k, w := range logs {
		if w == 0 {
			continue
		}
		last = k
		if u -= w; u < 0 {
			break
		}
	}
	return last
}
