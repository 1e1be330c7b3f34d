package exact

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/score"
)

// Best is a graph with the largest Π_j e^{q(j, pa_j)} among all acyclic graphs, and ln
// of that product, in nats. Subtract [Graphs.LogEvidence] for ln of its
// probability. Among equally good graphs it is always the same one.
func (p *Posterior) Best(ctx context.Context) (*dag.Graph, float64, error) {
	d := len(p.tables)
	top := make([][]float64, d) // max_{A⊆U} q(j, A)
	err := parallel.For(ctx, d, p.workers, func(j int) error {
		top[j] = append([]float64(nil), p.tables[j].q...)
		subsetMaxima(top[j])
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	best := make([]float64, 1<<d) // of the graphs of the variables U
	err = sweep{d: d, top: topBits(d)}.run(ctx, p.workers, func(first, end int) error {
		for set := max(first, 1); set < end; set++ {
			best[set], _ = lastOfBest(best, top, set)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	all := len(best) - 1
	if math.IsInf(best[all], -1) {
		return nil, 0, errImpossible
	}
	g := dag.New(d)
	for set := all; set != 0; {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		_, j := lastOfBest(best, top, set)
		set &^= 1 << j
		setParents(g, j, dag.AllBut(d, j), argmax(p.tables[j].q, without(set, j)))
	}
	return g, best[all], nil
}

// Best is that of [Posterior].
func (o *Orders) Best(ctx context.Context) (*dag.Graph, float64, error) { return o.p.Best(ctx) }

// LogScore is ln Π_j e^{q(j, pa_j)} of a graph, in nats: -Inf if it is impossible. It
// panics if the graph has another number of vertices. Cycles are not looked for.
func (p *Posterior) LogScore(g *dag.Graph) float64 {
	if g.Len() != len(p.tables) {
		panic(fmt.Sprintf("exact: graph with %d vertices, want %d", g.Len(), len(p.tables)))
	}
	sum := 0.0
	for j, t := range p.tables {
		set := 0
		for _, i := range g.Parents(j) {
			set |= 1 << i
		}
		sum += t.q[without(set, j)]
	}
	return sum
}

// lastOfBest is max_{j∈U} best(U∖j) + top_j(U∖j), and its first j.
func lastOfBest(best []float64, top [][]float64, set int) (value float64, last int) {
	value = math.Inf(-1)
	for left := set; left != 0; left &= left - 1 {
		j := bits.TrailingZeros(uint(left))
		rest := set &^ (1 << j)
		if v := best[rest] + top[j][without(rest, j)]; v > value {
			value, last = v, j
		}
	}
	return value, last
}

// subsetMaxima is max_{A⊆U} x(A) in place.
func subsetMaxima(x []float64) {
	if len(x) == 1 {
		return
	}
	half := len(x) / 2
	lo, hi := x[:half], x[half:]
	subsetMaxima(lo)
	subsetMaxima(hi)
	for i, v := range lo {
		if v > hi[i] {
			hi[i] = v
		}
	}
}

// argmax is the first subset of set at which x is largest.
func argmax(x []float64, set int) int {
	best := 0
	for s := 0; ; s = (s - set) & set {
		if x[s] > x[best] {
			best = s
		}
		if s == set {
			return best
		}
	}
}

// Affordable is the largest number of variables for which sums over all orders are affordable.
const Affordable = 20

// MostProbable is the graph with the largest score.
func MostProbable(ctx context.Context, s score.Scorer, prior *score.Prior, workers int) (*dag.Graph,
	error) {
	p, err := New(ctx, s, prior, Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	g, _, err := p.Best(ctx)
	return g, err
}
