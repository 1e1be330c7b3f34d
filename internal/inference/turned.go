package inference

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/scoring"
	"tobac/internal/stream"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Turning is what the directions of drawn graphs get where evidence tells less of them than of
// adjacencies: Part is the part of it that counts for directions.
type Turning struct {
	Part   float64
	Prior  *score.Prior
	Scores []score.Scorer
	Of     []int // which of the scores is that of a graph; nil: the first
	// Workers is the number of graphs that are turned at once; 0 means as many as processors.
	Workers int
}

// turns is how often each edge of a graph is tried, of which the second half counts; twice as often
// up to fewVariables. Hand-overs score so many more sets of parents that they take minutes above
// mostHanded variables.
const (
	turns        = 40
	fewVariables = 12
	mostHanded   = 30
)

// Turn gives each graph the directions of a graph that is drawn in proportion to prior ×
// evidence^Part, by Markov chains that turn single edges around from the graph as it is. With an
// edge i → j another cause of j, not adjacent to i, may become one of i: which of two variables
// that depend on each other a third one is adjacent to is told by the same independences as the
// direction between the two. Adjacencies stay all the same: a pair that the chain has parted gets
// the direction of an order of its graph. The probabilities of edges change by as much as their
// frequencies in these chains. weight has the weights of the graphs.
func (t Turning) Turn(ctx context.Context, graphs []*dag.Graph, edges *mat.Dense, weight []float64,
	seed uint64) error {
	d, _ := edges.Dims()
	known := make([]scoring.Memory[float64], len(t.Scores))
	turned := make([]turner, len(graphs))
	err := parallel.For(ctx, len(graphs), t.Workers, func(k int) error {
		of := 0
		if t.Of != nil {
			of = t.Of[k]
		}
		c := &turned[k]
		*c = turner{Turning: t, scorer: t.Scores[of], known: &known[of]}
		c.run(graphs[k], stream.New(seed, stream.TurnedEdges, k))
		return nil
	})
	if err != nil {
		return err
	}
	change, sum := mat.NewDense(d, d, nil), 0.0
	for k, g := range graphs {
		w, c := weight[k], &turned[k]
		sum += w
		graphs[k] = dag.New(d)
		for e, was := range g.Edges() {
			stays := w * float64(c.kept[e]) / float64(c.counted)
			change.Set(was.From, was.To, change.At(was.From, was.To)+stays-w)
			change.Set(was.To, was.From, change.At(was.To, was.From)+w-stays)
			graphs[k].Set(c.pairs[e].From, c.pairs[e].To, true)
		}
	}
	edges.Apply(func(i, j int, v float64) float64 {
		return min(1, max(0, v+change.At(i, j)/sum))
	}, edges)
	return nil
}

// A turner turns the edges of one graph.
type turner struct {
	Turning
	scorer  score.Scorer
	known   *scoring.Memory[float64]
	parents [][]int // of each variable, ascending
	seen    []bool  // of the last search for effects

	pairs   []dag.Edge // of the graph, with their last directions
	kept    []int      // in how many of the counted rounds each had the direction of the graph
	counted int
}

// run turns the edges of a graph.
func (c *turner) run(g *dag.Graph, rng *rand.Rand) {
	d := g.Len()
	for j := range d {
		c.parents = append(c.parents, g.Parents(j))
	}
	c.seen = make([]bool, d)
	first, all := g.Edges(), g.Edges()
	c.pairs, c.kept = g.Edges(), make([]int, len(first))
	rounds := turns
	if d <= fewVariables {
		rounds *= 2
	}
	c.counted = rounds / 2
	for round := range rounds {
		for range all {
			c.turn(all, rng.IntN(len(all)), rng.Float64())
			if d <= mostHanded {
				c.handOver(all, rng.IntN(len(all)), rng.Float64(), rng.Float64())
			}
		}
		if round < rounds-c.counted {
			continue
		}
		c.direct(c.pairs, rng)
		for e, is := range c.pairs {
			if is == first[e] {
				c.kept[e]++
			}
		}
	}
}

