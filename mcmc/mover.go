package mcmc

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
	set     []int      // parents of a child
	chances []float64  // of edges to a child
}

func newMover(p *problem, rng random) *mover {
	d := p.d
	numbers := func() []number { return make([]number, d+3) }
	return &mover{
		problem: p, rng: rng,
		rest: make([]int, d), members: make([]uint32, d+2), own: numbers(),
		absent: numbers(), behind: numbers(), joined: numbers(), alone: numbers(), tail: numbers(),
		logs: make([]float64, 2*d+2), kids: make([]kid, 0, d),
		layer: make([]int, d), affected: make([]int, 0, d), stamp: make([]int, d),
		moved: newPartition(p), subset: make([]int, 0, d),
		graph: newGraph(d), spare: newPartition(p),
		set: make([]int, 0, d), chances: make([]float64, d),
	}
}
