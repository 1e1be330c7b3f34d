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
	"tobac/internal/scoring"
)

// Orders is the order-modular posterior: every order has the same prior weight, and
// a graph counts once for each of its linear extensions. It is safe for concurrent
// use, and what it returns belongs to the caller.
type Orders struct {
	p                 *Posterior
	forward, backward []number // F and B of the package comment, in units of the tables' shifts

	mu            sync.Mutex
	edges, before *mat.Dense // nil until they are asked for
	probable      []probable // by variable, likewise
}

// probable are sets of parents of a variable that have the probability leastKept or more.
type probable struct {
	sets          []int
	probabilities []float64
}

const leastKept = 1e-4

var errImpossible = errors.New("exact: no acyclic graph has a positive probability")

// Orders sums over all orders and, along each, over all graphs.
func (p *Posterior) Orders(ctx context.Context) (*Orders, error) {
	d := len(p.tables)
	o := &Orders{p: p, forward: make([]number, 1<<d), backward: make([]number, 1<<d)}
	if err := p.sumForward(ctx, o.forward); err != nil {
		return nil, err
	}
	if o.forward[len(o.forward)-1].m == 0 {
		return nil, errImpossible
	}
	return o, p.sumBackward(ctx, o.backward)
}

// topBits is the number of top bits of the blocks of sweeps over 2^d sets.
func topBits(d int) int { return min(max(d-13, 0), 8) }

// sumForward is F(∅) = 1, F(U) = Σ_{j∈U} F(U∖j) A_j(U∖j).
func (p *Posterior) sumForward(ctx context.Context, f []number) error {
	d := len(p.tables)
	return sweep{d: d, top: topBits(d)}.run(ctx, p.workers, func(first, end int) error {
		var t terms
		for set := first; set < end; set++ {
			if set == 0 {
				f[0] = number{m: 1}
				continue
			}
			p.last(&t, f, set)
			f[set] = t.sum()
		}
		return nil
	})
}

// last collects F(U∖j) A_j(U∖j) for the members j of U, which may be the last.
func (p *Posterior) last(t *terms, f []number, set int) {
	t.reset()
	for left := set; left != 0; left &= left - 1 {
		j := bits.TrailingZeros(uint(left))
		rest := set &^ (1 << j)
		a, e := p.tables[j].at(without(rest, j))
		x := f[rest]
		t.add(x.m*a, x.e+e, j)
	}
}

// sumBackward is B(all) = 1, B(U) = Σ_{j∉U} A_j(U) B(U∪j).
func (p *Posterior) sumBackward(ctx context.Context, b []number) error {
	d := len(p.tables)
	all := 1<<d - 1
	return sweep{d: d, top: topBits(d), down: true}.run(ctx, p.workers, func(first, end int) error {
		var t terms
		for set := end - 1; set >= first; set-- {
			if set == all {
				b[all] = number{m: 1}
				continue
			}
			t.reset()
			for left := all &^ set; left != 0; left &= left - 1 {
				j := bits.TrailingZeros(uint(left))
				a, e := p.tables[j].at(without(set, j))
				x := b[set|1<<j]
				t.add(x.m*a, x.e+e, j)
			}
			b[set] = t.sum()
		}
		return nil
	})
}

// scratch is working memory for one child.
type scratch struct{ weight, prob []float64 }

func (p *Posterior) newScratch() *scratch {
	n := 1 << (len(p.tables) - 1)
	return &scratch{make([]float64, n), make([]float64, n)}
}

// predecessors writes P(j comes right after the set U)/A_j(U), in the inverse units
// of A_j(U), for all subsets U of the other variables.
func (o *Orders) predecessors(dst []float64, j int) {
	t, full := o.p.tables[j], o.forward[len(o.forward)-1]
	for u := range dst {
		set := with(u, j)
		f, b := o.forward[set], o.backward[set|1<<j]
		if t.a[u] == 0 {
			dst[u] = 0
			continue
		}
		_, e := t.at(u)
		dst[u] = float(f.m*b.m/full.m, f.e+b.e-full.e+e)
	}
}

// Prepare computes probabilities of edges, precedences and likely sets of parents, once. Who asks
// for one of them needs it only to be able to stop.
func (o *Orders) Prepare(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.edges != nil {
		return nil
	}
	d := len(o.p.tables)
	edges, before, likely := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), make([]probable, d)
	err := parallel.ForWith(ctx, d, o.p.workers, o.p.newScratch, func(s *scratch, j int) error {
		o.predecessors(s.weight, j)
		for u, a := range o.p.tables[j].a {
			s.prob[u] = s.weight[u] * a
		}
		o.p.fillColumn(before, s.prob, j)
		o.p.parentSets(s.prob, s.weight, j)
		for set, v := range s.prob {
			if v >= leastKept {
				likely[j].sets = append(likely[j].sets, set)
				likely[j].probabilities = append(likely[j].probabilities, v)
			}
		}
		o.p.fillColumn(edges, s.prob, j)
		return nil
	})
	if err == nil {
		o.edges, o.before, o.probable = edges, before, likely
	}
	return err
}

