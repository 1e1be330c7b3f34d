package gflownet

import (
	"context"
	"math"
	"math/bits"

	"tobac/internal/parallel"
	"tobac/internal/scoring"
)

// A guide computes what a network sees of states, and for guided logits a policy
// without parameters, to which the network's logits are added. It is working memory of
// one goroutine.
//
// From a state s with e(s) removable edges, those of the largest positive difference δ to the log
// reward are added one after the other, which leads to a graph G with k edges more. Further edges
// are taken to be independent of each other, with the odds o = e^δ that they have in G. The flow
// F(s) = Σ_{H⊇s} R(H)/C(e(H), e(s)), where the binomial coefficient counts the subsets of the edges
// of H of which the backward policy passes one of this size, is then
//
//	R(G) Σ_n S_n / C(e(s)+k+n, e(s))
//
// with S_n the sum of the products of n odds, one for each pair of variables, and to stop has the
// probability R(s)/F(s). Graphs H that this sum is about have
// about n = Σ ox/(1+ox) of the further edges, x = (k+n)/(e(s)+k+n), and the next edge is any of
// H∖s: those of G have the weight 1, others ox/(1+ox).
type guide struct {
	reward *reward
	logits Logits
	delta  []float64 // of the state, d×d
	ahead  []float64 // of its completion
	odds   []float64 // of further edges, by pairs of variables
	terms  []float64 // S_n, all multiplied by e^−scale
	tilt   float64   // x

	completion state
	rows       [][]float64 // of the completion, by target
	best       []int       // source of the largest difference by target, −1: none is positive
}

func newGuide(r *reward, logits Logits) *guide {
	d := len(r.start.parents)
	return &guide{reward: r, logits: logits, delta: make([]float64, d*d),
		ahead: make([]float64, d*d), odds: make([]float64, 0, d*d), terms: make([]float64, 0, d*d),
		completion: newState(d),
		rows:       make([][]float64, d), best: make([]int, d)}
}

// fill writes what is seen of state s to place k of a batch.
func (g *guide) fill(b *batch, k int, s *state) {
	d := len(s.parents)
	n := d * d
	open := g.reward.deltas(g.delta, s) > 0
	channels := g.logits.channels()
	seen, allowed, base := b.seen[k*channels*n:(k+1)*channels*n], b.allowed[k*n:(k+1)*n],
		b.base[k*n:(k+1)*n]
	clear(seen)
	b.open[k], b.stop[k] = open, 0
	if open && g.logits == Guided {
		v := g.value(s)
		b.stop[k] = -v - math.Log(-math.Expm1(-v)) // the logit of e^−v
	}
	for at, v := range g.delta {
		seen[at] = float64(s.parents[at%d] >> (at / d) & 1)
		allowed[at], base[at] = 0, 0
		if math.IsInf(v, -1) {
			continue
		}
		allowed[at], seen[n+at] = 1, 1
		if g.logits == Guided {
			base[at] = g.weight(at/d, at%d)
			seen[2*n+at], seen[3*n+at] = math.Exp(base[at]), math.Asinh(v)/5
		}
	}
}

// faintest bounds the log weight of an edge that the completion has no room for.
const faintest = -30

// weight is the logarithm of that of an edge i → j that is open in the state. One that
// turns an edge of the completion round has the weight of that.
func (g *guide) weight(i, j int) float64 {
	if c := &g.completion; c.parents[j]>>i&1 == 1 || c.parents[i]>>j&1 == 1 {
		return 0
	}
	return max(faintest, -softplus(-g.rows[j][i]-math.Log(g.tilt)))
}

// value is V ≈ ln F(s) − ln R(s) of a state whose differences are those of the guide, at
// least ln(1 + Σ e^δ/(1+e(s))), which is at most the true one.
func (g *guide) value(s *state) float64 {
	from, d := g.reward.removable(s), len(s.parents)
	gain := g.complete(s)
	g.reward.deltas(g.ahead, &g.completion)
	to := g.reward.removable(&g.completion)
	g.odds = g.odds[:0]
	g.terms = append(g.terms[:0], 1)
	scale := 0.0
	for i := range d {
		for j := range i {
			if o := math.Exp(g.ahead[i*d+j]) + math.Exp(g.ahead[j*d+i]); o > 1e-9 {
				g.odds = append(g.odds, o)
				g.multiply(1/(1+o), o/(1+o))
				scale += math.Log1p(o)
			}
		}
	}
	g.tilt = g.fixedPoint(from, to-from)
	sum, weight := 0.0, 1.0 // weight is C(to, from)/C(to+n, from)
	for n, c := range g.terms {
		if n > 0 {
			weight *= float64(to-from+n) / float64(to+n)
		}
		sum += c * weight
	}
	return max(nextValue(g.delta, from), gain-scoring.LnChoose(to, from)+scale+math.Log(sum))
}

// multiply multiplies the polynomial of the terms by u + vx.
func (g *guide) multiply(u, v float64) {
	g.terms = append(g.terms, 0)
	for k := len(g.terms) - 1; k > 0; k-- {
		g.terms[k] = u*g.terms[k] + v*g.terms[k-1]
	}
	g.terms[0] *= u
}

// fixedPoint is x, found by a few substitutions from above; at least 1/(1+e), for a state
// that is its own completion, where only ratios of weights count.
func (g *guide) fixedPoint(e, k int) float64 {
	x := 1.0
	for range 8 {
		n := 0.0
		for _, o := range g.odds {
			n += o * x / (1 + o*x)
		}
		x = max((float64(k)+n)/max(1, float64(e+k)+n), 1/(1+float64(e)))
	}
	return x
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

// fillAll fills a batch with states.
func fillAll(r *reward, logits Logits, b *batch, states []state, workers int) (err error) {
	defer caught(&err)
	return parallel.ForWith(context.Background(), len(states), workers, func() *guide {
		return newGuide(r, logits)
	}, func(g *guide, k int) error {
		g.fill(b, k, &states[k])
		return nil
	})
}
