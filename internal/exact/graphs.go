package exact

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"sync"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/parallel"
)

// Graphs is the posterior over acyclic graphs: each graph counts once. It is safe
// for concurrent use, and what it returns belongs to the caller.
type Graphs struct {
	p   *Posterior
	of  *Orders
	h   []number // H(U)
	log float64

	mu sync.Mutex
	// by j and T ⊆ variables but j: P(T are all that do not descend from j)
	others           [][]float64
	edges, ancestors *mat.Dense // nil until they are asked for
	rounding         float64
}

var errRounding = errors.New("exact: the sum over graphs was lost to rounding")

// Graphs sums over all acyclic graphs by inclusion and exclusion. Its time grows
// with the number of pairs of disjoint sets that [Orders.GraphsCost] counts.
func (o *Orders) Graphs(ctx context.Context) (*Graphs, error) {
	h, err := o.closed(ctx)
	if err != nil {
		return nil, err
	}
	return &Graphs{p: o.p, of: o, h: h, log: h[len(h)-1].log() + o.p.shift()}, nil
}

// Prepare computes probabilities of edges, ancestors and sets of parents, as [Orders.Prepare] does.
func (g *Graphs) Prepare(ctx context.Context) (err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.edges != nil {
		return nil
	}
	d := len(g.p.tables)
	g.others = make([][]float64, d)
	for j := range g.others {
		g.others[j] = make([]float64, 1<<(d-1))
	}
	if g.rounding, err = g.of.nonDescendants(ctx, g.h, g.others); err != nil {
		return err
	}
	return g.marginals(ctx)
}

// prepared is Prepare for who does not stop.
func (g *Graphs) prepared() *Graphs {
	_ = g.Prepare(context.Background()) // no error but that of a context
	return g
}

// digits is the number of binary digits of sums over graphs of d variables: one of
// at most 3^d terms is left out where it is below 2^−digits/3^d of the sum. Above 16
// variables, where time matters, there are fewer; as few terms are just below the
// limit, all that are left out together are orders less than 2^−digits.
func digits(d int) int { return 43 - 5*min(max(d-16, 0), 5) }

// rough is a number of digits for a first estimate of the sum.
const rough = 10

// negligible is −log₂ of 2^−digits/3^d.
func negligible(d, digits int) int { return digits + int(math.Ceil(float64(d)*math.Log2(3))) }

// A step holds A_k(T) for one T and variables k outside of it, and working memory. Its
// arrays are longer than necessary, so that no index below 32 need be checked.
type step struct {
	m     [32]float64 // in [1, 2), or 0
	e     [32]int
	first [MaxVariables]uint8
	lists [32][MaxVariables]uint8 // by the number of candidates
}

// load takes up A_k(T) for the members k of which.
func (s *step) load(p *Posterior, set, which int) {
	for ; which != 0; which &= which - 1 {
		k := bits.TrailingZeros(uint(which))
		x := normal(p.tables[k].at(without(set, k)))
		s.m[k], s.e[k] = x.m, x.e
	}
}

// candidates takes up A_k(T) for the members k of which, and lists those for which
// it is positive, highest first: sets that follow each other are then close in
// memory.
func (s *step) candidates(p *Posterior, set, which int) []uint8 {
	s.load(p, set, which)
	list := s.first[:0]
	for which != 0 {
		k := bits.Len(uint(which)) - 1
		which &^= 1 << k
		if s.m[k] > 0 {
			list = append(list, uint8(k))
		}
	}
	return list
}

// marginals computes the matrices of edges and of ancestors.
func (g *Graphs) marginals(ctx context.Context) error {
	d := len(g.others)
	edges, ancestors := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	err := parallel.ForWith(ctx, d, g.p.workers, g.p.newScratch, func(s *scratch, j int) error {
		copy(s.prob, g.others[j])
		var member [MaxVariables]float64
		memberSums(member[:d-1], s.prob, g.p.kernels)
		for k, i := range dag.AllBut(d, j) {
			ancestors.Set(j, i, min(max(1-member[k], 0), 1))
		}
		g.weights(s.weight, j)
		g.p.parentSets(s.prob, s.weight, j)
		g.p.fillColumn(edges, s.prob, j)
		return nil
	})
	if err == nil {
		g.edges, g.ancestors = edges, ancestors
	}
	return err
}

// weights writes P(T are all that do not descend from j)/A_j(T) in the inverse units of A_j(T).
func (g *Graphs) weights(dst []float64, j int) {
	t := g.p.tables[j]
	for u, p := range g.others[j] {
		dst[u] = 0
		if p > 0 {
			dst[u] = p / t.a[u]
		}
	}
}

// LogEvidence is ln Σ_G Π_j e^{q(j, pa_j)} over all acyclic graphs G, in nats.
// Subtract [LogPriorGraphs] for a prior that sums to one.
func (g *Graphs) LogEvidence() float64 { return g.log }

// Edges is the d×d matrix of P(i → j).
func (g *Graphs) Edges() *mat.Dense { return mat.DenseCopyOf(g.prepared().edges) }

// Ancestors is the d×d matrix of the probabilities that a directed path leads from i
// to j.
func (g *Graphs) Ancestors() *mat.Dense { return mat.DenseCopyOf(g.prepared().ancestors) }

// ParentSets is the distribution of the parents of variable j, as in
// [Orders.ParentSets].
func (g *Graphs) ParentSets(j int) []float64 {
	s := g.prepared().p.newScratch()
	g.weights(s.weight, j)
	g.p.parentSets(s.prob, s.weight, j)
	return s.prob
}