// prepared is Prepare for who does not stop.
func (o *Orders) prepared() *Orders {
	_ = o.Prepare(context.Background()) // no error but that of a context
	return o
}

// parentSets writes P(A) = e^{q(j,A)} Σ_{U⊇A} weight(U), and destroys the weights,
// which are in the inverse units of A_j(U).
func (p *Posterior) parentSets(dst, weight []float64, j int) {
	t := p.tables[j]
	t.supersetSums(weight, p.kernels)
	t.exp(dst, 0, p.kernels)
	p.kernels.MulEach(dst, dst, weight)
}

// fillColumn sets x(i, j) to the probability that i is in the random subset of the
// variables but j that has the probabilities prob, which it destroys.
func (p *Posterior) fillColumn(x *mat.Dense, prob []float64, j int) {
	d := len(p.tables)
	var sums [MaxVariables]float64
	memberSums(sums[:d-1], prob, p.kernels)
	for k, i := range dag.AllBut(d, j) {
		x.Set(i, j, min(max(sums[k], 0), 1))
	}
}

// LogEvidence is ln Σ_orders Σ_G Π_j e^{q(j, pa_j)} over the graphs G along each
// order, in nats. Subtract [LogPriorOrders] for a prior that sums to one.
func (o *Orders) LogEvidence() float64 {
	return o.forward[len(o.forward)-1].log() + o.p.shift()
}

// Edges is the d×d matrix of P(i → j).
func (o *Orders) Edges() *mat.Dense { return mat.DenseCopyOf(o.prepared().edges) }

// Precedence is the d×d matrix of the probabilities that i comes before j.
func (o *Orders) Precedence() *mat.Dense { return mat.DenseCopyOf(o.prepared().before) }

// ParentSets is the distribution of the parents of variable j, 2^(d−1) probabilities:
// bit k of an index stands for variable k if k < j, and else for k+1.
func (o *Orders) ParentSets(j int) []float64 {
	s := o.p.newScratch()
	o.predecessors(s.weight, j)
	o.p.parentSets(s.prob, s.weight, j)
	return s.prob
}

// ProbableSets are the sets of parents of variable j with a probability above a bound or at it, by
// their index in [Orders.ParentSets], with their probabilities. From 1e-4 on bounds cost nothing.
func (o *Orders) ProbableSets(j int, bound float64) (sets [][]int, probabilities []float64) {
	others := dag.AllBut(len(o.p.tables), j)
	add := func(set int, v float64) {
		if v >= bound {
			sets, probabilities = append(sets, scoring.Subset(nil, others, set)),
				append(probabilities, v)
		}
	}
	if bound < leastKept {
		for set, v := range o.ParentSets(j) {
			add(set, v)
		}
		return sets, probabilities
	}
	for k, set := range o.prepared().probable[j].sets {
		add(set, o.probable[j].probabilities[k])
	}
	return sets, probabilities
}

// GraphsCost estimates the work of [Orders.Graphs], in units of 10 to 20 nanoseconds
// of one core: about 3^d/3 for data that leave all orders open, which makes 20 seconds
// for 20 variables, and far less for others. A unit is a term that is looked at by
// itself in the sum from below. They are counted for some of the sets of each size.
func (o *Orders) GraphsCost(ctx context.Context) (float64, error) {
	d := len(o.p.tables)
	extensions, _ := math.Lgamma(float64(d + 1))
	all := len(o.forward) - 1
	// H(all)/F(all) lies between 1/d! and 1
	smallest := o.forward[all].e - negligible(d, digits(d)) - int(extensions/math.Ln2/2)
	w := &pusher{nodes: o.nodes(), limit: exponentBias + smallest}
	const atLeast, oneIn = 20, 64
	cost, choose := 0.0, 1.0
	seen := make([]int, d+1) // sets of each size so far
	for size := range d {
		every := max(min(int(choose/atLeast), oneIn), 1)
		for set := range all {
			if bits.OnesCount(uint(set)) != size {
				continue
			}
			seen[size]++
			if seen[size]%every != every/2 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return 0, context.Cause(ctx)
			}
			w.nodes[set].sum, w.count = 1, 0
			w.from(o.p, set, 0, all)
			cost += float64(w.count * every)
		}
		choose *= float64(d-size) / float64(size+1)
	}
	return cost, nil
}
