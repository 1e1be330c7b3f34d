package exact

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/internal/vector"
	"tobac/score"
)

// maxGiven is the largest number of variables of a posterior given an order.
const maxGiven = 25

// Given is the posterior over the graphs along one order: the parents of a variable
// come before it, and are independent of those of the others. It is safe for
// concurrent use.
type Given struct {
	order   []int
	probs   [][]float64 // by variable: of all subsets of candidates
	names   [][]int     // candidates, ascending, by variable
	log     []float64   // ln Σ_A e^q(j, A)
	best    []int
	bestLog float64
	edges   *mat.Dense
	workers int
}

// MemoryGiven is about the number of bytes that the posterior of d variables given
// an order needs: 2^d numbers, three times for its last variable.
func MemoryGiven(d int) int64 { return 24 << d }

// GivenOrder sums over all graphs along an order of the variables, sources first:
// 2^d scores. It stops when ctx is done. It is an error if the order is no
// permutation, if there are too many variables, if a score is not finite, and if
// the prior allows no graph along the order.
func GivenOrder(ctx context.Context, s score.Scorer, prior *score.Prior, order []int,
	opt Options) (*Given, error) {
	d := s.Vars()
	if prior.Vars() != d {
		panic(fmt.Sprintf("exact: scores of %d variables with a prior of %d", d, prior.Vars()))
	}
	if err := opt.check(d, MemoryGiven(min(max(d, 0), 40)), maxGiven); err != nil {
		return nil, err
	}
	position := make([]int, d)
	for c, j := range order {
		if len(order) != d || j < 0 || j >= d || slices.Contains(order[:c], j) {
			return nil, fmt.Errorf("exact: order is %v, want every one of %d variables once", order,
				d)
		}
		position[j] = c
	}
	if len(order) != d {
		return nil, fmt.Errorf("exact: order is %v, want every one of %d variables once", order, d)
	}
	kernels, err := vector.Default()
	if err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	g := &Given{
		order: slices.Clone(order), probs: make([][]float64, d), names: make([][]int, d),
		log:  make([]float64, d),
		best: make([]int, d), edges: mat.NewDense(d, d, nil), workers: opt.workers(),
	}
	for j := range d {
		g.names[j] = slices.Sorted(slices.Values(order[:position[j]]))
	}
	bestLogs := make([]float64, d)
	err = parallel.For(ctx, d, g.workers, func(c int) error {
		j := order[d-1-c] // that with most work first
		top, err := g.child(ctx, s, prior, j, kernels)
		bestLogs[j] = top
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, v := range bestLogs {
		g.bestLog += v
	}
	return g, nil
}

// child fills in what belongs to child j, and returns its largest q.
func (g *Given) child(ctx context.Context, s score.Scorer, prior *score.Prior, j int,
	kernels vector.Set) (float64, error) {
	q := make([]float64, 1<<len(g.names[j]))
	if err := score.LogScores(ctx, s, q, j, g.names[j]); err != nil {
		return 0, err
	}
	prior.AddTo(q, j, g.names[j])
	top := math.Inf(-1)
	for set, v := range q {
		if !(v <= math.MaxFloat64) {
			return 0, &score.VariableError{Variable: j,
				Err: fmt.Errorf("log score is %v, want a finite number", v)}
		}
		if v > top {
			top, g.best[j] = v, set
		}
	}
	if math.IsInf(top, -1) {
		return 0, fmt.Errorf("exact: the prior allows no set of parents of variable %d along the "+
			"order %v", j, g.order)
	}
	for i, v := range q {
		q[i] = max(v-top, tiniest)
	}
	x := make([]float64, len(q))
	kernels.Exp(x, q)
	for i, v := range q {
		if v == tiniest {
			x[i] = 0
		}
	}
	sum := total(x)
	kernels.Scale(x, x, 1/sum)
	g.probs[j], g.log[j] = x, top+math.Log(sum)
	var members [maxGiven]float64
	memberSums(members[:len(g.names[j])], append(q[:0], x...), kernels)
	for k, i := range g.names[j] {
		g.edges.Set(i, j, min(members[k], 1))
	}
	return top, nil
}

// LogEvidence is ln Σ_G Π_j e^{q(j, pa_j)} over the graphs along the order, in nats.
func (g *Given) LogEvidence() float64 {
	sum := 0.0
	for _, v := range g.log {
		sum += v
	}
	return sum
}

// Edges is the d×d matrix of P(i → j).
func (g *Given) Edges() *mat.Dense { return mat.DenseCopyOf(g.edges) }

// ParentSets is the distribution of the parents of variable j over all subsets of
// the variables before it, candidates, which are in ascending sequence: bit k of
// an index stands for candidates[k].
func (g *Given) ParentSets(j int) (candidates []int, probs []float64) {
	return slices.Clone(g.names[j]), slices.Clone(g.probs[j])
}

// Best is the most probable graph along the order, and ln of its probability.
func (g *Given) Best() (*dag.Graph, float64) {
	b := dag.New(len(g.order))
	for j, set := range g.best {
		setParents(b, j, g.names[j], set)
	}
	return b, g.bestLog - g.LogEvidence()
}

func setParents(g *dag.Graph, j int, candidates []int, set int) {
	for ; set != 0; set &= set - 1 {
		g.Set(candidates[bits.TrailingZeros(uint(set))], j, true)
	}
}

// Draws returns n independent draws of a graph along the order, with weight 1. Draw
// number k depends on the seed and on k, and on nothing else.
func (g *Given) Draws(ctx context.Context, n int, seed uint64) ([]Draw, error) {
	d := len(g.order)
	draws := make([]Draw, n)
	uniforms := make([]float64, n*d)
	for k := range draws {
		draws[k] = Draw{Order: slices.Clone(g.order), Graph: dag.New(d)}
		rng := stream.New(seed, stream.ExactDraw, k)
		for j := range d {
			uniforms[k*d+j] = rng.Float64()
		}
	}
	parents := make([]int, n*d)
	err := parallel.For(ctx, d, g.workers, func(j int) error {
		sums := halves(g.probs[j])
		for k := range draws {
			parents[k*d+j] = descend(sums, uniforms[k*d+j])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range draws {
		for j := range d {
			setParents(draws[k].Graph, j, g.names[j], parents[k*d+j])
		}
	}
	return draws, nil
}

// halves returns the sums of p over the sets that agree in their first k bits, for
// k = 0, 1, … up to p itself.
func halves(p []float64) [][]float64 {
	sums := [][]float64{p}
	for len(p) > 1 {
		half := make([]float64, len(p)/2)
		for i := range half {
			half[i] = p[i] + p[i+len(half)]
		}
		sums = append(sums, half)
		p = half
	}
	slices.Reverse(sums)
	return sums
}

// descend is the set at the fraction u of the sums of halves.
func descend(sums [][]float64, u float64) int {
	set := 0
	rest := u * sums[0][0]
	for k, s := range sums[1:] {
		out, in := s[set], s[set|1<<k]
		if in > 0 && (rest >= out || out == 0) {
			rest -= out
			set |= 1 << k
		}
	}
	return set
}
