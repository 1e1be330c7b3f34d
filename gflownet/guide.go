package gflownet

import (
	"context"
	"math"
	"math/bits"

	"tobac/internal/parallel"
)

// A guide computes what a network sees of states, and for guided logits a policy
// without parameters, to which the network's logits are added. It is working memory of
// one goroutine.
//
// From a state s with e removable edges, the edges of the largest positive difference
// to the log reward are added until there is none, which leads to the graph G. Then every
// pair of variables that s leaves open is taken to be independent of the others: with its
// part of G as the unit, it has the weight u without an edge and v and w with one in either
// direction, by the scores of one variable or two in the place of that part. The flow
//
//	F(s) = Σ_{H⊇s} R(H) / C(removable(H), e)
//
// is then R(G) Σ_k c_k/C(e+k, e), with c_k the coefficients of the product of u + (v+w)x
// over the pairs. To stop has the probability R(s)/F(s), and the edges share the rest in
// proportion to their probabilities v/(u+v+w). Where all pairs are independent and s is
// such that no edge rules another out, this is the exact policy.
type guide struct {
	reward *reward
	logits Logits
	delta  []float64 // of the state, d×d

	completion state
	rows       [][]float64 // of the completion, by target
	best       []int       // source of the largest difference by target, −1: none is positive
	base       []float64   // log probabilities of edges, d×d
	terms      []float64   // coefficients c_k
}

func newGuide(r *reward, logits Logits) *guide {
	d := len(r.start.parents)
	return &guide{reward: r, logits: logits, delta: make([]float64, d*d), completion: newState(d), rows: make([][]float64, d),
		best: make([]int, d), base: make([]float64, d*d), terms: make([]float64, 0, d*d)}
}

// fill writes what is seen of state s to place k of a batch.
func (g *guide) fill(b *batch, k int, s *state) {
	d := len(s.parents)
	n := d * d
	open := g.reward.deltas(g.delta, s) > 0
	channels := g.logits.channels()
	seen, allowed, base := b.seen[k*channels*n:(k+1)*channels*n], b.allowed[k*n:(k+1)*n], b.base[k*n:(k+1)*n]
	clear(seen)
	clear(base)
	b.open[k], b.stop[k] = open, 0
	if open && g.logits == Guided {
		v := g.value(s)
		b.stop[k] = -v - math.Log(-math.Expm1(-v)) // the logit of e^−v
	}
	for at, v := range g.delta {
		seen[at] = float64(s.parents[at%d] >> (at / d) & 1)
		allowed[at] = 0
		if math.IsInf(v, -1) {
			continue
		}
		allowed[at], seen[n+at] = 1, 1
		if g.logits == Guided {
			base[at] = g.base[at]
			seen[2*n+at], seen[3*n+at] = math.Exp(g.base[at]), math.Asinh(v)/5
		}
	}
}

// complete adds edges to s and returns the difference that they make.
func (g *guide) complete(s *state) (gain float64) {
	c, d := &g.completion, len(s.parents)
	c.copy(s)
	for j := range d {
		g.rows[j] = g.reward.row(j, c.parents[j])
		g.best[j] = -1
		largest := 0.0
		for i := range d {
			if v := g.delta[i*d+j]; v > largest {
				largest, g.best[j] = v, i
			}
		}
	}
	for {
		target, largest := -1, 0.0
		for j, i := range g.best {
			if i >= 0 && c.ancestors[i]>>j&1 == 1 { // closes a cycle by now
				g.best[j] = g.next(j)
				i = g.best[j]
			}
			if i >= 0 && g.rows[j][i] > largest {
				target, largest = j, g.rows[j][i]
			}
		}
		if target < 0 {
			return gain
		}
		gain += largest
		c.add(g.best[target], target)
		g.rows[target] = g.reward.row(target, c.parents[target])
		g.best[target] = g.next(target)
	}
}

// next is the source of the largest positive difference into a target of the completion.
func (g *guide) next(target int) (best int) {
	best = -1
	largest := 0.0
	for open := g.completion.open(target); open != 0; open &= open - 1 {
		i := bits.TrailingZeros64(open)
		if v := g.rows[target][i]; v > largest {
			largest, best = v, i
		}
	}
	return best
}

// faintest bounds the log weight of an edge that the completion has no room for.
const faintest = -30

// value is V ≈ ln F(s) − ln R(s) of a state whose differences are those of the guide,
// at least ln(1 + Σ e^δ/(1+e)), which F(s) exceeds. It fills in the base.
func (g *guide) value(s *state) float64 {
	gain, d := g.complete(s), len(s.parents)
	scale := gain
	g.terms = append(g.terms[:0], 1)
	for i := range d {
		for j := range i {
			a, b := i*d+j, j*d+i
			forth, back := g.edge(s, i, j), g.edge(s, j, i)
			if math.IsInf(forth, -1) && math.IsInf(back, -1) {
				continue // the state decides this pair
			}
			none := 0.0
			switch c := &g.completion; {
			case c.parents[j]>>i&1 == 1: // it is an edge of the completion
				none = -g.removal(i, j)
				forth, back = 0, back+none
			case c.parents[i]>>j&1 == 1:
				none = -g.removal(j, i)
				forth, back = forth+none, 0
			}
			some := logAdd(forth, back)
			all := logAdd(none, some)
			g.base[a], g.base[b] = forth-all, back-all
			scale += all
			g.multiply(math.Exp(none-all), math.Exp(some-all))
		}
	}
	e := g.reward.removable(s)
	sum, weight := 0.0, 1.0 // weight is 1/C(e+k, e)
	for k, c := range g.terms {
		if k > 0 {
			weight *= float64(k) / float64(e+k)
		}
		sum += c * weight
	}
	return max(nextValue(g.delta, e), scale+math.Log(sum))
}

// edge is the difference that i → j makes to the completion, in which it may close a
// cycle, if it is open in s, and else −Inf.
func (g *guide) edge(s *state, i, j int) float64 {
	if math.IsInf(g.delta[i*len(s.parents)+j], -1) {
		return math.Inf(-1)
	}
	return max(g.rows[j][i], faintest)
}

// removal is the difference that an edge of the completion makes.
func (g *guide) removal(i, j int) float64 {
	return g.reward.row(j, g.completion.parents[j]&^(1<<i))[i]
}

// multiply multiplies the polynomial by u + vx, of which u+v is 1.
func (g *guide) multiply(u, v float64) {
	g.terms = append(g.terms, 0)
	for k := len(g.terms) - 1; k > 0; k-- {
		g.terms[k] = u*g.terms[k] + v*g.terms[k-1]
	}
	g.terms[0] *= u
}

// nextValue is ln(1 + Σ e^δ/(1+removable)).
func nextValue(delta []float64, removable int) float64 {
	largest := 0.0
	for _, v := range delta {
		largest = max(largest, v)
	}
	sum := 0.0
	for _, v := range delta {
		sum += math.Exp(v - largest)
	}
	return softplus(largest + math.Log(sum) - math.Log(float64(1+removable)))
}

// softplus is ln(1+e^x).
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// logAdd is ln(e^a + e^b), where not both are −∞.
func logAdd(a, b float64) float64 {
	largest := max(a, b)
	return largest + math.Log1p(math.Exp(min(a, b)-largest))
}

// fillAll fills a batch with states.
func fillAll(r *reward, logits Logits, b *batch, states []state, workers int) (err error) {
	defer caught(&err)
	return parallel.ForWith(context.Background(), len(states), workers, func() *guide { return newGuide(r, logits) }, func(g *guide, k int) error {
		g.fill(b, k, &states[k])
		return nil
	})
}
