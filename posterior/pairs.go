package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
)

// Directed is the probability of a direction given adjacency from which on the
// partially directed graph has an arrow. Drawing an arrow that is wrong is taken
// to be ten times as bad as leaving a direction open: an arrow is then worth it
// from 9/10 on.
const Directed = 0.9

// A Pair has the probabilities of the edges between two variables, A → B being the more
// probable direction; of equally probable ones, the one from the smaller index.
type Pair struct {
	A, B     int
	Adjacent float64 // probability of an edge in either direction, at most 1
	// Direction is the probability of A → B given that there is an edge, from ½ to
	// 1. It is about ½ where the direction is not identifiable.
	Direction float64
	// Mean and SD are mean and standard deviation of the weight of A → B given that
	// this edge is there, ReverseMean and ReverseSD of that of B → A; NaN means unknown.
	Mean, SD, ReverseMean, ReverseSD float64
}

// Pairs lists the pairs of variables that are adjacent with a probability of at
// least [Floor], the most probable first; equals by the probability of their
// direction, then by A and B.
func (m Marginals) Pairs() []Pair { return m.PairsFrom(Floor) }

// PairsFrom lists the pairs whose probability of adjacency is above 0 and at least
// least, in the sequence of [Marginals.Pairs].
func (m Marginals) PairsFrom(least float64) []Pair {
	pairs := []Pair{}
	d := m.size()
	for i := range d {
		for j := i + 1; j < d; j++ {
			if p := m.Pair(i, j); p.Adjacent > 0 && p.Adjacent >= least {
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Adjacent, a.Adjacent), cmp.Compare(b.Direction, a.Direction),
			cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return pairs
}

// Pair is the pair of two different variables. Direction is ½ where neither edge
// has a probability above 0.
func (m Marginals) Pair(i, j int) Pair {
	a, b := m.edge(i, j), m.edge(j, i)
	if b.Probability > a.Probability || b.Probability == a.Probability && j < i {
		a, b = b, a
	}
	p := Pair{A: a.Source, B: a.Target, Adjacent: a.Adjacent, Direction: 0.5,
		Mean: a.WeightMean, SD: a.WeightSD, ReverseMean: b.WeightMean, ReverseSD: b.WeightSD}
	if sum := a.Probability + b.Probability; sum > 0 {
		p.Direction = a.Probability / sum
	}
	return p
}

// DirectionOf is the probability of i → j given that the two are adjacent; NaN
// where that has no probability.
func (m Marginals) DirectionOf(i, j int) float64 {
	p, q := m.Probabilities.At(i, j), m.Probabilities.At(j, i)
	return p / (p + q) // 0/0 is NaN
}

// PartiallyDirected is the consensus of the graphs: every pair that is adjacent
// with a probability above ½ is joined. The edge is directed, i → j, where that
// direction has at least the probability [Directed] given adjacency, and
// undirected elsewhere. As in [dag.Graph.CPDAG], an undirected edge stands in the
// graph as both i → j and j → i.
//
// The directed edges have no cycle: they are taken in the sequence of the
// probabilities of their directions times those of adjacency, and one that would
// close a cycle stays undirected.
//
// Entry (i,j) of weights is the mean weight of i → j, for both directions of an
// undirected edge; nil for a model without weights, or if one is unknown.
func (m Marginals) PartiallyDirected() (g *dag.Graph, weights *mat.Dense) {
	d := m.size()
	g = dag.New(d)
	arrows := dag.New(d)
	pairs := m.PairsFrom(0.5)
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		return cmp.Compare(b.Adjacent*b.Direction, a.Adjacent*a.Direction)
	})
	for _, p := range pairs {
		if p.Adjacent == 0.5 {
			continue
		}
		g.Set(p.A, p.B, true)
		if p.Direction >= Directed {
			arrows.Set(p.A, p.B, true)
			if arrows.Acyclic() {
				continue
			}
			arrows.Set(p.A, p.B, false)
		}
		g.Set(p.B, p.A, true)
	}
	return g, m.weightsOf(g)
}

// weightsOf are the mean weights of the edges of a graph. An edge that never was
// seen, the improbable direction of an undirected one, has the weight 0.
func (m Marginals) weightsOf(g *dag.Graph) *mat.Dense {
	if m.WeightMean == nil || m.size() == 0 {
		return nil
	}
	w := mat.NewDense(m.size(), m.size(), nil)
	for _, e := range g.Edges() {
		v := m.WeightMean.At(e.From, e.To)
		if math.IsNaN(v) {
			if !g.Has(e.To, e.From) || math.IsNaN(m.WeightMean.At(e.To, e.From)) {
				return nil
			}
			v = 0
		}
		w.Set(e.From, e.To, v)
	}
	return w
}