// turn turns an edge around with the probability of Metropolis, unless that makes a cycle.
func (c *turner) turn(all []dag.Edge, at int, u float64) {
	i, j := all[at].From, all[at].To
	less := nodescore.Toggled(c.parents[j], i)
	if c.reached(i, less) {
		return
	}
	more := nodescore.Toggled(c.parents[i], j)
	ratio := c.weight(j, less) + c.weight(i, more) - c.weight(j, c.parents[j]) -
		c.weight(i, c.parents[i])
	if !(math.Log(u) < ratio) {
		return
	}
	c.parents[j], c.parents[i] = less, more
	all[at] = dag.Edge{From: j, To: i}
}

// handOver turns an edge i → j around and makes another cause of j one of i, which one of those not
// adjacent to i says u, unless that makes a cycle.
func (c *turner) handOver(all []dag.Edge, at int, u, v float64) {
	i, j := all[at].From, all[at].To
	others := nodescore.Toggled(c.parents[j], i)
	if len(others) == 0 {
		return
	}
	p := others[int(u*float64(len(others)))]
	if slices.Contains(c.parents[i], p) || slices.Contains(c.parents[p], i) {
		return
	}
	less := nodescore.Toggled(others, p)
	more := nodescore.Toggled(nodescore.Toggled(c.parents[i], j), p)
	oldI, oldJ := c.parents[i], c.parents[j]
	if c.parents[j] = less; c.reached(i, more) {
		c.parents[j] = oldJ
		return
	}
	c.parents[j] = oldJ
	ratio := c.weight(j, less) + c.weight(i, more) - c.weight(j, oldJ) - c.weight(i, oldI) +
		math.Log(float64(len(others))/float64(len(more)-1))
	if !(math.Log(v) < ratio) {
		return
	}
	c.parents[j], c.parents[i] = less, more
	all[at] = dag.Edge{From: j, To: i}
	all[slices.Index(all, dag.Edge{From: p, To: j})] = dag.Edge{From: p, To: i}
}

// direct gives pairs the directions that they have in the graph, and those that are not adjacent
// there what the prior requires, or else those of an order of the graph; none if there is no such
// order.
func (c *turner) direct(pairs []dag.Edge, rng *rand.Rand) {
	graph := dag.New(len(c.parents))
	for j, parents := range c.parents {
		for _, i := range parents {
			graph.Set(i, j, true)
		}
	}
	parted := false
	for _, e := range pairs {
		if graph.Has(e.From, e.To) || graph.Has(e.To, e.From) {
			continue
		}
		parted = true
		switch {
		case c.Prior.Forbidden(e.From, e.To):
			graph.Set(e.To, e.From, true)
		case c.Prior.Forbidden(e.To, e.From):
			graph.Set(e.From, e.To, true)
		}
	}
	before := func(i, j int) bool { return graph.Has(i, j) }
	if parted {
		// The first of the variables without a parent that is left, in a random sequence.
		place, sequence := make([]int, len(c.parents)), rng.Perm(len(c.parents))
		for k := range place {
			at := slices.IndexFunc(sequence, func(j int) bool {
				return !slices.ContainsFunc(sequence, func(i int) bool { return graph.Has(i, j) })
			})
			if at < 0 {
				return
			}
			place[sequence[at]] = k
			sequence = slices.Delete(sequence, at, at+1)
		}
		before = func(i, j int) bool { return place[i] < place[j] }
	}
	for k, e := range pairs {
		if before(e.To, e.From) {
			pairs[k] = dag.Edge{From: e.To, To: e.From}
		}
	}
}

// reached reports whether one of some variables is i or an effect of it.
func (c *turner) reached(i int, variables []int) bool {
	clear(c.seen)
	var above func(variables []int) bool
	above = func(variables []int) bool {
		for _, p := range variables {
			if p == i {
				return true
			}
			if c.seen[p] {
				continue
			}
			if c.seen[p] = true; above(c.parents[p]) {
				return true
			}
		}
		return false
	}
	return above(variables)
}

// weight is that of the parents of a variable.
func (c *turner) weight(j int, parents []int) float64 {
	return c.known.Of(j, parents, func() float64 {
		v := c.Prior.LogPrior(j, parents)
		if !math.IsInf(v, -1) {
			v += c.Part * c.scorer.LogScore(j, parents)
		}
		return v
	})
}
