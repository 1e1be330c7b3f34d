package exact

import (
	"context"
	"math/bits"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/internal/stream"
)

// A Draw is a graph along an order.
type Draw struct {
	Order []int // sources first
	Graph *dag.Graph
	// LogWeight is −ln of the number of linear extensions of Graph: with these
	// weights, draws from the order-modular posterior follow the posterior over
	// graphs. It is 0 for draws that need no weight.
	LogWeight float64
}

// Draws returns n independent draws of an order and a graph from the order-modular
// posterior. Draw number k depends on the seed and on k, and on nothing else.
func (o *Orders) Draws(ctx context.Context, n int, seed uint64) ([]Draw, error) {
	d := len(o.p.tables)
	draws := make([]Draw, n)
	uniforms := make([]float64, n*d) // of the parents of draw k and variable j at k·d+j
	err := parallel.For(ctx, n, o.p.workers, func(k int) error {
		rng := stream.New(seed, stream.ExactDraw, k)
		draws[k] = Draw{Order: o.drawOrder(rng.Float64), Graph: dag.New(d)}
		for j := range d {
			uniforms[k*d+j] = rng.Float64()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parents := make([]int, n*d)
	err = parallel.ForWith(ctx, d, o.p.workers, o.p.newScratch, func(s *scratch, j int) error {
		pick := o.p.newPicker(s, j)
		for k, draw := range draws {
			if k%256 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			before := 0
			for _, i := range draw.Order {
				if i == j {
					break
				}
				before |= 1 << i
			}
			parents[k*d+j] = pick.parents(without(before, j), uniforms[k*d+j])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = parallel.ForWith(ctx, n, o.p.workers, func() *counter {
		return new(counter)
	}, func(c *counter, k int) error {
		for j := range d {
			for left := with(parents[k*d+j], j); left != 0; left &= left - 1 {
				draws[k].Graph.Set(bits.TrailingZeros(uint(left)), j, true)
			}
		}
		draws[k].LogWeight = -c.log(draws[k].Graph)
		return nil
	})
	return draws, err
}

// drawOrder draws an order from its last variable on: j is the last of U with
// probability F(U∖j) A_j(U∖j)/F(U).
func (o *Orders) drawOrder(uniform func() float64) []int {
	d := len(o.p.tables)
	order := make([]int, d)
	var t terms
	for set, at := 1<<d-1, d-1; at >= 0; at-- {
		o.p.last(&t, o.forward, set)
		order[at] = t.pick(uniform())
		set &^= 1 << order[at]
	}
	return order
}

// A picker draws sets of parents of one variable. The low bits of a set are
// summed over; those above them are walked through first.
type picker struct {
	t          *table
	low        int       // number of low bits
	terms, sum []float64 // e^q(A), and its sum over the low bits
}

func (p *Posterior) newPicker(s *scratch, j int) *picker {
	t := p.tables[j]
	low := (len(p.tables) - 1) / 2
	t.exp(s.prob, 0, p.kernels)
	copy(s.weight, s.prob)
	t.subsetSums(s.weight, 1<<low, p.kernels)
	return &picker{t: t, low: low, terms: s.prob, sum: s.weight}
}

// parents is the set A ⊆ U at the fraction u of Σ_{A⊆U} e^q(A).
func (p *picker) parents(from int, u float64) int {
	mask := 1<<p.low - 1
	rest := u * p.t.a[from]
	block := p.walk(p.sum, from&^mask, from&mask, from, &rest)
	return p.walk(p.terms, from&mask, block&^mask, from, &rest)
}

// walk is the set s | fixed, s ⊆ free, at which the sum of x over these sets, in the
// units of A(from), passes rest. It takes what it passes from rest.
func (p *picker) walk(x []float64, free, fixed, from int, rest *float64) int {
	found := fixed
	for s := 0; ; s = (s - free) & free { // ascending
		v := x[s|fixed]
		if p.t.level != nil && v != 0 {
			v = lift(v, p.t.level[s|fixed], p.t.level[from])
		}
		if v > 0 {
			found = s | fixed
			if *rest < v {
				return found
			}
			*rest -= v
		}
		if s == free {
			return found // rounding
		}
	}
}
