package mcmc

import "math/rand/v2"

// A mover moves partitions. It has the scratch space of one goroutine.
//
// A rung of inverse temperature beta has the distribution
//
//	π(partition, given parents) ∝ p(partition, given parents) h(partition)^(beta−1),
//	h(partition) = Π_j Σ_A exp q(A) over the sets A of candidates in layers before j,
//
// the posterior for beta = 1. For a smaller one it is flat over orders, but the
// parents given the order have the probabilities that they have in the posterior.
type mover struct {
	*problem
	rng *rand.Rand

	// For relocate; see there. Layers are those without the node that moves.
	rest           []int    // layer of each other node
	members        []uint32 // by layer, possible parents of the node
	own, ownReach  []number // by layer, weight and reach of the node
	absent, behind []number // by layer, products of weights
	joined, alone  []number
	tail           []number // products of behind over this and all later layers
	before, after  []number // by layer, products of reaches if the node is later, or earlier
	logs           []float64
	kids           []kid

	// For accept: new layers, and masks, weights and reaches of the affected nodes.
	layer    []int
	affected []int
	stamp    []int // stamp[j] is stamps if j is affected
	stamps   int
	moved    partition
	subset   []int

	graph   graph
	reached float64 // ln h of the partition of graph
	given   [][]int // parents of graph that are no candidates
	changed []bool  // children of which given has changed
	chance  []float64
	sets    []int
}

func newMover(p *problem, rng *rand.Rand) *mover {
	d := p.d
	numbers := func() []number { return make([]number, d+3) }
	c := &mover{
		problem: p, rng: rng,
		rest: make([]int, d), members: make([]uint32, d+2), own: numbers(), ownReach: numbers(),
		absent: numbers(), behind: numbers(), joined: numbers(), alone: numbers(), tail: numbers(),
		before: numbers(), after: numbers(), logs: make([]float64, 2*d+2), kids: make([]kid, 0, d),
		layer: make([]int, d), affected: make([]int, 0, d), stamp: make([]int, d),
		moved: *newPartition(p), subset: make([]int, 0, d),
		graph: newGraph(p), given: make([][]int, d), changed: make([]bool, d),
		chance: make([]float64, d), sets: make([]int, 0, d),
	}
	return c
}
