package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/dag"
	"tobac/internal/stream"
)

// ERConfig describes Erdős–Rényi graphs.
type ERConfig struct {
	Vars         int     // number of variables d, at least 2; required
	EdgesPerNode float64 // expected number of edges divided by d, called e; 0 means 2
	Seed         uint64
}

// edgeProbability returns the probability p = 2e/(d−1) that two variables are joined, so that e·d
// edges are expected. It is what a matching graph prior needs. Settings with p ≥ 1 are an error, as
// a prior has no log-odds there.
func (c ERConfig) edgeProbability() (float64, error) {
	e := c.EdgesPerNode
	if e == 0 {
		e = 2
	}
	if c.Vars < 2 {
		return 0, fmt.Errorf("dataset: Erdős–Rényi graph with %d variables; allowed: at least 2",
			c.Vars)
	}
	if !(e > 0) || math.IsInf(e, 0) {
		return 0, fmt.Errorf("dataset: %v edges per node; allowed: finite numbers above 0, or 0 "+
			"for the default 2", e)
	}
	p := 2 * e / float64(c.Vars-1)
	if p >= 1 {
		return 0, fmt.Errorf("dataset: %v edges per node among %d variables make the edge "+
			"probability 2e/(d-1) = %.4g; allowed: below 1, that is fewer than %v edges per node "+
			"or more than %v variables",
			e, c.Vars, p, float64(c.Vars-1)/2, math.Floor(2*e)+1)
	}
	return p, nil
}

// SimulateER draws an Erdős–Rényi DAG: a triangular matrix of Bernoulli(p) edges, then a uniformly
// random order of the variables. The numbers come from the graph stream of the seed.
func SimulateER(c ERConfig) (*dag.Graph, error) {
	p, err := c.edgeProbability()
	if err != nil {
		return nil, err
	}
	rng := stream.New(c.Seed, stream.SimulatedGraph)
	upper := dag.New(c.Vars)
	for i := range c.Vars {
		for j := i + 1; j < c.Vars; j++ {
			upper.Set(i, j, rng.Float64() < p)
		}
	}
	return upper.Relabel(rng.Perm(c.Vars)), nil
}

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
		return nil, fmt.Errorf("dataset: scale-free graph with %d variables; allowed: at least 2",
			c.Vars)
	}
	if m < 1 || m >= c.Vars {
		return nil, fmt.Errorf("dataset: scale-free graph with %d edges per node among %d "+
			"variables; allowed: 1 to %d", m, c.Vars, c.Vars-1)
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
