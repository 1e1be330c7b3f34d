package dataset

import (
	"fmt"
	"math/rand/v2"

	"tobac/dag"
	"tobac/internal/stream"
)

// ScaleFreeConfig describes scale-free graphs.
type ScaleFreeConfig struct {
	Vars         int // number of variables d, at least 2; required
	EdgesPerNode int // edges m that a new variable brings, below d; 0 means 2
	Seed         uint64
}

// SimulateScaleFree draws a DAG by directed Barabási growth: variable i picks min(i, m) different
// older ones, each with probability proportional to its in-degree plus 1, and points at them, so
// that old hubs have many parents; then the variables are relabelled at random. The graph has
// exactly m·d − m(m+1)/2 edges. The numbers come from the graph stream of the seed.
func SimulateScaleFree(c ScaleFreeConfig) (*dag.Graph, error) {
	m := c.EdgesPerNode
	if m == 0 {
		m = 2
	}
	if c.Vars < 2 {
		return nil, fmt.Errorf("dataset: scale-free graph with %d variables; allowed: at least 2", c.Vars)
	}
	if m < 1 || m >= c.Vars {
		return nil, fmt.Errorf("dataset: scale-free graph with %d edges per node among %d variables; allowed: 1 to %d", m, c.Vars, c.Vars-1)
	}
	rng := stream.New(c.Seed, stream.SimulatedGraph)
	grown := dag.New(c.Vars)
	degree := make([]int, c.Vars) // in-degree
	for i := range c.Vars {
		for _, older := range pickOlder(degree[:i], min(i, m), rng) {
			grown.Set(i, older, true)
			degree[older]++
		}
	}
	return grown.Relabel(rng.Perm(c.Vars)), nil
}

// pickOlder picks count different indices one after the other, each with probability proportional
// to degree plus 1 among those left.
func pickOlder(degree []int, count int, rng *rand.Rand) []int {
	weight := make([]int, len(degree))
	total := 0
	for v, parents := range degree {
		weight[v] = parents + 1
		total += weight[v]
	}
	picked := make([]int, count)
	for n := range picked {
		v := 0
		for ticket := rng.IntN(total); ticket >= weight[v]; v++ {
			ticket -= weight[v]
		}
		picked[n] = v
		total -= weight[v]
		weight[v] = 0
	}
	return picked
}
